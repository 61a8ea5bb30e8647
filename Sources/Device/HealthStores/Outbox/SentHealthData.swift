import Core
import Foundation
import HealthData
import HealthSync
import Outbox

/// The health data that a device has queued for its study, by exports and by the synchronization. Neither sends again
/// what the other has sent.
///
/// - Sent samples are recorded by their fingerprint (`SentFingerprints`, `health-identities`).
/// - Samples deleted since then are recorded by the resource's id (`health-deleted`). They are sent again if they are
///   added again.
/// - Devices are sent once, before their measurements (`health-devices`).
///
/// The order of writes makes a crash harmless: a deletion is recorded before it is queued, a sent sample after it is
/// queued. After a crash in between, a sample is sent twice with the same id. Only one process at a time writes.
public struct SentHealthData: Sendable {
    private var sent: SentFingerprints
    private var deleted: IndexFile
    private var deletedIDs: Set<UUID>
    private var devices: IndexFile
    private var deviceIDs: Set<UUID>
    private var revived: Set<UUID> = []

    /// Reads the files in a device's folder; absent files are empty.
    ///
    /// - Throws: `SentFingerprints.Failure`; `HealthSyncError` `health-index-damaged`; storage errors.
    public init(folder: URL) throws {
        sent = try SentFingerprints(file: folder.appendingPathComponent("health-identities"))
        deleted = try IndexFile(folder.appendingPathComponent("health-deleted"))
        deletedIDs = try deleted.identifiers()
        devices = try IndexFile(folder.appendingPathComponent("health-devices"))
        deviceIDs = try devices.identifiers()
    }

    /// Returns whether the resource is staged, or was sent to the study and not deleted since.
    ///
    /// - Parameter id: the resource's id.
    public func contains(_ fingerprint: SampleFingerprint, id: @autoclosure () -> String) -> Bool {
        guard sent.contains(fingerprint) else { return false }
        guard !deletedIDs.isEmpty, let id = UUID(text: id()) else { return true }
        return !deletedIDs.contains(id) || revived.contains(id)
    }

    /// Stages a resource of the batch in preparation.
    public mutating func stage(_ fingerprint: SampleFingerprint, id: @autoclosure () -> String) {
        sent.stage(fingerprint)
        guard !deletedIDs.isEmpty, let id = UUID(text: id()), deletedIDs.contains(id) else { return }
        revived.insert(id)
    }

    /// Discards the staged resources, because the batch was not queued.
    public mutating func discard() {
        sent.discard()
        revived = []
    }

    /// Durably records the staged resources as queued.
    ///
    /// - Throws: as ``init(folder:)``.
    public mutating func commit() throws {
        try sent.commit()
        guard !revived.isEmpty else { return }
        try deleted.forget(Array(revived))
        deletedIDs.subtract(revived)
        revived = []
    }

    /// Durably records a deletion of Observations before it is queued. Ids that are not UUIDs were never recorded as
    /// sent.
    ///
    /// - Throws: storage errors.
    public mutating func delete(_ ids: [String]) throws {
        let new = Set(ids.compactMap { UUID(text: $0) }).subtracting(deletedIDs)
        guard !new.isEmpty else { return }
        try deleted.record(new.map { IndexEntry(uuid: $0, target: .observation($0)) })
        deletedIDs.formUnion(new)
    }

    /// Returns whether the device's resource was sent to the study.
    public func contains(device id: String) -> Bool { UUID(text: id).map(deviceIDs.contains) ?? false }

    /// Durably records devices as queued.
    ///
    /// - Throws: storage errors.
    public mutating func record(devices ids: [String]) throws {
        let new = Set(ids.compactMap { UUID(text: $0) }).subtracting(deviceIDs)
        guard !new.isEmpty else { return }
        try devices.record(
            new.map { IndexEntry(uuid: $0, target: HealthTarget("Device/" + $0.lowercaseText)) })
        deviceIDs.formUnion(new)
    }
}
