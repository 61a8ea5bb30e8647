import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock that one process of this machine holds at a time, with `flock`: on a store by the file `PATH.lock` beside it,
/// which stays, or on a folder. It ends with the value or with the process, however that ends.
public final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of a store; nil where another process, or another value in this one, has it.
    ///
    /// - Parameter path: the store's file; the lock stands beside it.
    /// - Throws: ``StorageError`` `storage-open` where the file cannot be made.
    public convenience init?(storePath path: String) throws {
        try self.init(
            opened: open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o660),
            failure:
                "\(path).lock cannot be opened by the account \(FileAccess.account); see the owner and the mode of it and "
                + "of its folder.")
    }

    /// Takes the lock of a folder; nil where another process, or another value in this one, has it.
    ///
    /// - Throws: ``StorageError`` `storage-open` where there is no such folder, or a link in its place.
    public convenience init?(folder path: String) throws {
        try self.init(
            opened: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
            failure: "The folder \(path) cannot be opened.")
    }

    private init?(opened: Int32, failure: String) throws {
        guard opened >= 0 else { throw StorageError(code: "storage-open", message: failure) }
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                close(opened)
                return nil
            }
        }
        descriptor = opened
    }

    deinit {
        // A process that is being started holds the open file for a moment, and with it a lock that is only closed.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
