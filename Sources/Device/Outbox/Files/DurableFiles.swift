import Foundation

/// The few file operations the outbox is made of. Each either happens or throws ``OutboxError``; what survives a loss of
/// power is said at each. A test puts a file system in their place that stops at any of them.
public protocol DurableFiles: Sendable {
    /// The names in a folder, in no order.
    func names(in folder: URL) throws(OutboxError) -> [String]

    /// A file's content. Throws `file-missing` if there is none.
    func read(_ file: URL) throws(OutboxError) -> Data

    /// A file's size in bytes; 0 if there is none.
    func size(of file: URL) throws(OutboxError) -> Int64

    /// Makes a new file of mode 0600 with this content. Throws if it exists. Not durable before ``sync(_:)`` and
    /// ``syncFolder(_:)``; after a failure a part of the file may stand.
    func create(_ file: URL, holding content: Data) throws(OutboxError)

    /// Makes a file's content durable.
    func sync(_ file: URL) throws(OutboxError)

    /// Moves a file, replacing the target in one step. Durable after ``syncFolder(_:)`` of both folders.
    func move(_ file: URL, to target: URL) throws(OutboxError)

    /// Removes a file; one that is not there is no error. Durable after ``syncFolder(_:)``.
    func remove(_ file: URL) throws(OutboxError)

    /// Makes a folder's names durable.
    func syncFolder(_ folder: URL) throws(OutboxError)

    /// Makes a folder of mode 0700 and those above it; one that exists is no error.
    func makeFolder(_ folder: URL) throws(OutboxError)

    /// Takes the lock that this file stands for, against other processes and other holders in this one. It ends with
    /// the returned value, or with the process. Throws `outbox-busy` if it is not free within the patience in seconds.
    func lock(_ file: URL, patience: Double) throws(OutboxError) -> FileLock
}

extension DurableFiles {
    /// A file's content; `nil` if there is none.
    public func content(of file: URL) throws(OutboxError) -> Data? {
        do throws(OutboxError) {
            return try read(file)
        } catch {
            if error.reason == .fileMissing { return nil }
            throw error
        }
    }

    /// Takes a lock as ``lock(_:patience:)`` does, but gives its thread away while it waits: who holds the lock may be waiting
    /// for a thread of the same pool to give it back.
    ///
    /// - Throws: ``OutboxError``: `outbox-busy`, storage errors; `CancellationError`.
    public func lock(_ file: URL, awaiting patience: Double) async throws -> FileLock {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            do {
                return try lock(file, patience: 0)
            } catch {
                guard error.reason == .outboxBusy, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// A lock that is held as long as this value lives.
public final class FileLock: Sendable {
    private let release: @Sendable () -> Void

    /// Holds a lock that the closure gives back.
    public init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
