import AccessPolicy
import Admission
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Submissions
import Warehouse
import Wire

extension SubmissionProcessor {
    /// Decides about a submission that was read, and records the admitted resources, in the caller's transaction.
    func perform(
        _ incoming: [IncomingResource], of submission: QueuedSubmission, signature claimed: SubmissionSignature?,
        keyID: String,
        published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        func quarantined(_ code: String, _ detail: String) -> SubmissionOutcome {
            SubmissionOutcome(status: .quarantined, reasonCode: code, detail: detail, keyID: keyID)
        }
        // 1. Require that all resources belong to one participant.
        guard let subject = incoming.first?.subject, incoming.allSatisfy({ $0.subject == subject }) else {
            return quarantined("subject-mismatch", "The submission holds resources of several participants.")
        }
        // 2. Find the effect of each resource on the consent.
        let arrival = ConsentArrival(receivedAt: submission.receivedAt, number: submission.number)
        let steps: [ConsentStep]
        var codes = ContractCodes()
        do {
            steps = try incoming.map { try ConsentStep($0, arrival: arrival) }
            for resource in incoming where resource.kind == .contract {
                try codes.read(Contract(resource.resource.object))
            }
        } catch let error as ConsentError {
            return quarantined(error.code, error.message)
        } catch let problem as SubmissionProblem {
            return quarantined(problem.code, problem.message)
        }
        let subjects = steps.map(\.gateSubject)
        let state = try admission.register.state(of: subject, in: transaction)
        // 3. Verify the sender: the signature, which the study may not require, then the binding. The first Contract
        //    binds the device and its key, and after that the policy decides.
        var bound = try access.participant(ofDevice: submission.enrolmentID, in: transaction)
        let sender = Sender(
            participant: bound,
            verdict: try signatureCheck.verdict(
                on: claimed, of: submission, participant: bound, bringing: codes.brought, in: transaction))
        if let problem = sender.problem { return quarantined(problem.code, problem.message) }
        if subjects.contains(.contract), bound == nil || bound == subject {
            let isKnown = try bound == nil && isKnown(subject, state, in: transaction)
            if let problem = try admit(
                sender, subject, isKnown: isKnown, codes: codes, submission: submission, in: transaction)
            {
                return quarantined(problem.code, problem.message)
            }
            bound = subject
        }
        let signature = sender.signature(heldBy: bound == subject)
        if let signature, let problem = try addToChain(signature, of: submission, subjects: subjects, in: transaction) {
            return quarantined(problem.code, problem.message)
        }
        let target = Target(
            resourceType: incoming.first?.resource.resourceType, resourceID: incoming.first?.id, subject: subject)
        let writer = Actor(
            id: submission.clientID, role: .device, participant: bound, enrolmentID: submission.enrolmentID)
        let decision = try access.audit.decide(writer, action: .writeRecord, target: target, in: transaction)
        guard decision.allowed else {
            guard bound == nil else {
                return quarantined("subject-not-permitted", "The device may not write for this participant.")
            }
            let verdict: ConsentGate.Decision =
                subjects.lazy.compactMap(\.foreignReason).first.map { .quarantine($0) } ?? .hold(until: .contract)
            return Self.outcome(of: verdict, keyID: keyID)
                ?? quarantined("subject-not-permitted", "The device has no participant.")
        }
        let isFree = try records.areFree(
            incoming.map { (type: $0.resource.resourceType, id: $0.id) }, for: subject, in: transaction)
        guard isFree else {
            return quarantined("subject-not-permitted", "The resource's id belongs to another participant.")
        }
        let isProtected = try RecordGuard.protects(
            incoming.map { (type: $0.resource.resourceType, id: $0.id) }, in: transaction)
        guard !isProtected else { return quarantined(RecordGuard.refusal.code, RecordGuard.refusal.message) }
        // 4. Apply the gate to each resource in order, because earlier ones may change the consent.
        var consent = try admission.consentProgress(of: subject, state, in: published, transaction: transaction)
        for step in steps {
            let verdict = consent.admit(step, arrival: arrival)
            if let outcome = Self.outcome(of: verdict, keyID: keyID) { return outcome }
        }
        // 5. Record and load.
        let at = clock()
        try record(
            incoming, of: submission, keyID: keyID, signature: signature, at: at, in: transaction)
        let changesConsent = steps.contains(where: \.changesConsent)
        if changesConsent {
            if let signature { try messages.recordConsent(signature, in: transaction) }
            try admission.register.save(
                consent.state, of: subject, clientID: submission.clientID, at: at, in: transaction)
            if consent.endsSuspension { _ = try admission.suspensions.lift(subject, in: transaction) }
        }
        // Release the submissions that were held for this one; they are stored or refused.
        return SubmissionOutcome(status: .stored, keyID: keyID, releasesHeld: changesConsent)
    }

    /// Whether a participant is known from another source: by a consent, a Patient or any record. An unbound device
    /// cannot have sent any of them.
    private func isKnown(
        _ participant: String, _ state: ConsentState, in transaction: any SQLTransaction
    ) throws -> Bool {
        if state.gateState != .none { return true }
        return try records.hasRecords(
            about: participant, ofTypes: SubmissionReader.acceptedTypes.sorted(), in: transaction)
    }

    /// Returns the provenance of a submission's resources.
    func provenance(
        of submission: QueuedSubmission, keyID: String, signature: SubmissionSignature?
    ) -> RecordProvenance {
        RecordProvenance(
            submissionID: submission.submissionID, clientID: submission.clientID, keyID: keyID,
            receivedAt: submission.receivedAt, number: submission.number,
            signed: signature.map { .init(signer: $0.keyID, sequence: $0.sequence) })
    }

    private func record(
        _ incoming: [IncomingResource], of submission: QueuedSubmission, keyID: String,
        signature: SubmissionSignature?, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard let subject = incoming.first?.subject else { return }
        let provenance = provenance(of: submission, keyID: keyID, signature: signature)
        let context = LoadContext(
            subject: subject, submissionID: submission.submissionID, receivedAt: submission.receivedAt, loadedAt: at)
        let stored = try records.write(provenance, at: at, in: transaction) { writer in
            try writer.put(contentsOf: incoming.map(\.record))
        }
        try loader.upload(context, in: transaction) { upload in
            try upload.load(contentsOf: zip(incoming, stored).map { WarehouseUpload.Load($0.entry, $1) })
        }
    }
}
