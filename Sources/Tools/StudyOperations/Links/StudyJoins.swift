import AccessPolicy
import Audit
import Consumer
import FHIR
import Foundation
import RecordStorage
import Storage
import StudyFiles
import Warehouse

/// The joins of linked participants with the same people's records in the site's i2b2.
///
/// A join gives the participant's facts the number of the site's patient. From then on, readers of i2b2 who can identify
/// that patient can identify the participant. Each join, and each end of one, has an audit row.
package struct StudyJoins: Sendable {
    /// The number of participants by result.
    package struct Report: Sendable, Hashable {
        /// Participants with another number than before.
        package var changed = 0
        /// Participants who already had the requested number.
        package var unchanged = 0
        /// Linked participants of whom nothing is loaded yet.
        package var notLoaded = 0

        fileprivate mutating func add(_ outcome: PatientJoin.Outcome) {
            switch outcome {
            case .changed: changed += 1
            case .unchanged: unchanged += 1
            case .notLoaded: notLoaded += 1
            }
        }
    }

    private let stores: StudyStores
    private let actor: Actor
    private let clock: @Sendable () -> Date

    /// - Parameter actor: the account of the machine that joins.
    package init(_ stores: StudyStores, actor: Actor, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.stores = stores
        self.actor = actor
        self.clock = clock
    }

    /// Joins all linked participants with the records of their links, or none.
    ///
    /// - Parameter source: the site's system, as `patient_ide_source` of `patient_mapping` names it.
    /// - Throws: ``Warehouse/WarehouseError`` of ``Warehouse/PatientJoin``; ``ServerError`` `link-ambiguous`;
    ///   ``AccessPolicy/AccessError``; ``Storage/StorageError``.
    package func join(source: String) async throws -> Report {
        let linked = try await StudyLinks(stores, actor: actor, clock: clock).all().filter { $0.participant != nil }
        var pairs: [(link: LinkStore.Link, participant: String)] = []
        for (participant, links) in Dictionary(grouping: linked, by: { $0.participant ?? "" }) {
            guard let first = links.first, links.allSatisfy({ $0.record == first.record }) else {
                throw ServerError(
                    code: "link-ambiguous", message: "The participant \(participant) is linked with several records.")
            }
            pairs.append((first, participant))
        }
        let ordered = pairs.sorted { $0.participant < $1.participant }
        return try await changing { transaction, replica, now in
            var (report, changes): (Report, [Change]) = (Report(), [])
            for (link, participant) in ordered {
                let record = PatientJoin.SiteRecord(name: link.record, source: source)
                let outcome =
                    if let replica {
                        try replica.join(participant, with: record, at: now)
                    } else {
                        try PatientJoin().join(participant, with: record, at: now, in: transaction)
                    }
                report.add(outcome)
                guard outcome == .changed else { continue }
                changes.append(Change(reason: "joined", participant: participant, link: link.id))
            }
            return (report, changes)
        }
    }

    /// Gives the participants who are joined with records of a system their own numbers back.
    ///
    /// - Throws: ``AccessPolicy/AccessError``; ``Storage/StorageError``.
    package func undo(source: String) async throws -> Report {
        try await changing { transaction, replica, now in
            var (report, changes): (Report, [Change]) = (Report(), [])
            let outcomes =
                try replica?.end(ofSystem: source, at: now) ?? Self.end(source, at: now, in: transaction)
            for (participant, outcome) in outcomes {
                report.add(outcome)
                guard outcome == .changed else { continue }
                changes.append(Change(reason: "join-ended", participant: participant))
            }
            return (report, changes)
        }
    }

    /// Ends the joins with records of a system among the records' own tables, or in the same database.
    private static func end(
        _ source: String, at now: Date, in transaction: any SQLTransaction
    ) throws -> [(participant: String, outcome: PatientJoin.Outcome)] {
        try PatientJoin().participants(in: transaction).map { participant in
            let outcome = try PatientJoin().end(participant, source: source, at: now, in: transaction)
            if outcome == .changed { try restore(participant, at: now, in: transaction) }
            return (participant, outcome)
        }
    }

    /// A change, for its audit row.
    private struct Change: Sendable {
        let reason: String
        var participant: String?
        var link: String?
    }

    /// Calls a function in a transaction of the records, and in one of the i2b2 if that is in another database, and
    /// writes the audit rows of its changes.
    ///
    /// The records do not wait for the other database, whose transaction ends before the audit rows are written. A row
    /// from before both says that changes began: it remains if the process stops between the two.
    private func changing(
        _ body: @escaping @Sendable (any SQLTransaction, ReplicaJoins?, Date) throws -> (Report, [Change])
    ) async throws -> Report {
        try await stores.withRecords { records in
            let (audit, now) = (AuditLog(database: records, clock: clock), clock())
            guard case .replicated(let replica) = stores.warehouse else {
                return try await records.write { transaction in
                    let (report, changes) = try body(transaction, nil, now)
                    for change in changes { try record(change, audit, in: transaction) }
                    return report
                }
            }
            // The numbers of all participants are there then.
            try await stores.replicateWarehouse(records)
            try await records.write { try record(Change(reason: "joins-begun"), audit, in: $0) }
            return try await replica.store.open(purpose: .loading).closing { other in
                let (report, changes) = try await records.read { source in
                    try other.writeNested { target in
                        let joins = ReplicaJoins(from: source, to: target)
                        try joins.lock()
                        return try body(source, joins, now)
                    }
                }
                try await records.write { transaction in
                    for change in changes { try record(change, audit, in: transaction) }
                }
                return report
            }
        }
    }

    /// Writes the audit row of a change, which names the participant and the link, never the record.
    private func record(_ change: Change, _ audit: AuditLog, in transaction: any SQLTransaction) throws {
        let target = Target(resourceType: "Link", resourceID: change.link, subject: change.participant)
        let decision = audit.decision(actor, action: .createLink, target: target)
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "This account may not join participants with records.")
        }
        try audit.record(
            Decision(allowed: true, reason: change.reason), by: actor, action: .createLink, target: target,
            in: transaction)
    }

    /// Writes the participant's row of `patient_dimension` again, from the Patient in the records.
    private static func restore(_ participant: String, at now: Date, in transaction: any SQLTransaction) throws {
        guard
            let record = try RecordStore().read(type: Patient.resourceType, id: participant, in: transaction),
            !record.isDeleted
        else { return }
        let received = record.provenance.receivedAt
        let context = LoadContext(
            subject: participant, submissionID: record.provenance.submissionID, receivedAt: received, loadedAt: now)
        let entry = try WarehouseEntry(try record.resource(), id: record.id, form: nil, receivedAt: received)
        try PatientJoin().restore(entry, context: context, in: transaction)
    }
}
