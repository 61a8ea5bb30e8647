import CareStores
import DeviceSystem
import Synchronization

/// A growing file in memory, whose process can end before a write, or in the middle of one.
final class MemoryFile: GrowingFile {
    struct Content {
        var bytes: [UInt8] = []
        var writes = 0
        var stop: Int?
        /// The number of bytes of the last write that reach the file.
        var part = 0
        var isFull = false
    }

    static let stopped = DeviceStorageError(.storageFailed, "The process ended.")
    private let content: Mutex<Content>

    init(_ bytes: [UInt8] = []) { content = Mutex(Content(bytes: bytes)) }

    var bytes: [UInt8] { content.withLock { $0.bytes } }
    var writes: Int { content.withLock { $0.writes } }

    /// A copy, as of a backup.
    func backup() -> MemoryFile { MemoryFile(bytes) }

    /// Ends the process in the nth write from now, counted from 1, after a number of bytes.
    func stop(inWrite number: Int, after part: Int) {
        content.withLock { ($0.writes, $0.stop, $0.part) = (0, number, part) }
    }

    /// Begins again, as a new process.
    func restart() { content.withLock { $0.stop = nil } }

    func setFull(_ isFull: Bool) { content.withLock { $0.isFull = isFull } }

    func size() throws -> Int { content.withLock { $0.bytes.count } }

    func read(from offset: Int, count: Int) throws -> [UInt8] {
        content.withLock { Array($0.bytes.dropFirst(offset).prefix(count)) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try content.withLock { content in
            if content.isFull { throw DeviceStorageError(.storageFull, "The disk is full.") }
            content.writes += 1
            if let stop = content.stop, content.writes >= stop {
                if content.writes == stop {
                    content.bytes.removeSubrange(min(offset, content.bytes.count)...)
                    content.bytes += bytes.prefix(content.part)
                }
                throw Self.stopped
            }
            content.bytes.removeSubrange(min(offset, content.bytes.count)...)
            content.bytes += bytes
        }
    }
}
