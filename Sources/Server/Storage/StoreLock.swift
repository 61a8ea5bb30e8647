import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock on a store, held by one process of this machine at a time: the file `PATH.lock` beside it, locked with
/// `flock`. It ends with the value or with the process, however that ends; the file stays.
public final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock; nil where another process, or another value in this one, has it.
    ///
    /// - Parameter path: the store's file; the lock stands beside it.
    /// - Throws: ``StorageError`` `storage-open` where the file cannot be made.
    public init?(storePath path: String) throws {
        let opened = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
        guard opened >= 0 else {
            throw StorageError(
                code: "storage-open", message: "The lock file beside the database cannot be opened; check its folder.")
        }
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                close(opened)
                return nil
            }
        }
        descriptor = opened
    }

    deinit { close(descriptor) }
}
