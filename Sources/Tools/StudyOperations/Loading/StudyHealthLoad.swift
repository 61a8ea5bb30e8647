import AccessPolicy
import Admission
import Audit
import Consumer
import Core
import Crypto
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import StudyFiles
import Warehouse

/// Loads one participant's health data directly into a study's records and warehouse, without envelope and queue. For
/// sites that have the participant's consent on paper.
///
/// Batches are written in sequence, each in a transaction of its own, while the next is made. A new run completes an
/// interrupted one: stored resources are skipped, and the others get the same submission and the same time of receipt.
package actor StudyHealthLoad {
    /// The client that the records name as the sender of the data.
    package static let clientID = "health-load"

    private let database: any SQLDatabase
    private let provenance: RecordProvenance
    private let clock: @Sendable () -> Date
    private var loader: HealthLoader
    private var writing: _Concurrency.Task<(HealthLoader, HealthLoader.Report), any Error>?
    private var report = HealthLoader.Report()
    private let audit: AuditLog
    /// The actor of the load.
    private let actor: Actor
    private let target: Target
    /// Whether this load recorded the participant's consent.
    package nonisolated let madeParticipant: Bool
    /// The participant's Patient id.
    package nonisolated let participant: String

    /// Begins the load of one export for one participant.
    ///
    /// - Parameters:
    ///   - export: the fingerprint of the export.
    ///   - account: the account of the machine that loads, for the audit.
    ///   - signedAt: the time at which the participant signed on paper; nil for the time of the load.
    ///   - mustBeKnown: whether a participant without a recorded consent is refused.
    /// - Throws: ``ServerError`` `participant-invalid`, `participant-unknown`, `consent-withdrawn`;
    ///   ``Admission/AdmissionError`` `participant-deleted`.
    package init(
        participant: String, export: String, account: String, signedAt: DateTime?, mustBeKnown: Bool,
        database: any SQLDatabase,
        clock: @escaping @Sendable () -> Date
    ) async throws {
        guard Resource.isID(participant) else {
            throw ServerError(
                code: "participant-invalid",
                message: "The participant is named by the id of their Patient: up to 64 letters, digits, - and .")
        }
        let now = clock()
        let submission = Self.submissionID(participant: participant, export: export)
        (provenance, madeParticipant) = try await database.write { transaction in
            let received = try RecordStore().received(submissionID: submission, in: transaction)
            let provenance = RecordProvenance(
                submissionID: submission, clientID: Self.clientID, keyID: nil, receivedAt: received ?? now)
            let known = try ConsentRegister().state(of: participant, in: transaction).gateState
            try AdmissionError.refuseDeleted(participant, in: transaction)
            guard known != .none || !mustBeKnown else {
                throw ServerError(
                    code: "participant-unknown", message: "No consent of the participant \(participant) is recorded.")
            }
            // The consent has its own submission, so that undoing the load does not undo the consent.
            let consent = PaperConsent(
                subject: participant, signedAt: signedAt ?? DateTime(now, milliseconds: false),
                provenance: RecordProvenance(
                    submissionID: "paper-consent:" + participant, clientID: Self.clientID, keyID: nil, receivedAt: now))
            switch try consent.record(isRenewal: signedAt != nil, at: now, in: transaction) {
            case .wasConsented: return (provenance, false)
            case .recorded: return (provenance, true)
            case .isWithdrawn:
                throw ServerError(
                    code: "consent-withdrawn",
                    message: """
                        The participant \(participant) has withdrawn their consent; nothing is stored. If they signed \
                        again since then, give the date.
                        """)
            }
        }
        self.participant = participant
        self.database = database
        self.clock = clock
        audit = AuditLog(database: database, clock: clock)
        actor = Actor(id: account, role: .site)
        // The fingerprint of the export, never its name.
        target = Target(resourceType: Observation.resourceType, resourceID: export, subject: participant)
        loader = HealthLoader(subject: participant, provenance: provenance)
    }

    /// The submission of the stored data, for `tributary warehouse undo`.
    package nonisolated var submissionID: String { provenance.submissionID }
    /// The time of receipt: that of the first run of this load.
    package nonisolated var receivedAt: Date { provenance.receivedAt }

    /// Stores a batch. Returns when the previous batch is durable; this one is written in the background.
    package func store(_ batch: HealthBatch) async throws {
        try await settle()
        guard !batch.isEmpty else { return }
        let (loader, database, clock) = (loader, database, clock)
        let (audit, actor, target) = (audit, actor, target)
        let subject = participant
        writing = _Concurrency.Task {
            try await database.write { transaction in
                // The participant may have been deleted since the load began.
                try AdmissionError.refuseDeleted(subject, in: transaction)
                var loader = loader
                let report = try loader.store(batch, at: clock(), in: transaction)
                if report.hasChanged {
                    try audit.recordLoad(actor, target, amount: report.changes, in: transaction)
                }
                return (loader, report)
            }
        }
    }

    /// Waits until everything is durable.
    ///
    /// - Returns: the report of the load.
    package func finish() async throws -> HealthLoader.Report {
        try await settle()
        return report
    }

    private func settle() async throws {
        guard let task = writing else { return }
        writing = nil
        let (next, done) = try await task.value
        loader = next
        report += done
    }

    private static func submissionID(participant: String, export: String) -> String {
        let digest = SHA256.hash(data: Data("\(participant)\n\(export)".utf8))
        return "health-load:" + Hexadecimal.text(digest.prefix(16))
    }
}

extension HealthLoader.Report {
    /// The number of resources that were stored or changed.
    fileprivate var changes: Int { resources + revised + devices }
    /// Whether anything was written. Undone facts are written again even if their resources exist.
    fileprivate var hasChanged: Bool { changes > 0 || facts > 0 }
}
