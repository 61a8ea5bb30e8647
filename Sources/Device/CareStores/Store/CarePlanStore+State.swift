import CarePlans
import Foundation

/// The state of the synchronisation.
extension CarePlanStore {
    /// The process of this copy. It changes when the copy finds that it was restored from a backup.
    public var process: UUID { copy.process }

    /// The knowledge of the copy.
    public var knowledge: KnowledgeVector { copy.knowledge }

    /// Whether the copy has been synchronised at least once.
    public var isSynchronized: Bool { copy.server != nil }

    /// The number of versions that the server does not have yet, without those in the quarantine.
    public var unsentCount: Int { copy.unsent.count }

    /// The versions that the server refused for good, in the order of their ids. They remain in the copy, and are sent again
    /// only by ``retryQuarantined()``.
    public var quarantine: [QuarantinedVersion] {
        copy.quarantine.values.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
    }

    /// The earliest time of the next automatic attempt after a failure; nil if none is deferred.
    public var nextAttempt: Date? { copy.delay.nextAttempt.map { Date(timeIntervalSinceReferenceDate: $0) } }

    /// The stable code of the last failure of a sync; nil after a success.
    public var lastFailure: String? { copy.delay.code }

    /// Moves all versions out of the quarantine, to be sent by the next sync.
    public func retryQuarantined() throws {
        guard !copy.quarantine.isEmpty else { return }
        var change = CareCopyRecord()
        change.released = Array(copy.quarantine.keys)
        try record(change)
    }

    /// Removes the versions of the quarantine from the copy, with the changes of the user that they contain. The versions
    /// before them are current again.
    public func discardQuarantined() throws {
        guard !copy.quarantine.isEmpty else { return }
        let refused = copy.quarantine.mapValues(\.code)
        var change = CareCopyRecord()
        change.discarded = Array(refused.keys) + copy.dependents(of: refused).map(\.uuid)
        try record(change)
    }
}
