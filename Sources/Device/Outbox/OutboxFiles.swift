import DeviceSystem
import Foundation

/// The file operations of the outbox: those of ``DeviceSystem/DurableFiles``, with the outbox's errors.
struct OutboxFiles: Sendable {
    private let system: any DurableFiles

    init(_ system: any DurableFiles) { self.system = system }

    func names(in folder: URL) throws(OutboxError) -> [String] {
        do { return try system.names(in: folder) } catch { throw OutboxError(error) }
    }

    func read(_ file: URL) throws(OutboxError) -> Data {
        do { return try system.read(file) } catch { throw OutboxError(error) }
    }

    /// Returns a file's content; nil if there is none.
    func content(of file: URL) throws(OutboxError) -> Data? {
        do { return try system.content(of: file) } catch { throw OutboxError(error) }
    }

    func size(of file: URL) throws(OutboxError) -> Int64 {
        do { return try system.size(of: file) } catch { throw OutboxError(error) }
    }

    func move(_ file: URL, to target: URL) throws(OutboxError) {
        do { try system.move(file, to: target) } catch { throw OutboxError(error) }
    }

    func remove(_ file: URL) throws(OutboxError) {
        do { try system.remove(file) } catch { throw OutboxError(error) }
    }

    func syncFolder(_ folder: URL) throws(OutboxError) {
        do { try system.syncFolder(folder) } catch { throw OutboxError(error) }
    }

    func makeFolder(_ folder: URL) throws(OutboxError) {
        do { try system.makeFolder(folder) } catch { throw OutboxError(error) }
    }

    func lock(_ file: URL, patience: Double) throws(OutboxError) -> FileLock {
        do { return try system.lock(file, patience: patience) } catch { throw OutboxError(error) }
    }

    /// Writes a file atomically and durably.
    func replace(_ file: URL, with content: Data) throws(OutboxError) {
        do { try AtomicFile.write(content, to: file, files: system) } catch { throw OutboxError(error) }
    }

    /// Removes the incomplete files of stopped writers. Call it only while holding the lock of the writers.
    func removeLeftovers(in folder: URL) throws(OutboxError) {
        do { try AtomicFile.removeLeftovers(in: folder, files: system) } catch { throw OutboxError(error) }
    }
}
