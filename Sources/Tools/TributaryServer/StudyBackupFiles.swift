import Core
import Crypto
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few acts on files that backup, restore and upgrade are made of: what is made has its mode from the first instant,
/// and what is to last is synced.
enum StudyBackupFiles {
    private static let chunk = 1 << 20

    /// Whether there is anything of this name, a link that leads nowhere included.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The bytes of a file; nil where there is none.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Whether it is a folder, and no link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder, which must not be there yet.
    static func makeFolder(_ path: String, permissions: mode_t) throws {
        guard mkdir(path, permissions & 0o700) == 0, chmod(path, permissions) == 0 else { throw failure(path) }
    }

    /// Makes a file, which must not be there yet, for its owner alone, and gives its descriptor.
    static func create(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    /// Closes a descriptor that ``create(_:)`` gave.
    static func end(_ descriptor: Int32) { close(descriptor) }

    /// Writes all of the bytes.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a durable file of bytes, for its owner alone.
    static func make(_ path: String, _ data: Data) throws {
        let descriptor = try create(path)
        defer { close(descriptor) }
        try data.withUnsafeBytes { try write($0, to: descriptor, path) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// Passes a file's bytes in pieces of a megabyte at most.
    ///
    /// - Parameter limit: where to stop; nil for the end of the file.
    static func each(
        _ path: String, limit: Int64? = nil, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var left = limit ?? .max
        var buffer = [UInt8](repeating: 0, count: chunk)
        while left > 0 {
            let count = buffer.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, min($0.count, Int(clamping: left)))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return }
            left -= Int64(count)
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// The size and the SHA-256 of a file.
    static func digest(_ path: String) throws -> (bytes: Int64, sha256: String) {
        var hash = SHA256()
        var bytes: Int64 = 0
        try each(path) { piece in
            hash.update(bufferPointer: piece)
            bytes += Int64(piece.count)
        }
        return (bytes, Hexadecimal.text(hash.finalize()))
    }

    /// Makes a file's bytes, or a folder's names, durable.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// Gives a file its name; what had the name is replaced.
    static func move(_ path: String, to target: String) throws {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    /// Gives a file or folder its mode.
    static func restrict(_ path: String, to permissions: mode_t) throws {
        guard chmod(path, permissions) == 0 else { throw failure(path) }
    }

    /// Returns the error that the system's last error is to a person.
    static func failure(_ path: String, _ number: Int32 = errno) -> any Error {
        if number == ENOSPC || number == EDQUOT {
            return StorageError(
                code: "storage-full", message: "The disk is full; free some space. Nothing was half-written.")
        }
        return FileAccessError(
            path: path,
            cause: [EACCES, EPERM].contains(number) ? .forbidden(by: nil) : .failed(String(cString: strerror(number))),
            isWrite: true)
    }

    private static func unreadable(_ path: String) -> FileAccessError {
        let system = String(cString: strerror(errno))
        do throws(FileAccessError) {
            try FileAccess.require(URL(fileURLWithPath: path))
            return FileAccessError(path: path, cause: .failed(system))
        } catch {
            return error
        }
    }
}

// The type's own `write` hides the system's.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
