import Foundation

/// File operations that survive a loss of power. Each either succeeds or throws ``DeviceStorageError``; its
/// documentation states what is durable. Tests substitute a file system that stops at any operation.
public protocol DurableFiles: Sendable {
    /// Returns the names in a folder, in no order.
    func names(in folder: URL) throws(DeviceStorageError) -> [String]

    /// Returns a file's content. Throws `file-missing` if there is none.
    func read(_ file: URL) throws(DeviceStorageError) -> Data

    /// Returns a file's size in bytes; 0 if there is none.
    func size(of file: URL) throws(DeviceStorageError) -> Int64

    /// Creates a file of mode 0600 with this content. Throws if it exists. Not durable before ``sync(_:)`` and
    /// ``syncFolder(_:)``; after a failure a part of the file may remain.
    func create(_ file: URL, holding content: Data) throws(DeviceStorageError)

    /// Makes a file's content durable.
    func sync(_ file: URL) throws(DeviceStorageError)

    /// Moves a file, atomically replacing the target. Durable after ``syncFolder(_:)`` of both folders.
    func move(_ file: URL, to target: URL) throws(DeviceStorageError)

    /// Removes a file; an absent file is no error. Durable after ``syncFolder(_:)``.
    func remove(_ file: URL) throws(DeviceStorageError)

    /// Makes a folder's names durable.
    func syncFolder(_ folder: URL) throws(DeviceStorageError)

    /// Creates a folder of mode 0700 and its parents; an existing folder is no error.
    func makeFolder(_ folder: URL) throws(DeviceStorageError)

    /// Takes the lock of this file, against other processes and other holders in this process. It ends with the
    /// returned value, or with the process. Throws `file-busy` if it is not free within the patience in seconds.
    func lock(_ file: URL, patience: Double) throws(DeviceStorageError) -> FileLock
}

extension DurableFiles {
    /// Returns a file's content; `nil` if there is none.
    public func content(of file: URL) throws(DeviceStorageError) -> Data? {
        do throws(DeviceStorageError) {
            return try read(file)
        } catch {
            if error.reason == .fileMissing { return nil }
            throw error
        }
    }

    /// Takes a lock as ``lock(_:patience:)`` does, but suspends while it waits: the holder of the lock may need a
    /// thread of the same pool to release it.
    ///
    /// - Throws: ``DeviceStorageError``: `file-busy`, storage errors; `CancellationError`.
    public func lock(_ file: URL, awaiting patience: Double) async throws -> FileLock {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            do {
                return try lock(file, patience: 0)
            } catch {
                guard error.reason == .fileBusy, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// A lock that is held for the lifetime of this value.
public final class FileLock: Sendable {
    private let release: @Sendable () -> Void

    /// Creates a lock that the closure releases.
    public init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
