import AccessPolicy
import Admission
import Audit
import Enrolments
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import StudyKeys
import Submissions
import Warehouse
import Wire

/// Runs one leased submission through the pipeline: decrypt, parse, consent gate, convert, record, load. The outcome is
/// stored in the same transaction; the caller settles the queue afterwards.
package struct SubmissionProcessor: Sendable {
    /// Database of the records.
    let database: any SQLDatabase
    let access: EnrolmentStore
    let records: RecordStore
    let loader: WarehouseLoader
    let openers: KeyOpenerCache
    /// Rules by which the study admits a resource.
    let admission: StudyAdmission
    /// Rules for unsigned submissions and invitations.
    let signatures: SignaturePolicy
    /// Access to the store of links.
    let links: LinkIntake
    let clock: @Sendable () -> Date
    let outcomeStore = OutcomeStore()
    let messages = DeviceMessages()
    /// Opens and converts messages, which may take long, outside of the threads that answer requests and at a lower
    /// priority than recording.
    private let executor = BackgroundExecutor()
    /// Commits submissions, possibly of several devices together.
    let recording: GroupedWriter

    package init(
        database: any SQLDatabase, access: EnrolmentStore, records: RecordStore, loader: WarehouseLoader,
        openers: KeyOpenerCache, admission: StudyAdmission, signatures: SignaturePolicy, links: LinkIntake = .none,
        clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        recording = GroupedWriter(database: database)
        self.access = access
        self.records = records
        self.loader = loader
        self.openers = openers
        self.admission = admission
        self.signatures = signatures
        self.links = links
        self.clock = clock
    }

    /// Opens, parses and converts a submission without a transaction, also while earlier ones are recorded.
    ///
    /// - Throws: only temporary errors (the database is locked, the keys are missing).
    package func prepare(_ submission: QueuedSubmission) async throws -> PreparedSubmission {
        let published = await admission.published()
        let (outcome, sender) = try await database.read { try beginning(of: submission, published, in: $0) }
        guard outcome == nil else { return PreparedSubmission(submission: submission, sender: sender, content: nil) }
        let opener = try await openers.opener()
        let content = await executor.run {
            read(submission, opener: opener, published: published, sender: sender)
        }
        return PreparedSubmission(submission: submission, sender: sender, content: content)
    }

    /// Deallocates recorded submissions off the caller's thread: hundreds of resources take milliseconds.
    func release(_ prepared: [PreparedSubmission]) {
        executor.release(prepared)
    }

    /// Decides about submissions of one device queue in their order, and records them with their outcomes in one
    /// transaction.
    ///
    /// A preparation is valid while the sender's state is the same. Recording ends before the first submission whose
    /// sender's state has changed, because an earlier one may have changed the consent.
    ///
    /// - Parameter batch: one or more submissions; one that is recorded alone has a batch of its own
    ///   (``PreparedSubmission/isRecordedAlone``).
    /// - Returns: the outcomes of the first submissions, to be settled in the queue. The next one must be prepared again.
    /// - Throws: only temporary errors (the database is full or locked). Then no submission of the batch is recorded.
    package func record(_ batch: [PreparedSubmission]) async throws -> [SubmissionOutcome] {
        let published = await admission.published()
        try await ensureConcepts(of: batch.flatMap(\.incoming))
        // A link is also recorded in a separate store, so it needs a transaction of its own.
        let isAlone = batch.contains(where: \.isRecordedAlone)
        let links = isAlone ? await links.access() : .none
        let body: @Sendable (any SQLTransaction) throws -> [SubmissionOutcome] = { transaction in
            try record(batch, links: links, published: published, in: transaction)
        }
        do {
            let outcomes = try await isAlone ? database.write(body) : recording.write(body)
            await links.close()
            return outcomes
        } catch {
            await links.close()
            throw error
        }
    }

    /// The same in the caller's transaction.
    func record(
        _ batch: [PreparedSubmission], links: LinkIntake.Access, published: PublishedStudy,
        in transaction: any SQLTransaction
    ) throws -> [SubmissionOutcome] {
        var outcomes: [SubmissionOutcome] = []
        for prepared in batch {
            let submission = prepared.submission
            let (recorded, sender) = try beginning(of: submission, published, in: transaction)
            // An earlier process recorded it, and ended before it settled the queue.
            if let recorded {
                outcomes.append(recorded)
                continue
            }
            guard let content = prepared.content, sender == prepared.sender else { break }
            outcomes.append(
                try decide(content, of: submission, links: links, published: published, in: transaction))
        }
        return outcomes
    }

    /// Decides about a submission that was read, records it, and stores its outcome.
    private func decide(
        _ content: SubmissionContent, of submission: QueuedSubmission, links: LinkIntake.Access,
        published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        if let refusal = try refusal(of: content, submission, in: transaction) { return refusal }
        let outcome: SubmissionOutcome
        var isForged = false
        switch content.result {
        case .settled(let early):
            let sender = try sender(of: content, submission, in: transaction)
            isForged = sender.isForged
            outcome =
                try sender.outcome(early)
                ?? recordInChain(sender, of: submission, outcome: early, in: transaction)
        case .ready(let incoming, let keyID):
            outcome = try perform(
                incoming, of: submission, signature: content.signature, keyID: keyID, published: published,
                in: transaction)
            isForged = outcome.reasonCode?.hasPrefix("signature-") ?? false
        case .deletions(let ids, let keyID):
            outcome = try delete(
                ids, as: submission, signature: content.signature, keyID: keyID, published: published, in: transaction)
        case .link(let compact, let keyID):
            outcome = try link(
                compact, of: submission, signature: content.signature, keyID: keyID, links: links,
                published: published, in: transaction)
            isForged = outcome.reasonCode?.hasPrefix("signature-") ?? false
        }
        // A possible withdrawal that is not admitted suspends the device's own participant and no one else, unless it
        // is known to be forged.
        if content.mayBeWithdrawal, !isForged, outcome.status != .stored,
            let participant = try access.participant(ofDevice: submission.enrolmentID, in: transaction)
        {
            try admission.suspensions.suspend(participant, because: submission, at: clock(), in: transaction)
        }
        try outcomeStore.record(outcome, of: submission, at: clock(), in: transaction)
        if outcome.status == .held, try isAcceptedUnsigned(content, submission, in: transaction) {
            try outcomeStore.recordHeldUnsigned(outcome, of: submission, at: clock(), in: transaction)
        }
        return outcome
    }

    /// Returns what is known before a submission is read: its recorded outcome, and the state of its sender.
    private func beginning(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> (outcome: SubmissionOutcome?, sender: SenderState) {
        (
            outcome: try outcomeStore.outcome(of: submission, in: transaction),
            sender: try senderState(of: submission, published, in: transaction)
        )
    }

    /// Writes new concepts in a separate transaction, which keeps the recording one short.
    private func ensureConcepts(of incoming: [IncomingResource]) async throws {
        guard !incoming.isEmpty else { return }
        let entries = incoming.map(\.entry)
        let isComplete = try await database.read { try loader.hasConcepts(of: entries, in: $0) }
        guard !isComplete else { return }
        let at = clock()
        try await database.write { try loader.ensureConcepts(of: entries, at: at, in: $0) }
    }

    /// Returns a refusal if the submission concerns a deleted participant, regardless of its sender and other content.
    private func refusal(
        of content: SubmissionContent, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome? {
        let register = DeletionRegister()
        guard try content.subjects.contains(where: { try register.isDeleted($0, in: transaction) }) else { return nil }
        let outcome = SubmissionOutcome(status: .refused, reasonCode: DeletionRegister.code)
        try outcomeStore.record(outcome, of: submission, at: clock(), in: transaction)
        return outcome
    }

    private func senderState(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SenderState {
        guard let participant = try access.participant(ofDevice: submission.enrolmentID, in: transaction) else {
            return SenderState(participant: nil, context: .init(state: .none))
        }
        let state = try admission.register.state(of: participant, in: transaction)
        return SenderState(
            participant: participant,
            context: try admission.consentContext(
                of: participant, state, in: published, transaction: transaction))
    }
}
