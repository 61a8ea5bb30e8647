import Core
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder of the files that exports make, readable by its owner alone. Servers that share a store and this folder give
/// out each other's files; one of them works on exports at a time.
public struct ExportFolder: Sendable {
    let url: URL
    /// A name that is made with the folder: jobs remember where their files are.
    let id: String

    /// Makes the folder where there is none.
    ///
    /// - Throws: ``Storage/StorageError`` `file-unwritable`.
    public init(_ url: URL) throws {
        self.url = url
        try Self.make(url.path, mayBeThere: true)
        let place = url.appendingPathComponent("folder-id").path
        if let data = FileManager.default.contents(atPath: place), data.count == 36 {
            id = String(decoding: data, as: UTF8.self)
            return
        }
        let name = UUID().lowercaseText
        let file = try ExportFileWriter(place + "." + name)
        try file.write(Array(name.utf8))
        try file.finish()
        // Of two that make it at a time the first is right.
        if link(place + "." + name, place) != 0, errno != EEXIST { throw Self.unwritable }
        unlink(place + "." + name)
        guard let data = FileManager.default.contents(atPath: place), data.count == 36 else { throw Self.unwritable }
        id = String(decoding: data, as: UTF8.self)
    }

    /// Takes the right to work in it; nil where another process has it.
    func lock() throws -> StoreLock? { try StoreLock(folder: url.path) }

    /// Makes the folder of a job; what lies there is kept.
    func make(job id: String) throws { try Self.make(folder(of: id).path, mayBeThere: true) }

    func path(_ name: String, of id: String) -> String { folder(of: id).appendingPathComponent(name).path }

    /// Removes a job's files but some.
    func removeFiles(of id: String, but kept: Set<String>) {
        let place = folder(of: id)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] where !kept.contains(name)
        {
            try? FileManager.default.removeItem(at: place.appendingPathComponent(name))
        }
    }

    /// Removes the folders of jobs that are not known.
    func removeJobs(but known: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        where UUID(text: name) != nil && !known.contains(name) {
            try? FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }

    /// Whether a file is there, as long as it is to be.
    func has(_ file: ExportFile, of id: String) -> Bool {
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

    static let unwritable = StorageError(
        code: "file-unwritable", message: "The folder of exports cannot be written; check its owner and the free space."
    )
}

/// A file that is made, for its owner alone.
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

    /// Ends the file. What a power failure takes of it is missed by its length (``ExportFolder/has(_:of:)``), and can be
    /// made again: nobody waits for the disk.
    func finish() throws {
        isClosed = true
        guard close(descriptor) == 0 else { throw ExportFolder.unwritable }
    }
}

/// Outside of the type, where `write` would mean its method.
private func writtenBytes(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
