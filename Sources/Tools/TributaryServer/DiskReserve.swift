import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that keeps room on the disk of a store. A server that starts on a full disk removes it: SQLite opens no store
/// without room for its log.
struct DiskReserve: Sendable {
    /// The store's file.
    let store: String

    /// Maximum bytes of the reserve. A small disk gives an eighth.
    private static let most: Int64 = 16 << 20

    private var path: String {
        URL(fileURLWithPath: store).deletingLastPathComponent().appendingPathComponent(".reserve").path
    }

    /// The bytes of the reserve on this disk; nil where the system does not say how large the disk is.
    private var bytes: Int64? {
        var status = statvfs()
        guard statvfs(URL(fileURLWithPath: store).deletingLastPathComponent().path, &status) == 0 else { return nil }
        let total = Int64(clamping: UInt64(status.f_blocks) &* UInt64(status.f_frsize))
        return min(Self.most, total / 8)
    }

    /// Whether records may still be written: half of a reserve is free, which a start needs.
    var hasRoom: Bool {
        guard let bytes, let free = ServerReadiness.freeBytes(at: store) else { return true }
        return free >= bytes / 2
    }

    /// Removes the file where the disk is full.
    ///
    /// - Returns: whether it was removed.
    func releaseIfFull() -> Bool {
        guard !hasRoom, FileManager.default.fileExists(atPath: path) else { return false }
        return unlink(path) == 0
    }

    /// Makes the file where there is room for it three times and it is not there.
    func keep() {
        guard let bytes, bytes > 0, let free = ServerReadiness.freeBytes(at: store), free >= 3 * bytes else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Zeros are written: a file with holes keeps no room.
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
