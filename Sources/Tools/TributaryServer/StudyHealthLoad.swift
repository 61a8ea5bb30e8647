import Consumer
import Core
import Crypto
import FHIR
import Foundation
import InformedConsent
import Records
import Storage
import Trust
import Warehouse

/// Loads one participant's health data straight into a study's records and warehouse, without envelope and queue: for
/// sites that have the participant's consent on paper.
///
/// Batches are written one after the other, each in a transaction of its own, while the next is being made. What one run
/// left unfinished, the next makes whole: resources that are stored already are passed over, and the others get the same
/// submission and the same time of receipt.
public actor StudyHealthLoad {
    /// The client that the records name as the sender of the data.
    public static let clientID = "health-load"

    private let database: any SQLDatabase
    private let provenance: RecordProvenance
    private let clock: @Sendable () -> Date
    private var loader: HealthLoader
    private var writing: _Concurrency.Task<(HealthLoader, HealthLoader.Report, AccessControl.LoadEntry?), any Error>?
    private var report = HealthLoader.Report()
    private let access: AccessControl
    /// Who loads what.
    private let actor: Actor
    private let target: Target
    /// The row of the audit; a load that stores nothing has none.
    private var entry: AccessControl.LoadEntry?
    /// Whether the participant's consent was recorded by this load.
    public nonisolated let madeParticipant: Bool
    /// The participant's Patient id.
    public nonisolated let participant: String

    /// Opens the load of one export for one participant.
    ///
    /// - Parameters:
    ///   - export: tells this export from others: the same bytes, the same text.
    ///   - account: who loads, for the audit: a name of the machine's accounts.
    ///   - signedAt: when the participant signed on paper; nil where the site does not say, then the time of the load
    ///     stands for it.
    ///   - mustBeKnown: whether a participant whose consent is not on file is refused.
    /// - Throws: ``ServerError`` `participant-invalid`, `participant-unknown`, `consent-withdrawn`;
    ///   ``Consumer/ConsumerError`` `participant-deleted`.
    public init(
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
            let known = try ConsentRegister().state(of: participant, in: transaction).standing
            try ConsumerError.refuseDeleted(participant, in: transaction)
            guard known != .none || !mustBeKnown else {
                throw ServerError(
                    code: "participant-unknown", message: "No consent of the participant \(participant) is on file.")
            }
            // The consent has a submission of its own: undoing the load must not undo it.
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
                        anew since, say when.
                        """)
            }
        }
        self.participant = participant
        self.database = database
        self.clock = clock
        access = AccessControl(database: database, clock: clock)
        actor = Actor(id: account, role: .site)
        // The print of the export, and never its name.
        target = Target(resourceType: Observation.resourceType, resourceID: export, subject: participant)
        loader = HealthLoader(subject: participant, provenance: provenance)
    }

    /// The submission under which the data is stored: `tributary warehouse undo` takes it.
    public nonisolated var submissionID: String { provenance.submissionID }
    /// When the data came: at the first run of this load.
    public nonisolated var receivedAt: Date { provenance.receivedAt }

    /// Stores a batch. Returns when the one before it is durable; this one is written meanwhile.
    public func store(_ batch: HealthBatch) async throws {
        try await settle()
        guard !batch.isEmpty else { return }
        let (loader, database, clock, entry) = (loader, database, clock, entry)
        let (access, actor, target, earlier) = (access, actor, target, report.changes)
        let subject = participant
        writing = _Concurrency.Task {
            try await database.write { transaction in
                // They may have been deleted since the load began.
                try ConsumerError.refuseDeleted(subject, in: transaction)
                var loader = loader
                let report = try loader.store(batch, at: clock(), in: transaction)
                guard report.hasChanged else { return (loader, report, entry) }
                let amount = earlier + report.changes
                guard let entry else {
                    let begun = try access.beginLoad(actor, target, amount: amount, in: transaction)
                    return (loader, report, begun)
                }
                try access.note(amount, on: entry, in: transaction)
                return (loader, report, entry)
            }
        }
    }

    /// Waits until everything is durable.
    ///
    /// - Returns: what was done.
    public func finish() async throws -> HealthLoader.Report {
        try await settle()
        return report
    }

    private func settle() async throws {
        guard let task = writing else { return }
        writing = nil
        let (next, done, entered) = try await task.value
        loader = next
        entry = entered
        report += done
    }

    private static func submissionID(participant: String, export: String) -> String {
        let digest = SHA256.hash(data: Data("\(participant)\n\(export)".utf8))
        return "health-load:" + Hexadecimal.text(digest.prefix(16))
    }
}

extension HealthLoader.Report {
    /// How many resources were stored, or stored anew.
    fileprivate var changes: Int { resources + revised + devices }
    /// Whether anything was written; facts that were undone come back with resources that are there.
    fileprivate var hasChanged: Bool { changes > 0 || facts > 0 }
}
