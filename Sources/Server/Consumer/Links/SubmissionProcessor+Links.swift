import AccessPolicy
import Admission
import Core
import Foundation
import Storage
import Submissions
import Wire

/// Reason why a link is not accepted.
enum LinkProblem {
    /// Delay in seconds after which a link is tried again that could not be looked up.
    static let retryDelay: TimeInterval = 600

    static let expired = SubmissionProblem(
        "link-expired", "The link had expired when it arrived; create a new one with `tributary link create`.")
    static let used = SubmissionProblem(
        "link-used", "Another participant has already used the link; see `tributary link list`.")
    static let unknown = SubmissionProblem(
        "link-unknown", "The link is unknown to the study; restore links/ and keys/, or create a new one.")

    /// Outcome of a link that temporarily cannot be looked up; it is held and tried again.
    static func unavailable(at now: Date, keyID: String) -> SubmissionOutcome {
        SubmissionOutcome(
            status: .held, reasonCode: "links-unavailable",
            detail: "The links or their key cannot be read; see `tributary study check`.", keyID: keyID,
            heldUntil: now.addingTimeInterval(retryDelay))
    }
}

extension SubmissionProcessor {
    /// Reads a link as far as possible without the lookup; the consent gate applies as for data.
    func linkContent(_ opened: OpenedEnvelope, in context: ConsentContext, isMarked: Bool) -> SubmissionContent {
        if let early = Self.outcome(of: admission.gate.decide(.data, in: context), keyID: opened.keyID) {
            return SubmissionContent(result: .settled(early), mayBeWithdrawal: isMarked)
        }
        return SubmissionContent(result: .link(opened.payload, keyID: opened.keyID), mayBeWithdrawal: isMarked)
    }

    /// Decides about a link that a participant submits, and assigns it to them, in the transaction that settles the
    /// submission.
    func link(
        _ compact: Data, of submission: QueuedSubmission, signature claimed: SubmissionSignature?, keyID: String,
        links: LinkIntake.Access, published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        func quarantined(_ problem: any CodedError) -> SubmissionOutcome {
            SubmissionOutcome(
                status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)
        }
        // 1. Verify the sender and the signature.
        let bound = try access.participant(ofDevice: submission.enrolmentID, in: transaction)
        let sender = Sender(
            participant: bound,
            verdict: try signatureCheck.verdict(
                on: claimed, of: submission, participant: bound, bringing: .noContract, in: transaction))
        if let problem = sender.problem { return quarantined(problem) }
        guard let participant = bound else {
            return Self.outcome(of: .hold(until: .contract), keyID: keyID) ?? quarantined(LinkProblem.unknown)
        }
        if let signature = sender.signature(heldBy: true),
            let problem = try addToChain(signature, of: submission, subjects: [], in: transaction)
        {
            return quarantined(problem)
        }
        // 2. Apply the consent gate, as for data.
        let state = try admission.register.state(of: participant, in: transaction)
        let context = try admission.consentContext(of: participant, state, in: published, transaction: transaction)
        if let outcome = Self.outcome(of: admission.gate.decide(.data, in: context), keyID: keyID) { return outcome }
        // 3. Check the link: signed by the study, valid when it arrived, and not used by anyone else.
        let token: LinkToken
        let store: LinkStore
        switch links {
        case .none: return quarantined(LinkProblem.unknown)
        case .unavailable: return LinkProblem.unavailable(at: clock(), keyID: keyID)
        case .open(let opened, let key):
            store = opened
            do {
                token = try LinkToken(reading: compact, signedBy: key, study: signatures.study)
            } catch {
                return quarantined(error)
            }
        }
        let device = Actor(
            id: submission.clientID, role: .device, participant: participant, enrolmentID: submission.enrolmentID)
        let target = Target(resourceType: "Link", resourceID: token.id, subject: participant)
        guard access.audit.decision(device, action: .linkParticipant, target: target).allowed else {
            return quarantined(
                SubmissionProblem("subject-not-permitted", "The device may not link this participant."))
        }
        let uses = LinkUse()
        let isSpent = try uses.isSpent(token.id, excluding: submission, in: transaction)
        let claim: LinkStore.Claim
        do {
            claim = try store.claim(
                token.id, by: participant, submissionID: submission.submissionID, at: submission.receivedAt,
                isInForce: submission.receivedAt < token.expiresAt, isSpent: isSpent)
        } catch is StorageError {
            return LinkProblem.unavailable(at: clock(), keyID: keyID)
        }
        switch claim {
        case .used: return quarantined(LinkProblem.used)
        case .unknown: return quarantined(LinkProblem.unknown)
        case .expired: return quarantined(LinkProblem.expired)
        case .linked:
            try uses.record(token.id, by: submission, in: transaction)
            _ = try access.audit.decide(device, action: .linkParticipant, target: target, in: transaction)
            return SubmissionOutcome(status: .stored, keyID: keyID)
        }
    }
}
