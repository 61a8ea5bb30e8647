import AccessPolicy
import Admission
import Consumer
import Enrolments
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Submissions
import Warehouse

/// A participant as the study team sees them: consent, devices and counts, without the data itself.
package struct StudyParticipant: Sendable {
    /// The Patient's id.
    package let id: String
    /// The status of their consent.
    package let consent: ConsentContext.State
    /// The time at which the contract was signed.
    package let since: Date?
    package let withdrawnAt: Date?
    /// The time since which a possible withdrawal waits to be interpreted.
    package let suspendedSince: Date?
    /// Whether other researchers may use the data; nil if it was not asked, or no contract is in force.
    package let sharing: Bool?
    /// The kinds of health data in the contract in force.
    package let includes: [String]
    /// The present and former devices of the participant.
    package let devices: [DeviceBinding]
    /// The number of resources by type.
    package let records: [String: Int]
    /// The number of facts, without their modifiers.
    package let facts: Int
    /// The number of modifiers, which are rows of the same table.
    package let modifiers: Int
    /// The number of submissions of their devices that wait to be processed or for a consent.
    package let waiting: Int
    /// The number of quarantined submissions of their devices.
    package let quarantined: Int
    /// The time of receipt of the latest recorded submission.
    package let lastSeen: Date?
}

/// The participants of a study. Each query adds an audit row.
package struct StudyParticipants: Sendable {
    private let queue: any SQLDatabase
    private let records: any SQLDatabase
    private let actor: Actor
    private let access: EnrolmentStore

    package init(
        queue: any SQLDatabase, records: any SQLDatabase, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.queue = queue
        self.records = records
        self.actor = actor
        access = EnrolmentStore(database: records, clock: clock)
    }

    /// Returns all participants whose consent is known, by id.
    package func all() async throws -> [StudyParticipant] {
        try await records.write { try access.audit.require(actor, .listParticipants, of: nil, in: $0) }
        let waiting = try await queue.read { try SQLSubmissionQueue.waiting(in: $0) }
        return try await records.read { transaction in
            let suspended = try SuspensionRegister().all(in: transaction)
            return try ConsentRegister().all(in: transaction).map { subject, state in
                try participant(
                    subject, state, suspendedSince: suspended[subject], waiting: waiting, in: transaction)
            }
        }
    }

    /// Returns one participant.
    ///
    /// - Throws: ``Consumer/ConsumerError`` `participant-unknown`, ``Admission/AdmissionError``
    ///   `participant-deleted`; ``AccessPolicy/AccessError``.
    package func participant(_ id: String) async throws -> StudyParticipant {
        try await records.write { transaction in
            try Self.requireKnown(id, in: transaction)
            try access.audit.require(actor, .readParticipant, of: id, in: transaction)
        }
        let waiting = try await queue.read { try SQLSubmissionQueue.waiting(in: $0) }
        return try await records.read { transaction in
            try participant(
                id, ConsentRegister().state(of: id, in: transaction),
                suspendedSince: SuspensionRegister().all(in: transaction)[id], waiting: waiting, in: transaction)
        }
    }

    /// - Throws: ``Consumer/ConsumerError`` `participant-unknown`, ``Admission/AdmissionError``
    ///   `participant-deleted`.
    static func requireKnown(_ id: String, in transaction: any SQLTransaction) throws {
        try AdmissionError.refuseDeleted(id, in: transaction)
        guard try ParticipantDeletion.isKnown(id, in: transaction) else {
            throw ConsumerError.participantUnknown
        }
    }

    private func participant(
        _ id: String, _ state: ConsentState, suspendedSince: Date?, waiting: [String: [SubmissionStatus: Int]],
        in transaction: any SQLTransaction
    ) throws -> StudyParticipant {
        // Waiting submissions of a device that belongs to another participant now are theirs.
        let enrolmentIDs = try access.stretches(of: id, in: transaction).filter { $0.until == nil }.map(\.enrolmentID)
        func count(_ statuses: Set<SubmissionStatus>) -> Int {
            enrolmentIDs.reduce(0) { total, enrolmentID in
                total + (waiting[enrolmentID] ?? [:]).reduce(0) { $0 + (statuses.contains($1.key) ? $1.value : 0) }
            }
        }
        let facts = try WarehouseQuery().factCounts(of: id, in: transaction)
        return StudyParticipant(
            id: id, consent: state.gateState, since: state.newest?.signedAt, withdrawnAt: state.withdrawnAt,
            suspendedSince: suspendedSince, sharing: state.sharing, includes: state.includedHealthData.sorted(),
            devices: try EnrolmentStore.bindings(of: id, in: transaction),
            records: try RecordStore().counts(about: id, in: transaction),
            facts: facts.facts, modifiers: facts.modifiers, waiting: count([.received, .held]),
            quarantined: count([.quarantined]),
            lastSeen: try RecordStatistics().lastSeen(id, in: transaction))
    }
}
