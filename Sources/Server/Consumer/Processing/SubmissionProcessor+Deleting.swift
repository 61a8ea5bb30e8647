import AccessPolicy
import Admission
import Foundation
import Storage
import Submissions
import Wire

extension SubmissionProcessor {
    /// Decides about a submission that deletes Observations of the device's own participant, and deletes them with
    /// their facts, in the caller's transaction.
    func delete(
        _ ids: [String], as submission: QueuedSubmission, signature claimed: SubmissionSignature?, keyID: String,
        published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        func quarantined(_ code: String, _ detail: String) -> SubmissionOutcome {
            SubmissionOutcome(status: .quarantined, reasonCode: code, detail: detail, keyID: keyID)
        }
        // 1. Verify that the device sent it, for its own participant.
        let bound = try access.participant(ofDevice: submission.enrolmentID, in: transaction)
        let sender = Sender(
            participant: bound,
            verdict: try signatureCheck.verdict(
                on: claimed, of: submission, participant: bound, bringing: .noContract, in: transaction))
        if let problem = sender.problem { return quarantined(problem.code, problem.message) }
        guard let bound else {
            // A Bundle contains no participant; it is the one of the device's Contract.
            return Self.outcome(of: admission.gate.decide(.deletion, in: .init(state: .none)), keyID: keyID)
                ?? quarantined("subject-not-permitted", "The device has no participant.")
        }
        let signature = sender.signature(heldBy: true)
        if let signature,
            let problem = try addToChain(signature, of: submission, subjects: [.deletion], in: transaction)
        {
            return quarantined(problem.code, problem.message)
        }
        let type = SubmissionDeletions.type
        let writer = Actor(
            id: submission.clientID, role: .device, participant: bound, enrolmentID: submission.enrolmentID)
        let target = Target(resourceType: type, resourceID: ids.first, subject: bound)
        guard try access.audit.decide(writer, action: .writeRecord, target: target, in: transaction).allowed else {
            return quarantined("subject-not-permitted", "The device may not write for this participant.")
        }
        guard try records.areFree(ids.map { (type: type, id: $0) }, for: bound, in: transaction) else {
            return quarantined("subject-not-permitted", "The resource's id belongs to another participant.")
        }
        // 2. Apply the consent gate.
        let state = try admission.register.state(of: bound, in: transaction)
        let context = try admission.consentContext(of: bound, state, in: published, transaction: transaction)
        if let outcome = Self.outcome(of: admission.gate.decide(.deletion, in: context), keyID: keyID) {
            return outcome
        }
        // 3. Delete records and facts.
        let at = clock()
        let provenance = provenance(of: submission, keyID: keyID, signature: signature)
        let deleted = try records.write(provenance, at: at, in: transaction) { records in
            try ids.map { try records.delete(type: type, id: $0, of: bound) }
        }
        for case .deleted(let record) in deleted {
            try loader.remove(record: record, of: bound, at: at, in: transaction)
        }
        return SubmissionOutcome(status: .stored, keyID: keyID)
    }
}
