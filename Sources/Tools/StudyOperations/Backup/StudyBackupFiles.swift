import Core
import Crypto
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file operations of backup and restore. Created files have their final mode from the start, and durable
/// ones are synced.
enum StudyBackupFiles {
    private static let chunk = 1 << 20

    /// Whether the path exists, including a dangling link.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns the size of a file in bytes; nil if it does not exist.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Whether the path is a folder rather than a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a folder, which must not exist.
    static func makeFolder(_ path: String, permissions: mode_t) throws {
        guard mkdir(path, permissions & 0o700) == 0, chmod(path, permissions) == 0 else { throw failure(path) }
    }

    /// Creates a file, which must not exist, for its owner only, and returns its descriptor.
    static func create(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    /// Closes a descriptor that ``create(_:)`` returned.
    static func end(_ descriptor: Int32) { close(descriptor) }

    /// Writes all bytes.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Creates a durable file with these bytes, for its owner only.
    static func make(_ path: String, _ data: Data) throws {
        let descriptor = try create(path)
        defer { close(descriptor) }
        try data.withUnsafeBytes { try write($0, to: descriptor, path) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// Calls a closure with a file's bytes in chunks of up to one megabyte.
    ///
    /// - Parameter limit: the number of bytes to read; nil for the whole file.
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

    /// Returns the size and the SHA-256 of a file.
    static func digest(_ path: String) throws -> (bytes: Int64, sha256: String) {
        var hash = SHA256()
        var bytes: Int64 = 0
        try each(path) { piece in
            hash.update(bufferPointer: piece)
            bytes += Int64(piece.count)
        }
        return (bytes, Hexadecimal.text(hash.finalize()))
    }

    /// Makes a file's bytes, or a folder's entries, durable.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// Renames a file, replacing an existing one.
    static func move(_ path: String, to target: String) throws {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    /// Sets the mode of a file or folder.
    static func restrict(_ path: String, to permissions: mode_t) throws {
        guard chmod(path, permissions) == 0 else { throw failure(path) }
    }

    /// Returns an error for people from the system's last error.
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
