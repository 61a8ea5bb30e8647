import AccessPolicy
import Audit
import Enrolments
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Submissions
import Warehouse
import Wire

/// Runs one leased submission through the pipeline: decrypt, parse, consent gate, convert, record, load. The outcome is
/// stored in the same transaction; the caller settles the queue afterwards.
package struct SubmissionProcessor: Sendable {
    /// Settings of the study for the processor.
    package struct Study: Sendable {
        /// C3-PRO content that the study accepts.
        package let c3pro: C3PROAcceptance
        package let maximumResources: Int
        /// Strictness of FHIR validation.
        package let validation: SubmissionValidation
        /// Handling of identifying data.
        package let identifyingData: IdentifyingDataHandling
        /// Seconds for which data is held after a withdrawal before it is refused.
        package let withdrawalGrace: TimeInterval
        /// Rules for unsigned submissions and invitations.
        package let signatures: SignaturePolicy
        /// Access to the store of links.
        package let links: LinkIntake
        /// Base URLs of the FHIR API, without a trailing slash; empty if its address is unknown.
        package let ownBases: [String]
        /// Returns the published files of the study; called for each submission, because files may be added at runtime.
        package let published: @Sendable () async -> PublishedStudy

        package init(
            c3pro: C3PROAcceptance, maximumResources: Int, validation: SubmissionValidation,
            identifyingData: IdentifyingDataHandling = .quarantine, withdrawalGrace: TimeInterval = 0,
            signatures: SignaturePolicy, links: LinkIntake = .none, ownBases: [String] = [],
            published: @escaping @Sendable () async -> PublishedStudy
        ) {
            self.c3pro = c3pro
            self.maximumResources = maximumResources
            self.validation = validation
            self.identifyingData = identifyingData
            self.withdrawalGrace = withdrawalGrace
            self.signatures = signatures
            self.links = links
            self.ownBases = ownBases
            self.published = published
        }
    }

    /// Database of the records.
    let database: any SQLDatabase
    let access: EnrolmentStore
    let records: RecordStore
    let loader: WarehouseLoader
    let openers: KeyOpenerCache
    let study: Study
    let clock: @Sendable () -> Date
    let gate = ConsentGate()
    let register = ConsentRegister()
    let suspensions = SuspensionRegister()
    let outcomeStore = OutcomeStore()
    let messages = DeviceMessages()
    /// Opens and converts messages, which may take long, outside of the threads that answer requests and at a lower
    /// priority than recording.
    private let executor = BackgroundExecutor()
    /// Commits submissions, possibly of several devices together.
    let recording: GroupedWriter

    package init(
        database: any SQLDatabase, access: EnrolmentStore, records: RecordStore, loader: WarehouseLoader,
        openers: KeyOpenerCache, study: Study, clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        recording = GroupedWriter(database: database)
        self.access = access
        self.records = records
        self.loader = loader
        self.openers = openers
        self.study = study
        self.clock = clock
    }

    /// Content of a submission that was read ahead, with the sender's state at that time.
    package struct PreparedSubmission: Sendable {
        let content: SubmissionContent
        let sender: SenderState
    }

    /// Reads a submission while the previous one is still being recorded.
    ///
    /// - Returns: nil if there is nothing to read, or after a temporary error, which
    ///   ``process(_:prepared:stillHeld:)`` reports.
    package func prepare(_ submission: QueuedSubmission) async -> PreparedSubmission? {
        let published = await study.published()
        guard let first = try? await beginning(of: submission, published), first.outcome == nil,
            let opener = try? await openers.opener()
        else { return nil }
        return PreparedSubmission(
            content: await content(of: submission, opener: opener, published: published, sender: first.sender),
            sender: first.sender)
    }

    /// Deallocates the results of recorded submissions off the caller's thread: hundreds of resources take
    /// milliseconds.
    func release(_ prepared: [PreparedSubmission]) {
        executor.release(prepared)
    }

    /// Processes a submission.
    ///
    /// - Parameters:
    ///   - prepared: result of ``prepare(_:)``. It is valid only if the sender's state is still the same, because
    ///     earlier submissions may have changed the consent.
    ///   - stillHeld: whether the caller still holds the submission's lease; called before anything is recorded.
    /// - Returns: the outcome, to be settled in the queue; nil if the lease was lost.
    /// - Throws: only temporary errors (the database is full or locked, the keys are missing): the submission stays in
    ///   the queue.
    package func process(
        _ submission: QueuedSubmission, prepared: PreparedSubmission? = nil,
        stillHeld: @Sendable () async throws -> Bool = { true }
    ) async throws -> SubmissionOutcome? {
        // 1. Return the outcome if an earlier process recorded it but ended before it settled the queue.
        let published = await study.published()
        let first = try await beginning(of: submission, published)
        if let outcome = first.outcome { return outcome }
        // 2. Open, parse, apply the early part of the gate, convert: without a transaction. Only the early outcome
        //    depends on stored data, and the transaction decides it again.
        let opener = try await openers.opener()
        let content: SubmissionContent
        if let prepared, prepared.sender == first.sender {
            content = prepared.content
        } else {
            content = await self.content(
                of: submission, opener: opener, published: published, sender: first.sender)
        }
        guard try await stillHeld() else { return nil }
        // 3. Decide and record in one transaction.
        var links = LinkIntake.Access.none
        switch content.result {
        case .ready(let incoming, _): try await ensureConcepts(of: incoming)
        case .link: links = await study.links.access()
        case .settled, .deletions: break
        }
        do {
            let outcome = try await decide(content, of: submission, links: links, published: published)
            await links.close()
            return outcome
        } catch {
            await links.close()
            throw error
        }
    }

    /// Decides about a submission that was read, records it, and stores its outcome.
    private func decide(
        _ content: SubmissionContent, of submission: QueuedSubmission, links: LinkIntake.Access,
        published: PublishedStudy
    ) async throws -> SubmissionOutcome {
        let body: @Sendable (any SQLTransaction) throws -> SubmissionOutcome = { transaction in
            try decide(content, of: submission, links: links, published: published, in: transaction)
        }
        // A link is also recorded in a separate store, so it needs a transaction of its own.
        if case .link = content.result { return try await database.write(body) }
        return try await recording.write(body)
    }

    /// The same in the caller's transaction.
    func decide(
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
            let participant = try access.participant(ofDevice: submission.deviceQueue, in: transaction)
        {
            try suspensions.suspend(participant, because: submission, at: clock(), in: transaction)
        }
        try outcomeStore.record(outcome, of: submission, at: clock(), in: transaction)
        if outcome.status == .held, try isAcceptedUnsigned(content, submission, in: transaction) {
            try outcomeStore.recordHeldUnsigned(outcome, of: submission, at: clock(), in: transaction)
        }
        return outcome
    }

    /// Returns what is known before a submission is read: its recorded outcome, and the state of its sender.
    private func beginning(
        of submission: QueuedSubmission, _ published: PublishedStudy
    ) async throws -> (outcome: SubmissionOutcome?, sender: SenderState) {
        try await database.read { try beginning(of: submission, published, in: $0) }
    }

    /// The same in the caller's transaction.
    func beginning(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> (outcome: SubmissionOutcome?, sender: SenderState) {
        (
            outcome: try outcomeStore.outcome(of: submission, in: transaction),
            sender: try senderState(of: submission, published, in: transaction)
        )
    }

    private func content(
        of submission: QueuedSubmission, opener: OpenSSLKeyOpener, published: PublishedStudy, sender: SenderState
    ) async -> SubmissionContent {
        await executor.run { read(submission, opener: opener, published: published, sender: sender) }
    }

    /// Writes new concepts in a separate transaction, which keeps the recording one short.
    func ensureConcepts(of incoming: [IncomingResource]) async throws {
        let entries = incoming.map(\.entry)
        let isComplete = try await database.read { try loader.hasConcepts(of: entries, in: $0) }
        guard !isComplete else { return }
        let at = clock()
        try await database.write { try loader.ensureConcepts(of: entries, at: at, in: $0) }
    }

    // MARK: - Without a transaction

    /// Content of a submission, as far as it could be read.
    struct SubmissionContent: Sendable {
        enum Result: Sendable {
            case settled(SubmissionOutcome)
            case ready([IncomingResource], keyID: String)
            /// Ids of Observations to delete.
            case deletions([String], keyID: String)
            /// A link to a record of the site, as a compact JWS that is not verified yet.
            case link(Data, keyID: String)
        }

        var result: Result
        var mayBeWithdrawal: Bool
        /// Participants in the resources, as far as they could be parsed.
        var subjects: Set<String> = []
        /// The device's signature, not verified yet; nil if the submission is unsigned or cannot be opened.
        var signature: SubmissionSignature?
        /// Whether the envelope was opened.
        var isOpened = true
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

    /// State of the sender before the message is read.
    struct SenderState: Sendable, Hashable {
        let participant: String?
        let context: ConsentContext
    }

    private func senderState(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SenderState {
        guard let participant = try access.participant(ofDevice: submission.deviceQueue, in: transaction) else {
            return SenderState(participant: nil, context: .init(state: .none))
        }
        let state = try register.state(of: participant, in: transaction)
        return SenderState(
            participant: participant,
            context: try consentContext(of: participant, state, published, in: transaction))
    }

    private func read(
        _ submission: QueuedSubmission, opener: OpenSSLKeyOpener, published: PublishedStudy, sender: SenderState
    ) -> SubmissionContent {
        let isMarked = submission.resourceTypeHint == Consent.resourceType
        // 1. Open.
        let opened: OpenedEnvelope
        do {
            opened = try OpenedEnvelope.open(submission.body, with: opener)
        } catch {
            if let unknown = opener.unknownKeys(of: submission.body) {
                return SubmissionContent(
                    result: .settled(Self.unknownKey(unknown)), mayBeWithdrawal: isMarked, isOpened: false)
            }
            var unread = quarantined(error, mayBeWithdrawal: isMarked)
            unread.isOpened = false
            return unread
        }
        // 2. Parse. From here on, the content is what the device sealed, signed or unsigned.
        var content =
            opened.contentType == .link
            ? linkContent(opened, in: sender.context, isMarked: isMarked)
            : documentContent(
                opened, of: submission, published: published, sender: sender, isMarked: isMarked)
        content.signature = opened.signature
        return content
    }

    private func quarantined(_ error: any Error, mayBeWithdrawal: Bool, keyID: String? = nil) -> SubmissionContent {
        let problem = Self.problem(from: error)
        return SubmissionContent(
            result: .settled(
                SubmissionOutcome(
                    status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)),
            mayBeWithdrawal: mayBeWithdrawal)
    }

    /// Parses the opened payload, applies the early part of the gate, and converts it.
    private func documentContent(
        _ opened: OpenedEnvelope, of submission: QueuedSubmission, published: PublishedStudy, sender: SenderState,
        isMarked: Bool
    ) -> SubmissionContent {
        let reader = SubmissionReader(
            maximumResources: study.maximumResources, validation: study.validation,
            answers: AnswerValidation(strictness: study.validation.strictness, acceptsC3PRO: study.c3pro.isAccepted),
            contracts: ContractValidation(c3pro: study.c3pro), identifyingData: study.identifyingData,
            ownBases: study.ownBases)
        let documents: [ParsedDocument]
        do {
            documents = try reader.parse(opened)
        } catch {
            return quarantined(
                error, mayBeWithdrawal: isMarked || ConsentSignal.isMarked(opened.payload), keyID: opened.keyID)
        }
        let mayBeWithdrawal = documents.contains { ConsentSignal.mayBeWithdrawal($0.resource) }
        let subjects = documents.reduce(into: Set<String>()) { $0.formUnion($1.owners.patients) }
        if documents.contains(where: SubmissionDeletions.isMeant) {
            do throws(SubmissionProblem) {
                let ids = try SubmissionDeletions.ids(in: documents, limit: study.maximumResources)
                return SubmissionContent(
                    result: .deletions(ids, keyID: opened.keyID), mayBeWithdrawal: mayBeWithdrawal, subjects: subjects)
            } catch {
                var content = quarantined(error, mayBeWithdrawal: mayBeWithdrawal, keyID: opened.keyID)
                content.subjects = subjects
                return content
            }
        }
        // 3. Apply the early part of the gate, to skip the conversion of data that is not admitted now.
        if let early = earlyOutcome(documents, sender, keyID: opened.keyID) {
            return SubmissionContent(result: .settled(early), mayBeWithdrawal: mayBeWithdrawal, subjects: subjects)
        }
        // 4. Convert and check.
        do {
            let incoming = try reader.convert(documents, of: opened, submission: submission, published: published)
            return SubmissionContent(
                result: .ready(incoming, keyID: opened.keyID), mayBeWithdrawal: mayBeWithdrawal,
                subjects: subjects.union(incoming.map(\.subject)))
        } catch {
            var content = quarantined(error, mayBeWithdrawal: mayBeWithdrawal, keyID: opened.keyID)
            content.subjects = subjects
            return content
        }
    }

    /// Returns the outcome that any data has in the sender's state; nil if it is admitted or may change the consent.
    private func earlyOutcome(
        _ documents: [ParsedDocument], _ sender: SenderState, keyID: String
    ) -> SubmissionOutcome? {
        let changesConsent = documents.contains {
            [Contract.resourceType, Consent.resourceType].contains($0.resource.resourceType)
        }
        guard !changesConsent else { return nil }
        let decision = gate.decide(.data, in: sender.context)
        return Self.outcome(of: decision, keyID: keyID)
    }

    private static func unknownKey(_ keyIDs: [String]) -> SubmissionOutcome {
        SubmissionOutcome(
            status: .held, reasonCode: "key-unknown",
            detail: """
                It is sealed to \(keyIDs.joined(separator: ", ")), which is not in keys/. Restore that key's file from \
                the copies of the keys (`tributary keys drill --keys COPY` reports whether one opens it); it is then processed.
                """)
    }

    /// Returns the outcome for a decision of the gate; nil if it is to be admitted.
    static func outcome(of decision: ConsentGate.Decision, keyID: String) -> SubmissionOutcome? {
        switch decision {
        case .admit: nil
        case .hold(let requirement):
            SubmissionOutcome(
                status: .held, reasonCode: requirement.code, detail: requirement.sentence, keyID: keyID,
                heldUntil: requirement.until)
        case .refuse(let reason):
            SubmissionOutcome(status: .refused, reasonCode: reason.rawValue, detail: reason.sentence, keyID: keyID)
        case .quarantine(let reason):
            SubmissionOutcome(status: .quarantined, reasonCode: reason.rawValue, detail: reason.sentence, keyID: keyID)
        }
    }

    static func problem(from error: any Error) -> SubmissionProblem {
        switch error {
        case let problem as SubmissionProblem: problem
        case let error as any CodedError: SubmissionProblem(error.code, error.message)
        default: SubmissionProblem("submission-unreadable", "The submission cannot be read.")
        }
    }
}

extension ConsentGate.Requirement {
    fileprivate var until: Date? {
        if case .endOfGrace(let date) = self { date } else { nil }
    }
}
