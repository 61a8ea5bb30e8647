import Foundation
import HealthSync
import Outbox

/// An index of identifiers on the device's disk. It is written anew when most of it does not count any more.
struct IndexFile: Sendable {
    private let url: URL
    private let files = PosixFiles()
    private var log: HealthIndexLog<LogFile>

    /// Opens the index; a file that is not there is an empty one, and is made when something is noted.
    ///
    /// - Throws: `HealthSyncError` `health-index-damaged`; `OutboxError` of the disk.
    init(_ url: URL) throws {
        self.url = url
        log = try HealthIndexLog(LogFile(url))
    }

    /// What is known of identifiers; those that are not known are left out.
    func known(_ uuids: [UUID]) throws -> [UUID: IndexedSample] { try log.known(uuids) }

    /// All identifiers that are known.
    func identifiers() throws -> Set<UUID> { try log.identifiers() }

    /// Notes identifiers, each with its target. It is durable when this returns.
    mutating func note(_ notes: [HealthNote]) throws { try log.note(notes) }

    /// Forgets identifiers. It is durable when this returns.
    mutating func forget(_ uuids: [UUID]) throws {
        try log.forget(uuids)
        // What is forgotten is so already; a disk without room for a shorter index has the longer one.
        if log.isWorthCompacting { try? compact() }
    }

    private mutating func compact() throws {
        let shorter = url.appendingPathExtension("new")
        try files.remove(shorter)
        let copy = try log.compact(into: LogFile(shorter))
        if copy.entries == 0 { try files.remove(url) } else { try files.move(shorter, to: url) }
        log = try HealthIndexLog(LogFile(url))
        try files.syncFolder(url.deletingLastPathComponent())
    }
}
