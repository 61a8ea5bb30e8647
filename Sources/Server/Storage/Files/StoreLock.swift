import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An exclusive `flock` lock within this machine: on a store through the file `PATH.lock` next to it, which is not
/// removed, or on a folder. The lock ends with this object or with the process, also in a crash.
public final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Locks a store; nil if another process, or another object in this one, holds the lock.
    ///
    /// - Parameter path: path of the store's file; the lock file is next to it.
    /// - Throws: ``StorageError`` `storage-open` if the lock file cannot be opened.
    public convenience init?(storePath path: String) throws {
        try self.init(
            opened: open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o660),
            failure:
                "\(path).lock cannot be opened by the account \(FileAccess.account); see the owner and the mode of it and "
                + "of its folder.")
    }

    /// Locks a folder; nil if another process, or another object in this one, holds the lock.
    ///
    /// - Throws: ``StorageError`` `storage-open` if the folder does not exist or is a symbolic link.
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
        // Unlock explicitly: a child process that is being started may briefly share the descriptor, and closing alone
        // would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
