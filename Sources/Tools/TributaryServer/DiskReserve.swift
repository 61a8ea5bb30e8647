import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that reserves space on the disk of a store. A server that starts on a full disk deletes it, because SQLite
/// cannot open a store without space for its log.
struct DiskReserve: Sendable {
    /// The store's file.
    let store: String

    /// Maximum bytes of the reserve. On a small disk it is an eighth of the disk.
    private static let maximumBytes: Int64 = 16 << 20

    private var path: String {
        URL(fileURLWithPath: store).deletingLastPathComponent().appendingPathComponent(".reserve").path
    }

    /// The bytes of the reserve on this disk; nil if the system does not report the size of the disk.
    private var bytes: Int64? {
        var status = statvfs()
        guard statvfs(URL(fileURLWithPath: store).deletingLastPathComponent().path, &status) == 0 else { return nil }
        let total = Int64(clamping: UInt64(status.f_blocks) &* UInt64(status.f_frsize))
        return min(Self.maximumBytes, total / 8)
    }

    /// Whether records may still be written: half of a reserve is free, which a start needs.
    var hasRoom: Bool {
        guard let bytes, let free = ServerReadiness.freeBytes(at: store) else { return true }
        return free >= bytes / 2
    }

    /// Deletes the file if the disk is full.
    ///
    /// - Returns: whether it was deleted.
    func releaseIfFull() -> Bool {
        guard !hasRoom, FileManager.default.fileExists(atPath: path) else { return false }
        return unlink(path) == 0
    }

    /// Creates the file if it does not exist and the disk has space for it three times.
    func keep() {
        guard let bytes, bytes > 0, let free = ServerReadiness.freeBytes(at: store), free >= 3 * bytes else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Zeros are written, because a sparse file reserves no space.
        let piece = [UInt8](repeating: 0, count: 1 << 16)
        var left = Int(bytes)
        while left > 0 {
            let count = write(descriptor, piece, min(left, piece.count))
            guard count > 0 else {
                unlink(path)
                return
            }
            left -= count
        }
    }
}
