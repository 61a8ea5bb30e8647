import FHIR
import Foundation
import HealthData
import InformedConsent
import Logging
import Records
import Storage
import Trust
import Warehouse
import Wire

/// Takes one leased submission through the house: opened, read, converted, gated, recorded and loaded, with the
/// acknowledgement in the same transaction.
public struct SubmissionProcessor: Sendable {
    /// What the processor asks of the study's folder; read anew each time, for files may be added while it runs.
    public struct Study: Sendable {
        /// Whether contracts of C3-PRO's apps count, which name no template.
        public let acceptsC3PRO: Bool
        public let maximumResources: Int
        /// How strictly FHIR is taken.
        public let validation: SubmissionValidation
        /// The published consent templates.
        public let templates: @Sendable () -> [ConsentTemplate]
        /// The form that a response's `questionnaire` names.
        public let questionnaire: @Sendable (String) -> Questionnaire?

        public init(
            acceptsC3PRO: Bool, maximumResources: Int, validation: SubmissionValidation,
            templates: @escaping @Sendable () -> [ConsentTemplate],
            questionnaire: @escaping @Sendable (String) -> Questionnaire?
        ) {
            self.acceptsC3PRO = acceptsC3PRO
            self.maximumResources = maximumResources
            self.validation = validation
            self.templates = templates
            self.questionnaire = questionnaire
        }
    }

    let database: any SQLDatabase
    let queue: any SubmissionQueue
    let access: AccessControl
    let records: RecordStore
    let loader: WarehouseLoader
    let openers: KeyOpenerCache
    let study: Study
    let clock: @Sendable () -> Date
    let gate = ConsentGate()
    let register = ConsentRegister()

    public init(
        database: any SQLDatabase, queue: any SubmissionQueue, access: AccessControl, records: RecordStore,
        loader: WarehouseLoader, openers: KeyOpenerCache, study: Study,
        clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.queue = queue
        self.access = access
        self.records = records
        self.loader = loader
        self.openers = openers
        self.study = study
        self.clock = clock
    }

    /// Handles a submission and settles it.
    ///
    /// - Returns: what became of it.
    /// - Throws: only for passing reasons (the database is full or locked): the submission stays where it is.
    public func process(_ submission: QueuedSubmission) async throws -> SubmissionOutcome {
        // 1. Open and read, without a transaction: nothing here depends on what is stored.
        let incoming: [IncomingResource]
        let keyID: String
        do {
            let opened = try OpenedEnvelope.open(submission.body, with: try await openers.opener())
            keyID = opened.keyID
            incoming = try SubmissionReader(maximumResources: study.maximumResources, validation: study.validation)
                .read(opened, submission: submission)
        } catch {
            let problem = Self.problem(from: error)
            return try await settle(
                submission, SubmissionOutcome(status: .parked, reasonCode: problem.code, detail: problem.message))
        }
        // 2. Decide and perform in one transaction, the acknowledgement included.
        return try await database.write { transaction in
            let outcome = try perform(incoming, of: submission, keyID: keyID, in: transaction)
            try queue.settle(submission.number, as: outcome, at: clock(), in: transaction)
            return outcome
        }
    }

    private func settle(_ submission: QueuedSubmission, _ outcome: SubmissionOutcome) async throws -> SubmissionOutcome
    {
        try await database.write { transaction in
            try queue.settle(submission.number, as: outcome, at: clock(), in: transaction)
        }
        return outcome
    }

    private func perform(
        _ incoming: [IncomingResource], of submission: QueuedSubmission, keyID: String,
        in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        func outcome(_ status: SubmissionStatus, _ code: String, _ detail: String) -> SubmissionOutcome {
            SubmissionOutcome(
                status: status, reasonCode: code, detail: detail, subject: incoming.first?.subject, keyID: keyID)
        }
        func outcome(_ status: SubmissionStatus, _ reason: ConsentGate.Reason) -> SubmissionOutcome {
            outcome(status, reason.rawValue, reason.sentence)
        }
        // 1. One submission speaks of one participant.
        guard let subject = incoming.first?.subject, incoming.allSatisfy({ $0.subject == subject }) else {
            return outcome(.refused, "subject-mismatch", "The submission holds resources of several participants.")
        }
        guard let actor = try access.actor(forClient: submission.clientID, in: transaction) else {
            return outcome(.parked, "client-unknown", "The client that sent this is not known.")
        }
        // 2. Nobody writes in another's name: the first contract binds the device, and from then on the policy asks.
        let steps: [ConsentStep]
        do {
            steps = try incoming.map { try step(of: $0, receivedAt: submission.receivedAt) }
        } catch let error as ConsentError {
            return outcome(.parked, error.code, error.message)
        }
        let subjects = steps.map(\.gateSubject)
        var bound = actor.participant
        if bound == nil, subjects.contains(.contract) {
            let decision = try access.bind(clientID: submission.clientID, toParticipant: subject, in: transaction)
            guard decision.allowed else {
                return outcome(.refused, "subject-not-permitted", "The participant belongs to another device.")
            }
            bound = subject
        }
        let target = Target(
            resourceType: incoming.first?.resource.resourceType, resourceID: incoming.first?.id, subject: subject)
        let writer = Actor(id: actor.id, role: actor.role, participant: bound, enrolmentID: actor.enrolmentID)
        let decision = try access.decide(writer, .writeRecord, target, in: transaction)
        var consent = try register.state(of: subject, in: transaction)
        guard decision.allowed else {
            if bound == nil, consent.standing == .none, !subjects.contains(.foreignContract) {
                return outcome(.held, ConsentGate.Requirement.contract.rawValue, "No contract of this device has come.")
            }
            if bound == nil, consent.standing == .none {
                return outcome(.parked, .foreignContract)
            }
            return outcome(.refused, "subject-not-permitted", "The device may not write for this participant.")
        }
        for resource in incoming {
            let owner = try records.subject(ofType: resource.resource.resourceType, id: resource.id, in: transaction)
            guard owner == nil || owner == subject else {
                return outcome(.refused, "subject-not-permitted", "The resource's id belongs to another participant.")
            }
        }
        // 3. The gate, resource by resource, as the consent changes on the way.
        let at = clock()
        for step in steps {
            switch gate.decide(step.gateSubject, given: consent.standing, naming: consent.includedHealthData) {
            case .admit: consent = step.applied(to: consent)
            case .hold(let requirement):
                return outcome(.held, requirement.rawValue, "No contract of this participant has come.")
            case .refuse(let reason): return outcome(.refused, reason)
            case .park(let reason): return outcome(.parked, reason)
            }
        }
        // 4. Record and load.
        var versions: [String] = []
        versions.reserveCapacity(incoming.count)
        for resource in incoming {
            versions.append(
                try record(resource, of: submission, keyID: keyID, at: at, in: transaction))
        }
        if steps.contains(where: \.changesConsent) {
            try register.save(consent, of: subject, clientID: submission.clientID, at: at, in: transaction)
            if consent.standing == .consented {
                // 5. What waited for this contract takes its turn now.
                try queue.releaseHeld(clientID: submission.clientID, subject: nil, at: at, in: transaction)
            }
        }
        return SubmissionOutcome(status: .stored, subject: subject, versionIDs: versions, keyID: keyID)
    }

    private func record(
        _ incoming: IncomingResource, of submission: QueuedSubmission, keyID: String, at: Date,
        in transaction: any SQLTransaction
    ) throws -> String {
        let provenance = RecordProvenance(
            submissionID: submission.submissionID, clientID: submission.clientID, keyID: keyID,
            receivedAt: submission.receivedAt)
        let result = try records.put(
            incoming.resource, content: incoming.content,
            original: incoming.original.map { OriginalContent(bytes: $0.bytes, fhirVersion: $0.version) },
            id: incoming.id, provenance: provenance, at: at, in: transaction)
        var named = incoming.resource
        named.id = incoming.id
        let form = named.as(QuestionnaireResponse.self)?.questionnaire.flatMap(study.questionnaire)
        let context = LoadContext(
            subject: incoming.subject, submissionID: submission.submissionID, receivedAt: submission.receivedAt,
            loadedAt: at)
        try loader.load(named, questionnaire: form, context: context, in: transaction)
        return result.versionID
    }

    /// What a resource does to the consent.
    func step(of incoming: IncomingResource, receivedAt: Date) throws -> ConsentStep {
        switch incoming.kind {
        case .data:
            let names = HealthSelection.Inclusion.permitting(incoming.resource)
            return names.isEmpty ? .data : .namedData(Set(names.map(\.rawValue)))
        case .consent:
            let consent = FHIR.Consent(incoming.resource.object)
            guard consent.status == "inactive" else { return .data }
            return .withdrawal(try ConsentWithdrawal(consent, receivedAt: receivedAt))
        case .contract:
            var contract = Contract(incoming.resource.object)
            contract.id = incoming.id
            let signed = try SignedContractReader.read(contract, receivedAt: receivedAt)
            guard signed.subject == incoming.subject else { throw ConsentError.subjectUnclear }
            if incoming.original != nil { return study.acceptsC3PRO ? .contract(signed) : .foreignContract }
            return study.templates().contains { signed.isDerived(from: $0) } ? .contract(signed) : .foreignContract
        }
    }

    static func problem(from error: any Error) -> SubmissionProblem {
        switch error {
        case let problem as SubmissionProblem: problem
        case let error as WireError: SubmissionProblem(error.code, error.message)
        default: SubmissionProblem("submission-unreadable", "The submission cannot be read.")
        }
    }
}
