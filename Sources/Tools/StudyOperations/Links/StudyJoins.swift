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
        return try await stores.withRecords { records in
            let (audit, now) = (AuditLog(database: records, clock: clock), clock())
            return try await records.write { transaction in
                var report = Report()
                for (link, participant) in ordered {
                    let record = PatientJoin.SiteRecord(name: link.record, source: source)
                    let outcome = try PatientJoin().join(participant, with: record, at: now, in: transaction)
                    report.add(outcome)
                    guard outcome == .changed else { continue }
                    try self.record("joined", of: participant, link: link.id, audit, in: transaction)
                }
                return report
            }
        }
    }

    /// Gives the participants who are joined with records of a system their own numbers back.
    ///
    /// - Throws: ``AccessPolicy/AccessError``; ``Storage/StorageError``.
    package func undo(source: String) async throws -> Report {
        try await stores.withRecords { records in
            let (audit, now) = (AuditLog(database: records, clock: clock), clock())
            return try await records.write { transaction in
                var report = Report()
                for participant in try PatientJoin().participants(in: transaction) {
                    let outcome = try PatientJoin().end(participant, source: source, at: now, in: transaction)
                    report.add(outcome)
                    guard outcome == .changed else { continue }
                    try Self.restore(participant, at: now, in: transaction)
                    try self.record("join-ended", of: participant, link: nil, audit, in: transaction)
                }
                return report
            }
        }
    }

    /// Writes the audit row of a change, which names the participant and the link, never the record.
    private func record(
        _ reason: String, of participant: String, link: String?, _ audit: AuditLog, in transaction: any SQLTransaction
    ) throws {
        let target = Target(resourceType: "Link", resourceID: link, subject: participant)
        let decision = audit.decision(actor, action: .createLink, target: target)
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "This account may not join participants with records.")
        }
        try audit.record(
            Decision(allowed: true, reason: reason), by: actor, action: .createLink, target: target, in: transaction)
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
