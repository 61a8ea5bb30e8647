import AccessPolicy
import Admission
import Core
import Enrolments
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Submissions
import Warehouse

/// Decisions of the study team about a participant's consent on their behalf. Each one is recorded in the audit.
package struct StaffDecision: Sendable {
    let records: any SQLDatabase
    let queue: any SubmissionQueue
    let access: EnrolmentStore
    let actor: Actor
    let clock: @Sendable () -> Date

    /// - Parameter actor: account of the machine that decides.
    package init(
        records: any SQLDatabase, queue: any SQLDatabase, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.records = records
        self.queue = SQLSubmissionQueue(database: queue)
        access = EnrolmentStore(database: records, clock: clock)
        self.actor = actor
        self.clock = clock
    }

    /// Ends a suspension: the participant has not withdrawn.
    ///
    /// - Returns: the number of held submissions that are released.
    /// - Throws: ``ConsumerError`` `participant-not-suspended`, ``AccessPolicy/AccessError``.
    package func resume(_ participant: String) async throws -> Int {
        try await records.write { transaction in
            try require(participant, in: transaction)
            guard try SuspensionRegister().lift(participant, in: transaction) else {
                throw ConsumerError(code: "participant-not-suspended", message: "The participant is not suspended.")
            }
        }
        return try await release(participant)
    }

    /// Records a withdrawal that the participant requested from the study team.
    ///
    /// It is stored as a Consent (<https://hl7.org/fhir/R4/consent.html>, status `inactive`), whether the participant
    /// signed on a phone or on paper, and contains the account that recorded it.
    /// - Returns: the number of held submissions that are released, to be refused.
    /// - Throws: ``ConsumerError`` `participant-unknown`, ``Admission/AdmissionError`` `participant-deleted`,
    ///   ``AccessPolicy/AccessError``.
    package func withdraw(_ participant: String) async throws -> Int {
        let now = clock()
        try await records.write { transaction in
            try AdmissionError.refuseDeleted(participant, in: transaction)
            try require(participant, in: transaction)
            let register = ConsentRegister()
            let state = try register.state(of: participant, in: transaction)
            guard state.gateState != .none else {
                throw ConsumerError(code: "participant-unknown", message: "No consent of this participant is on file.")
            }
            guard state.gateState == .consented else { return }
            // Later than everything received, even if the server's clock was ahead before.
            let now = max(now, state.newest?.arrival?.receivedAt ?? now)
            let id = UUID()
            let submission = "staff-withdrawal:" + id.lowercaseText
            var consent = ConsentWithdrawal.consent(
                id: id, participant: participant, contractID: state.newest?.contractID ?? "unknown", policy: nil,
                now: now
            )
            consent.performer.append(recorder)
            let withdrawal = try ConsentWithdrawal(consent, receivedAt: now, number: .max)
            let provenance = RecordProvenance(
                submissionID: submission, clientID: actor.id, keyID: nil, receivedAt: now)
            let result = try RecordStore().put(
                consent.resource, content: consent.resource.json.data(), original: nil,
                id: id.lowercaseText, provenance: provenance, at: now, in: transaction)
            let context = LoadContext(
                subject: participant, submissionID: submission, receivedAt: now, loadedAt: now)
            try WarehouseLoader().load(
                consent.resource, result, context: context, in: transaction)
            try register.save(
                state.applying(withdrawal), of: participant, clientID: actor.id, at: now, in: transaction)
            _ = try SuspensionRegister().lift(participant, in: transaction)
        }
        return try await release(participant)
    }

    /// Account that recorded the withdrawal on the participant's behalf.
    private var recorder: Reference {
        var account = Identifier()
        account.system = Self.accountSystem
        account.value = actor.id
        var recorder = Reference()
        recorder.type = "Practitioner"
        recorder.identifier = account
        recorder.display = "Study team, as the participant asked"
        return recorder
    }

    /// System of the identifiers of accounts that decide on a participant's behalf.
    package static let accountSystem = "urn:tributary:actor"

    private func require(_ participant: String, in transaction: any SQLTransaction) throws {
        let decision = try access.audit.decide(
            actor, action: .manageConsent, target: Target(resourceType: "Consent", subject: participant),
            in: transaction)
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "This account may not decide about consent.")
        }
    }

    private func release(_ participant: String) async throws -> Int {
        var released = 0
        for device in try await access.devices(of: participant) {
            released += try await queue.release(.deviceQueue(device), at: clock())
        }
        return released
    }
}
