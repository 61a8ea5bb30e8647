import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes files that must be whole or not there, durable, and with the permissions they are to have from the first
/// instant: the mode is given when the file is made, and the file gets its name after its content is on disk.
public enum PrivateFile {
    /// - Throws: ``ConsumerError`` `file-unwritable`; then the old file stands, if there was one.
    public static func write(_ data: Data, to url: URL, permissions: mode_t) throws {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        do {
            try create(temporary.path, data, permissions)
            guard rename(temporary.path, url.path) == 0 else { throw unwritable(url) }
        } catch {
            unlink(temporary.path)
            throw error is ConsumerError ? error : unwritable(url)
        }
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func create(_ path: String, _ data: Data, _ permissions: mode_t) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions & 0o600)
        guard descriptor >= 0 else { throw unwritable(URL(fileURLWithPath: path)) }
        defer { close(descriptor) }
        let bytes = [UInt8](data)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable(URL(fileURLWithPath: path)) }
            written += count
        }
        // What others may read too is opened to them when it is whole.
        guard fchmod(descriptor, permissions) == 0, fsync(descriptor) == 0 else {
            throw unwritable(URL(fileURLWithPath: path))
        }
    }

    private static func unwritable(_ url: URL) -> ConsumerError {
        ConsumerError(
            code: "file-unwritable",
            message:
                "The account \(FileAccess.account) cannot write the file \(url.path); see its folder's owner and mode.")
    }
}
