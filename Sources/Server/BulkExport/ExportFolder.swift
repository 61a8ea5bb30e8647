import Core
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder of the export files, readable only by its owner. Servers that share a store and this folder serve each
/// other's files; only one of them runs exports at a time.
package struct ExportFolder: Sendable {
    package let url: URL
    /// An identifier that is created with the folder. Jobs store it as the location of their files.
    package let id: String

    /// Creates the folder where there is none.
    ///
    /// - Throws: ``Storage/StorageError`` `file-unwritable`.
    package init(_ url: URL) throws {
        self.url = url
        try Self.make(url.path, mayBeThere: true)
        let idPath = url.appendingPathComponent("folder-id").path
        if let data = FileManager.default.contents(atPath: idPath), data.count == 36 {
            id = String(decoding: data, as: UTF8.self)
            return
        }
        let name = UUID().lowercaseText
        let file = try ExportFileWriter(idPath + "." + name)
        try file.write(Array(name.utf8))
        try file.finish()
        // Of two concurrent processes, the first one's id is used.
        if link(idPath + "." + name, idPath) != 0, errno != EEXIST { throw Self.unwritable }
        unlink(idPath + "." + name)
        guard let data = FileManager.default.contents(atPath: idPath), data.count == 36 else { throw Self.unwritable }
        id = String(decoding: data, as: UTF8.self)
    }

    /// Takes the lock to run exports in it; nil where another process has it.
    package func lock() throws -> StoreLock? { try StoreLock(folder: url.path) }

    /// Creates the folder of a job; existing files stay.
    package func make(job id: String) throws { try Self.make(folder(of: id).path, mayBeThere: true) }

    package func path(_ name: String, of id: String) -> String { folder(of: id).appendingPathComponent(name).path }

    /// Removes a job's files except some.
    func removeFiles(of id: String, but kept: Set<String>) {
        let jobFolder = folder(of: id)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: jobFolder.path)) ?? []
        where !kept.contains(name) {
            try? FileManager.default.removeItem(at: jobFolder.appendingPathComponent(name))
        }
    }

    /// Removes the folders of unknown jobs.
    package func removeJobs(but known: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        where UUID(text: name) != nil && !known.contains(name) {
            try? FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }

    /// Whether a file exists and has its full length.
    package func has(_ file: BulkExportFile, of id: String) -> Bool {
        var status = stat()
        return stat(path(file.name, of: id), &status) == 0 && Int64(status.st_size) == file.bytes
    }

    private func folder(of id: String) -> URL { url.appendingPathComponent(id, isDirectory: true) }

    private static func make(_ path: String, mayBeThere: Bool) throws {
        guard mkdir(path, 0o700) != 0 else { return }
        var status = stat()
        guard mayBeThere, errno == EEXIST, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw unwritable
        }
    }

    package static let unwritable = StorageError(
        code: "file-unwritable", message: "The folder of exports cannot be written; check its owner and the free space."
    )
}

/// A writer of a new file, readable only by its owner.
final class ExportFileWriter {
    private let descriptor: Int32
    private var isClosed = false

    /// - Throws: ``Storage/StorageError`` `file-unwritable`.
    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFolder.unwritable }
    }

    deinit { if !isClosed { close(descriptor) } }

    /// - Throws: ``Storage/StorageError`` `storage-full`, `file-unwritable`.
    func write(_ bytes: [UInt8]) throws {
        var failure: Int32?
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failure == nil {
                let count = writtenBytes(UnsafeRawBufferPointer(rebasing: rest), to: descriptor)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    failure = count == 0 ? ENOSPC : errno
                }
            }
        }
        guard let failure else { return }
        throw failure == ENOSPC
            ? StorageError(code: "storage-full", message: "The disk is full; free some space.")
            : ExportFolder.unwritable
    }

    /// Closes the file without waiting for the disk. A power failure may shorten it: its length reveals that
    /// (``ExportFolder/has(_:of:)``), and it can be made again.
    func finish() throws {
        isClosed = true
        guard close(descriptor) == 0 else { throw ExportFolder.unwritable }
    }
}

/// Outside of the type, whose method `write` would hide the function.
private func writtenBytes(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
