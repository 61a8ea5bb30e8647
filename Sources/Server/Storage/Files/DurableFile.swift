import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes files atomically, durably and with their final permissions.
package enum DurableFile {
    /// A failed call of the system. The callers have errors of their own for it.
    package struct Failure: Error {
        package let path: String
        /// The value of `errno`.
        package let number: Int32

        init(_ path: String, _ number: Int32 = errno) {
            self.path = path
            self.number = number
        }
    }

    /// Creates a file with its mode under a temporary name, and renames it after its content is on disk. The entry in the
    /// folder is durable after ``synchronize(_:)``.
    ///
    /// - Throws: ``Failure``; then the old file is unchanged, if there was one.
    package static func write(_ data: Data, to url: URL, permissions: mode_t) throws(Failure) {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)").path
        do throws(Failure) {
            try create(temporary, data: data, permissions: permissions)
            guard rename(temporary, url.path) == 0 else { throw Failure(url.path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Makes the entries of a folder durable.
    package static func synchronize(_ folder: URL) throws(Failure) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(folder.path) }
    }

    private static func create(_ path: String, data: Data, permissions: mode_t) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions & 0o600)
        guard descriptor >= 0 else { throw Failure(path) }
        defer { close(descriptor) }
        let bytes = [UInt8](data)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(path) }
            written += count
        }
        // Widen the permissions only when the content is complete.
        guard fchmod(descriptor, permissions) == 0, fsync(descriptor) == 0 else { throw Failure(path) }
    }
}
