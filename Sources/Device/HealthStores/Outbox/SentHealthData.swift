import Core
import Foundation
import HealthData
import HealthSync
import Outbox

/// The health data that a device has queued for its study, by exports and by the synchronisation: what one of them sent the
/// other does not send again.
///
/// - What was sent is known by its fingerprint (`SentFingerprints`, `health-identities`).
/// - What was deleted since is known by the resource's id (`health-deleted`): it is sent again when it comes again.
/// - Devices are sent once, before what they measured (`health-devices`).
///
/// The order of writing makes a crash harmless: a deletion is noted before it is queued, and what is sent is noted after.
/// In between something is sent twice, under the same id. One process at a time writes.
public struct SentHealthData: Sendable {
    private var sent: SentFingerprints
    private var deleted: IndexFile
    private var deletedIDs: Set<UUID>
    private var devices: IndexFile
    private var deviceIDs: Set<UUID>
    private var revived: Set<UUID> = []

    /// Reads what is kept in a device's folder; files that are not there are empty.
    ///
    /// - Throws: `SentFingerprints.Failure`; `HealthSyncError` `health-index-damaged`; storage errors.
    public init(folder: URL) throws {
        sent = try SentFingerprints(file: folder.appendingPathComponent("health-identities"))
        deleted = try IndexFile(folder.appendingPathComponent("health-deleted"))
        deletedIDs = try deleted.identifiers()
        devices = try IndexFile(folder.appendingPathComponent("health-devices"))
        deviceIDs = try devices.identifiers()
    }

    /// Whether the study was sent the resource and nothing that deletes it since, or it is staged.
    ///
    /// - Parameter id: the resource's id.
    public func contains(_ fingerprint: SampleFingerprint, id: @autoclosure () -> String) -> Bool {
        guard sent.contains(fingerprint) else { return false }
        guard !deletedIDs.isEmpty, let id = UUID(text: id()) else { return true }
        return !deletedIDs.contains(id) || revived.contains(id)
    }

    /// Notes a resource of the batch that is being made.
    public mutating func stage(_ fingerprint: SampleFingerprint, id: @autoclosure () -> String) {
        sent.stage(fingerprint)
        guard !deletedIDs.isEmpty, let id = UUID(text: id()), deletedIDs.contains(id) else { return }
        revived.insert(id)
    }

    /// Forgets what is staged: the batch was not queued.
    public mutating func discard() {
        sent.discard()
        revived = []
    }

    /// Makes durable that what is staged was queued.
    ///
    /// - Throws: as ``init(folder:)``.
    public mutating func commit() throws {
        try sent.commit()
        guard !revived.isEmpty else { return }
        try deleted.forget(Array(revived))
        deletedIDs.subtract(revived)
        revived = []
    }

    /// Makes durable that Observations are being deleted, before that is queued. An id of another form than ours was never
    /// noted as sent.
    ///
    /// - Throws: storage errors.
    public mutating func delete(_ ids: [String]) throws {
        let new = Set(ids.compactMap { UUID(text: $0) }).subtracting(deletedIDs)
        guard !new.isEmpty else { return }
        try deleted.note(new.map { HealthNote(uuid: $0, target: .observation($0)) })
        deletedIDs.formUnion(new)
    }

    /// Whether the study was sent the device's resource.
    public func contains(device id: String) -> Bool { UUID(text: id).map(deviceIDs.contains) ?? false }

    /// Makes durable that devices were queued.
    ///
    /// - Throws: storage errors.
    public mutating func note(devices ids: [String]) throws {
        let new = Set(ids.compactMap { UUID(text: $0) }).subtracting(deviceIDs)
        guard !new.isEmpty else { return }
        try devices.note(
            new.map { HealthNote(uuid: $0, target: HealthTarget("Device/" + $0.lowercaseText)) })
        deviceIDs.formUnion(new)
    }
}
