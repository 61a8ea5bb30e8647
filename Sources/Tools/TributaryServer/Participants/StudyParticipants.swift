import Consumer
import Foundation
import InformedConsent
import Records
import Storage
import Trust
import Warehouse

/// One participant as the study team sees them: their consent, devices and counts, and nothing of what they gave.
public struct StudyParticipant: Sendable {
    /// The Patient's id.
    public let id: String
    /// The standing of their consent.
    public let consent: ConsentStanding
    /// When the contract was signed.
    public let since: Date?
    public let withdrawnAt: Date?
    /// Since when something that may be a withdrawal waits to be understood.
    public let suspendedSince: Date?
    /// Whether other researchers may use the data; nil where it was not asked, or no contract is in force.
    public let sharing: Bool?
    /// The kinds of health data that the contract in force names.
    public let includes: [String]
    /// The devices that speak or spoke for them.
    public let devices: [DeviceBinding]
    /// Resources by their types.
    public let records: [String: Int]
    /// Facts, without their modifiers.
    public let facts: Int
    /// Their modifiers, which are rows of the same table.
    public let modifiers: Int
    /// Submissions of their devices that wait to be handled, or for consent.
    public let waiting: Int
    /// Submissions of their devices that the study team must look at.
    public let quarantined: Int
    /// When the newest submission came that was recorded.
    public let lastSeen: Date?
}

/// Who takes part. Each look is a row of the audit.
public struct StudyParticipants: Sendable {
    private let queue: any SQLDatabase
    private let records: any SQLDatabase
    private let actor: Actor
    private let access: AccessControl

    public init(
        queue: any SQLDatabase, records: any SQLDatabase, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.queue = queue
        self.records = records
        self.actor = actor
        access = AccessControl(database: records, clock: clock)
    }

    /// All whose consent is known, by their ids.
    public func all() async throws -> [StudyParticipant] {
        try await records.write { try access.require(actor, .listParticipants, of: nil, in: $0) }
        let waiting = try await queue.read { try SQLSubmissionQueue.waiting(in: $0) }
        return try await records.read { transaction in
            let suspended = try SuspensionRegister().all(in: transaction)
            return try ConsentRegister().all(in: transaction).map { subject, state in
                try participant(
                    subject, state, suspendedSince: suspended[subject], waiting: waiting, in: transaction)
            }
        }
    }

    /// One participant.
    ///
    /// - Throws: ``Consumer/ConsumerError`` `participant-unknown`, `participant-deleted`; ``Trust/TrustError``.
    public func participant(_ id: String) async throws -> StudyParticipant {
        try await records.write { transaction in
            try Self.requireKnown(id, in: transaction)
            try access.require(actor, .readParticipant, of: id, in: transaction)
        }
        let waiting = try await queue.read { try SQLSubmissionQueue.waiting(in: $0) }
        return try await records.read { transaction in
            try participant(
                id, ConsentRegister().state(of: id, in: transaction),
                suspendedSince: SuspensionRegister().all(in: transaction)[id], waiting: waiting, in: transaction)
        }
    }

    /// - Throws: ``Consumer/ConsumerError`` `participant-unknown`, `participant-deleted`.
    static func requireKnown(_ id: String, in transaction: any SQLTransaction) throws {
        try ConsumerError.refuseDeleted(id, in: transaction)
        guard try ParticipantDeletion.isKnown(id, in: transaction) else {
            throw ConsumerError.participantUnknown
        }
    }

    private func participant(
        _ id: String, _ state: ConsentState, suspendedSince: Date?, waiting: [String: [SubmissionStatus: Int]],
        in transaction: any SQLTransaction
    ) throws -> StudyParticipant {
        // What a device that now speaks for somebody else has waiting is theirs.
        let lanes = try access.stretches(of: id, in: transaction).filter { $0.until == nil }.map(\.lane)
        func count(_ statuses: Set<SubmissionStatus>) -> Int {
            lanes.reduce(0) { total, lane in
                total + (waiting[lane] ?? [:]).reduce(0) { $0 + (statuses.contains($1.key) ? $1.value : 0) }
            }
        }
        let facts = try WarehouseQuery().factCounts(of: id, in: transaction)
        return StudyParticipant(
            id: id, consent: state.standing, since: state.newest?.signedAt, withdrawnAt: state.withdrawnAt,
            suspendedSince: suspendedSince, sharing: state.sharing, includes: state.includedHealthData.sorted(),
            devices: try AccessControl.bindings(of: id, in: transaction),
            records: try RecordStore().counts(about: id, in: transaction),
            facts: facts.facts, modifiers: facts.modifiers, waiting: count([.received, .held]),
            quarantined: count([.quarantined]),
            lastSeen: try RecordStatistics().lastSeen(id, in: transaction))
    }
}
