import DeviceSystem
import Foundation
import HealthSync

/// An index of identifiers on the device's disk. It is rewritten when the larger part of it is not valid any more.
struct IndexFile: Sendable {
    private let url: URL
    private let files = PosixFiles()
    private var log: HealthIndexLog<LogFile>

    /// Opens the index. An absent file is an empty index; the first record creates it.
    ///
    /// - Throws: `HealthSyncError` `health-index-damaged`; `DeviceStorageError` of the disk.
    init(_ url: URL) throws {
        self.url = url
        log = try HealthIndexLog(LogFile(url))
    }

    /// Returns the entries of identifiers; identifiers without an entry are left out.
    func known(_ uuids: [UUID]) throws -> [UUID: IndexedSample] { try log.known(uuids) }

    /// Returns all identifiers of the index.
    func identifiers() throws -> Set<UUID> { try log.identifiers() }

    /// Durably records identifiers, each with its target.
    mutating func record(_ entries: [IndexEntry]) throws { try log.record(entries) }

    /// Durably removes identifiers.
    mutating func forget(_ uuids: [UUID]) throws {
        try log.forget(uuids)
        // The removal is durable already; if the disk has no room for a shorter index, the longer one is kept.
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
