import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes files atomically, durably and with their final permissions: the file is created with its mode, and renamed
/// after its content is on disk.
package enum PrivateFile {
    /// - Throws: ``StudyKeyError`` `file-unwritable`; then the old file is unchanged, if there was one.
    package static func write(_ data: Data, to url: URL, permissions: mode_t) throws {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        do {
            try create(temporary.path, data: data, permissions: permissions)
            guard rename(temporary.path, url.path) == 0 else { throw unwritable(url) }
        } catch {
            unlink(temporary.path)
            throw error is StudyKeyError ? error : unwritable(url)
        }
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func create(_ path: String, data: Data, permissions: mode_t) throws {
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
        // Widen the permissions only when the content is complete.
        guard fchmod(descriptor, permissions) == 0, fsync(descriptor) == 0 else {
            throw unwritable(URL(fileURLWithPath: path))
        }
    }

    private static func unwritable(_ url: URL) -> StudyKeyError {
        StudyKeyError(
            code: "file-unwritable",
            message:
                "The account \(FileAccess.account) cannot write the file \(url.path); see its folder's owner and mode.")
    }
}
