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
        /// Whether contracts of C3-PRO's apps count, which name no template.
        public let acceptsC3PRO: Bool
        public let maximumResources: Int
        /// How strictly FHIR is taken.
        public let validation: SubmissionValidation
        /// How long what comes after a withdrawal is held before it is refused, in seconds.
        public let withdrawalGrace: TimeInterval
        /// The published files of the study; asked for at each submission, for files may be added while it runs.
        public let published: @Sendable () async -> PublishedStudy

        public init(
            acceptsC3PRO: Bool, maximumResources: Int, validation: SubmissionValidation,
            withdrawalGrace: TimeInterval = 0, published: @escaping @Sendable () async -> PublishedStudy
        ) {
            self.acceptsC3PRO = acceptsC3PRO
            self.maximumResources = maximumResources
            self.validation = validation
            self.withdrawalGrace = withdrawalGrace
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
    private let heavyWork = HeavyWork()

    public init(
        database: any SQLDatabase, access: AccessControl, records: RecordStore, loader: WarehouseLoader,
        openers: KeyOpenerCache, study: Study, clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.access = access
        self.records = records
        self.loader = loader
        self.openers = openers
        self.study = study
        self.clock = clock
    }

    /// A submission that was read before its turn, and where its sender stood then.
    public struct ReadAhead: Sendable {
        fileprivate let reading: Reading
        fileprivate let standing: Standing
    }

    /// Reads a submission while the one before it is still being recorded.
    ///
    /// - Returns: nil where there is nothing to read, or a passing reason that its own turn will tell.
    public func readAhead(_ submission: QueuedSubmission) async -> ReadAhead? {
        guard let first = try? await beginning(of: submission), first.outcome == nil,
            let opener = try? await openers.opener()
        else { return nil }
        return ReadAhead(
            reading: await reading(of: submission, opener, await study.published(), first.standing),
            standing: first.standing)
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
        let first = try await beginning(of: submission)
        if let outcome = first.outcome { return outcome }
        // 2. Open, read, ask the cheap part of the gate, convert: without a transaction, for nothing here depends on what
        // is stored but that early answer, which the transaction gives again.
        let opener = try await openers.opener()
        let published = await study.published()
        let reading: Reading
        if let ahead, ahead.standing == first.standing {
            reading = ahead.reading
        } else {
            reading = await self.reading(of: submission, opener, published, first.standing)
        }
        guard try await stillHeld() else { return nil }
        // 3. Decide and perform in one transaction.
        if case .ready(let incoming, _) = reading.result {
            try await ensureConcepts(of: incoming)
        }
        return try await database.write { transaction in
            let outcome: SubmissionOutcome
            switch reading.result {
            case .settled(let early): outcome = early
            case .ready(let incoming, let keyID):
                outcome = try perform(
                    incoming, of: submission, keyID: keyID, published: published, in: transaction)
            }
            // 4. What may have said "no more" and was not heard suspends the device's own participant, nobody else.
            if reading.maySayNoMore, outcome.status != .stored,
                let participant = try access.participant(ofDevice: submission.lane, in: transaction)
            {
                try suspensions.suspend(participant, because: submission, at: clock(), in: transaction)
            }
            try settlements.note(outcome, of: submission, at: clock(), in: transaction)
            return outcome
        }
    }

    /// Returns what is known before a submission is read: the outcome that was recorded of it, and the standing of its
    /// sender.
    private func beginning(
        of submission: QueuedSubmission
    ) async throws -> (outcome: SubmissionOutcome?, standing: Standing) {
        try await database.read { transaction in
            (
                outcome: try settlements.outcome(of: submission, in: transaction),
                standing: try standing(of: submission, in: transaction)
            )
        }
    }

    private func reading(
        of submission: QueuedSubmission, _ opener: OpenSSLKeyOpener, _ published: PublishedStudy, _ standing: Standing
    ) async -> Reading {
        await heavyWork.run { read(submission, opener, published, standing) }
    }

    /// New concepts are written in a transaction of their own, so that the one that records is short.
    private func ensureConcepts(of incoming: [IncomingResource]) async throws {
        let entries = incoming.map(\.entry)
        let isComplete = try await database.read { try loader.hasConcepts(of: entries, in: $0) }
        guard !isComplete else { return }
        let at = clock()
        try await database.write { try loader.ensureConcepts(of: entries, at: at, in: $0) }
    }

    // MARK: - Without a transaction

    /// The result of reading a submission.
    fileprivate struct Reading: Sendable {
        enum Result: Sendable {
            case settled(SubmissionOutcome)
            case ready([IncomingResource], keyID: String)
        }

        var result: Result
        var maySayNoMore: Bool
    }

    /// The standing of the sender before the message is looked into.
    fileprivate struct Standing: Sendable, Hashable {
        let participant: String?
        let situation: ConsentGate.Situation
    }

    private func standing(of submission: QueuedSubmission, in transaction: any SQLTransaction) throws -> Standing {
        guard let participant = try access.participant(ofDevice: submission.lane, in: transaction) else {
            return Standing(participant: nil, situation: .init(standing: .none))
        }
        let state = try register.state(of: participant, in: transaction)
        return Standing(
            participant: participant, situation: try situation(of: participant, state, in: transaction))
    }

    private func read(
        _ submission: QueuedSubmission, _ opener: OpenSSLKeyOpener, _ published: PublishedStudy, _ standing: Standing
    ) -> Reading {
        func quarantined(_ error: any Error, maySayNoMore: Bool, keyID: String? = nil) -> Reading {
            let problem = Self.problem(from: error)
            return Reading(
                result: .settled(
                    SubmissionOutcome(
                        status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)),
                maySayNoMore: maySayNoMore)
        }
        let isMarked = submission.resourceTypeHint == Consent.resourceType
        // 1. Open.
        let opened: OpenedEnvelope
        do {
            opened = try OpenedEnvelope.open(submission.body, with: opener)
        } catch {
            guard opener.knowsKey(of: submission.body) else {
                return Reading(result: .settled(Self.unknownKey), maySayNoMore: isMarked)
            }
            return quarantined(error, maySayNoMore: isMarked)
        }
        // 2. Parse.
        let reader = SubmissionReader(
            maximumResources: study.maximumResources, validation: study.validation,
            answers: AnswerValidation(strictness: study.validation.strictness, acceptsC3PRO: study.acceptsC3PRO))
        let documents: [ParsedDocument]
        do {
            documents = try reader.parse(opened)
        } catch {
            return quarantined(
                error, maySayNoMore: isMarked || ConsentSignal.isMarked(opened.payload), keyID: opened.keyID)
        }
        let maySayNoMore = documents.contains { ConsentSignal.maySayNoMore($0.resource) }
        // 3. The cheap part of the gate: what cannot be taken now is not converted.
        if let early = earlyOutcome(documents, standing, keyID: opened.keyID) {
            return Reading(result: .settled(early), maySayNoMore: maySayNoMore)
        }
        // 4. Convert and check.
        do {
            let incoming = try reader.convert(documents, of: opened, submission: submission, published: published)
            return Reading(result: .ready(incoming, keyID: opened.keyID), maySayNoMore: maySayNoMore)
        } catch {
            return quarantined(error, maySayNoMore: maySayNoMore, keyID: opened.keyID)
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

    static let unknownKey = SubmissionOutcome(
        status: .held, reasonCode: "key-unknown",
        detail: "It is sealed to a key that is not in keys/; it goes on when the key is there.")

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
