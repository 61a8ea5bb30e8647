import FHIR
import Foundation
import InformedConsent
import Records
import Storage
import Trust
import Warehouse
import Wire

/// Takes one leased submission through the house: opened, read, gated, converted, recorded and loaded. What became of it
/// is noted in the transaction that records it; the queue is settled by the caller, after.
public struct SubmissionProcessor: Sendable {
    /// The settings of the study that the processor needs.
    public struct Study: Sendable {
        /// What is taken of C3-PRO's apps.
        public let c3pro: C3PROAcceptance
        public let maximumResources: Int
        /// How strictly FHIR is taken.
        public let validation: SubmissionValidation
        /// What becomes of data that tells who a person is.
        public let identifyingData: IdentifyingDataHandling
        /// How long what comes after a withdrawal is held before it is refused, in seconds.
        public let withdrawalGrace: TimeInterval
        /// What may come unsigned, and who may begin.
        public let signatures: SignaturePolicy
        /// Where links to records of the site are looked up.
        public let links: LinkIntake
        /// The base URLs of the FHIR API, without a last slash; none where its address is not known.
        public let ownBases: [String]
        /// The published files of the study; asked for at each submission, for files may be added while it runs.
        public let published: @Sendable () async -> PublishedStudy

        public init(
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

    /// The records' store.
    let database: any SQLDatabase
    let access: AccessControl
    let records: RecordStore
    let loader: WarehouseLoader
    let openers: KeyOpenerCache
    let study: Study
    let clock: @Sendable () -> Date
    let gate = ConsentGate()
    let register = ConsentRegister()
    let suspensions = SuspensionRegister()
    let settlements = SettlementRegister()
    let messages = DeviceMessages()
    /// Opening and converting a large message takes long: beside the threads that answer requests, and behind what is recorded.
    private let executor = BackgroundExecutor()
    /// Commits what devices sent, of several of them together.
    let recording: GroupedWriter

    public init(
        database: any SQLDatabase, access: AccessControl, records: RecordStore, loader: WarehouseLoader,
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

    /// A submission that was read before its turn, and where its sender stood then.
    public struct ReadAhead: Sendable {
        let reading: Reading
        let standing: Standing
    }

    /// Reads a submission while the one before it is still being recorded.
    ///
    /// - Returns: nil where there is nothing to read, or a passing reason that its own turn will tell.
    public func readAhead(_ submission: QueuedSubmission) async -> ReadAhead? {
        let published = await study.published()
        guard let first = try? await beginning(of: submission, published), first.outcome == nil,
            let opener = try? await openers.opener()
        else { return nil }
        return ReadAhead(
            reading: await reading(of: submission, opener, published, first.standing),
            standing: first.standing)
    }

    /// Lets go of what was read of submissions that were recorded: hundreds of resources take milliseconds for which the next
    /// ones need not wait.
    func release(_ readings: [ReadAhead]) {
        executor.release(readings)
    }

    /// Handles a submission.
    ///
    /// - Parameters:
    ///   - ahead: what was read of it before its turn. It counts while its sender stands where they stood then: what came
    ///     before it may have changed the consent.
    ///   - stillHeld: asked before anything is recorded: whether the submission is still leased by the caller.
    /// - Returns: what became of it, to be settled in the queue; nil where somebody else has it by now.
    /// - Throws: only for passing reasons (the database is full or locked, the keys are away): the submission stays where
    ///   it is.
    public func process(
        _ submission: QueuedSubmission, readAhead ahead: ReadAhead? = nil,
        stillHeld: @Sendable () async throws -> Bool = { true }
    ) async throws -> SubmissionOutcome? {
        // 1. Recorded already, and the process ended before the queue was told?
        let published = await study.published()
        let first = try await beginning(of: submission, published)
        if let outcome = first.outcome { return outcome }
        // 2. Open, read, ask the cheap part of the gate, convert: without a transaction, for nothing here depends on what
        // is stored but that early answer, which the transaction gives again.
        let opener = try await openers.opener()
        let reading: Reading
        if let ahead, ahead.standing == first.standing {
            reading = ahead.reading
        } else {
            reading = await self.reading(of: submission, opener, published, first.standing)
        }
        guard try await stillHeld() else { return nil }
        // 3. Decide and perform in one transaction.
        var links = LinkIntake.Access.none
        switch reading.result {
        case .ready(let incoming, _): try await ensureConcepts(of: incoming)
        case .link: links = await study.links.access()
        case .settled, .deletions: break
        }
        do {
            let outcome = try await decide(reading, submission, links, published)
            await links.close()
            return outcome
        } catch {
            await links.close()
            throw error
        }
    }

    /// Decides about a submission that was read, performs it, and notes what became of it.
    private func decide(
        _ reading: Reading, _ submission: QueuedSubmission, _ links: LinkIntake.Access, _ published: PublishedStudy
    ) async throws -> SubmissionOutcome {
        let body: @Sendable (any SQLTransaction) throws -> SubmissionOutcome = { transaction in
            try decide(reading, submission, links, published, in: transaction)
        }
        // A link is noted in a store of its own as well, which no other transaction may end with.
        if case .link = reading.result { return try await database.write(body) }
        return try await recording.write(body)
    }

    /// The same in the caller's transaction.
    func decide(
        _ reading: Reading, _ submission: QueuedSubmission, _ links: LinkIntake.Access, _ published: PublishedStudy,
        in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        if let refusal = try refusal(of: reading, submission, in: transaction) { return refusal }
        let outcome: SubmissionOutcome
        var isForged = false
        switch reading.result {
        case .settled(let early):
            let sender = try sender(of: reading, submission, in: transaction)
            isForged = sender.isForged
            outcome = try sender.outcome(early) ?? noted(sender, of: submission, early, in: transaction)
        case .ready(let incoming, let keyID):
            outcome = try perform(
                incoming, of: submission, signature: reading.signature, keyID: keyID, published: published,
                in: transaction)
            isForged = outcome.reasonCode?.hasPrefix("signature-") ?? false
        case .deletions(let ids, let keyID):
            outcome = try delete(
                ids, as: submission, signature: reading.signature, keyID: keyID, published: published, in: transaction)
        case .link(let compact, let keyID):
            outcome = try link(
                compact, of: submission, signature: reading.signature, keyID: keyID, links: links,
                published: published, in: transaction)
            isForged = outcome.reasonCode?.hasPrefix("signature-") ?? false
        }
        // What may have said "no more" and was not heard suspends the device's own participant, nobody else: not what is
        // known to be somebody else's word.
        if reading.maySayNoMore, !isForged, outcome.status != .stored,
            let participant = try access.participant(ofDevice: submission.lane, in: transaction)
        {
            try suspensions.suspend(participant, because: submission, at: clock(), in: transaction)
        }
        try settlements.note(outcome, of: submission, at: clock(), in: transaction)
        if outcome.status == .held, try isTakenUnsigned(reading, submission, in: transaction) {
            try settlements.noteHeldUnsigned(outcome, of: submission, at: clock(), in: transaction)
        }
        return outcome
    }

    /// Returns what is known before a submission is read: the outcome that was recorded of it, and the standing of its
    /// sender.
    private func beginning(
        of submission: QueuedSubmission, _ published: PublishedStudy
    ) async throws -> (outcome: SubmissionOutcome?, standing: Standing) {
        try await database.read { try beginning(of: submission, published, in: $0) }
    }

    /// The same in the caller's transaction.
    func beginning(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> (outcome: SubmissionOutcome?, standing: Standing) {
        (
            outcome: try settlements.outcome(of: submission, in: transaction),
            standing: try standing(of: submission, published, in: transaction)
        )
    }

    private func reading(
        of submission: QueuedSubmission, _ opener: OpenSSLKeyOpener, _ published: PublishedStudy, _ standing: Standing
    ) async -> Reading {
        await executor.run { read(submission, opener, published, standing) }
    }

    /// New concepts are written in a transaction of their own, so that the one that records is short.
    func ensureConcepts(of incoming: [IncomingResource]) async throws {
        let entries = incoming.map(\.entry)
        let isComplete = try await database.read { try loader.hasConcepts(of: entries, in: $0) }
        guard !isComplete else { return }
        let at = clock()
        try await database.write { try loader.ensureConcepts(of: entries, at: at, in: $0) }
    }

    // MARK: - Without a transaction

    /// The result of reading a submission.
    struct Reading: Sendable {
        enum Result: Sendable {
            case settled(SubmissionOutcome)
            case ready([IncomingResource], keyID: String)
            /// The ids of Observations that are to be deleted.
            case deletions([String], keyID: String)
            /// A link to a record of the site, as a compact JWS that is not looked into yet.
            case link(Data, keyID: String)
        }

        var result: Result
        var maySayNoMore: Bool
        /// The participants whom it speaks of, as far as it could be parsed.
        var subjects: Set<String> = []
        /// The device's signature, not checked yet; nil for what is unsigned or cannot be opened.
        var signature: SubmissionSignature?
        /// Whether it was opened.
        var isOpened = true
    }

    /// The refusal of what speaks of somebody who was deleted, whoever sent it and however it reads otherwise.
    private func refusal(
        of reading: Reading, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome? {
        let register = DeletionRegister()
        guard try reading.subjects.contains(where: { try register.isDeleted($0, in: transaction) }) else { return nil }
        let outcome = SubmissionOutcome(status: .refused, reasonCode: DeletionRegister.code)
        try settlements.note(outcome, of: submission, at: clock(), in: transaction)
        return outcome
    }

    /// The standing of the sender before the message is looked into.
    struct Standing: Sendable, Hashable {
        let participant: String?
        let situation: ConsentGate.Situation
    }

    private func standing(
        of submission: QueuedSubmission, _ published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> Standing {
        guard let participant = try access.participant(ofDevice: submission.lane, in: transaction) else {
            return Standing(participant: nil, situation: .init(standing: .none))
        }
        let state = try register.state(of: participant, in: transaction)
        return Standing(
            participant: participant, situation: try situation(of: participant, state, published, in: transaction))
    }

    private func read(
        _ submission: QueuedSubmission, _ opener: OpenSSLKeyOpener, _ published: PublishedStudy, _ standing: Standing
    ) -> Reading {
        let isMarked = submission.resourceTypeHint == Consent.resourceType
        // 1. Open.
        let opened: OpenedEnvelope
        do {
            opened = try OpenedEnvelope.open(submission.body, with: opener)
        } catch {
            if let unknown = opener.unknownKeys(of: submission.body) {
                return Reading(result: .settled(Self.unknownKey(unknown)), maySayNoMore: isMarked, isOpened: false)
            }
            var unread = quarantined(error, maySayNoMore: isMarked)
            unread.isOpened = false
            return unread
        }
        // 2. Parse. What is found from here on is found in what the device signed, or did not.
        var read =
            opened.contentType == .link
            ? linkRead(opened, standing.situation, isMarked: isMarked)
            : documentsRead(opened, submission, published, standing, isMarked: isMarked)
        read.signature = opened.signature
        return read
    }

    private func quarantined(_ error: any Error, maySayNoMore: Bool, keyID: String? = nil) -> Reading {
        let problem = Self.problem(from: error)
        return Reading(
            result: .settled(
                SubmissionOutcome(
                    status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)),
            maySayNoMore: maySayNoMore)
    }

    /// Parses what was opened, asks the cheap part of the gate, and converts it.
    private func documentsRead(
        _ opened: OpenedEnvelope, _ submission: QueuedSubmission, _ published: PublishedStudy, _ standing: Standing,
        isMarked: Bool
    ) -> Reading {
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
                error, maySayNoMore: isMarked || ConsentSignal.isMarked(opened.payload), keyID: opened.keyID)
        }
        let maySayNoMore = documents.contains { ConsentSignal.maySayNoMore($0.resource) }
        let subjects = documents.reduce(into: Set<String>()) { $0.formUnion($1.owners.patients) }
        if documents.contains(where: SubmissionDeletions.isMeant) {
            do throws(SubmissionProblem) {
                let ids = try SubmissionDeletions.ids(in: documents, atMost: study.maximumResources)
                return Reading(
                    result: .deletions(ids, keyID: opened.keyID), maySayNoMore: maySayNoMore, subjects: subjects)
            } catch {
                var reading = quarantined(error, maySayNoMore: maySayNoMore, keyID: opened.keyID)
                reading.subjects = subjects
                return reading
            }
        }
        // 3. The cheap part of the gate: what cannot be taken now is not converted.
        if let early = earlyOutcome(documents, standing, keyID: opened.keyID) {
            return Reading(result: .settled(early), maySayNoMore: maySayNoMore, subjects: subjects)
        }
        // 4. Convert and check.
        do {
            let incoming = try reader.convert(documents, of: opened, submission: submission, published: published)
            return Reading(
                result: .ready(incoming, keyID: opened.keyID), maySayNoMore: maySayNoMore,
                subjects: subjects.union(incoming.map(\.subject)))
        } catch {
            var reading = quarantined(error, maySayNoMore: maySayNoMore, keyID: opened.keyID)
            reading.subjects = subjects
            return reading
        }
    }

    /// Returns the outcome that data has by the standing of its sender, whatever it says; nil where it is admitted or
    /// may change the consent.
    private func earlyOutcome(
        _ documents: [ParsedDocument], _ standing: Standing, keyID: String
    ) -> SubmissionOutcome? {
        let changesConsent = documents.contains {
            [Contract.resourceType, Consent.resourceType].contains($0.resource.resourceType)
        }
        guard !changesConsent else { return nil }
        let decision = gate.decide(.data, in: standing.situation)
        return Self.outcome(of: decision, keyID: keyID)
    }

    private static func unknownKey(_ keyIDs: [String]) -> SubmissionOutcome {
        SubmissionOutcome(
            status: .held, reasonCode: "key-unknown",
            detail: """
                It is sealed to \(keyIDs.joined(separator: ", ")), which is not in keys/. Bring that key's file back from where \
                the copies of the keys are (`tributary keys drill --keys COPY` tells whether one opens it): it goes on by itself.
                """)
    }

    /// Returns the outcome of the submission that a decision means; nil where it is admitted.
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
