import Core
import Foundation
import Storage
import Trust
import Wire

/// Why a link is not taken.
enum LinkProblem {
    /// When a link is looked at again that could not be looked up, in seconds.
    static let pause: TimeInterval = 600

    static let expired = SubmissionProblem(
        "link-expired", "The link had ended when it arrived; make a new one with `tributary link create`.")
    static let used = SubmissionProblem(
        "link-used", "Somebody else handed the link in before; see `tributary link list`.")
    static let unknown = SubmissionProblem(
        "link-unknown", "The study knows no such link; bring links/ and keys/ back, or make a new one.")

    /// The outcome of a link that cannot be looked up for the moment; it is looked at again.
    static func unavailable(at now: Date, keyID: String) -> SubmissionOutcome {
        SubmissionOutcome(
            status: .held, reasonCode: "links-unavailable",
            detail: "The links or their key cannot be read; see `tributary study check`.", keyID: keyID,
            heldUntil: now.addingTimeInterval(pause))
    }
}

extension SubmissionProcessor {
    /// Reads a link as far as it can be told from outside who sends it: the consent is asked as for data.
    func linkRead(_ opened: OpenedEnvelope, _ situation: ConsentGate.Situation, isMarked: Bool) -> Reading {
        if let early = Self.outcome(of: gate.decide(.data, in: situation), keyID: opened.keyID) {
            return Reading(result: .settled(early), maySayNoMore: isMarked)
        }
        return Reading(result: .link(opened.payload, keyID: opened.keyID), maySayNoMore: isMarked)
    }

    /// Decides about a link that a participant hands in, and makes it theirs, in the transaction that settles its submission.
    func link(
        _ compact: Data, of submission: QueuedSubmission, signature claimed: SubmissionSignature?, keyID: String,
        links: LinkIntake.Access, published: PublishedStudy, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        func quarantined(_ problem: any CodedError) -> SubmissionOutcome {
            SubmissionOutcome(
                status: .quarantined, reasonCode: problem.code, detail: problem.message, keyID: keyID)
        }
        // 1. Whose word it is.
        let bound = try access.participant(ofDevice: submission.lane, in: transaction)
        let sender = Sender(
            participant: bound,
            verdict: try signatureCheck.verdict(
                on: claimed, of: submission, participant: bound, bringing: .noContract, in: transaction))
        if let problem = sender.problem { return quarantined(problem) }
        guard let participant = bound else {
            return Self.outcome(of: .hold(until: .contract), keyID: keyID) ?? quarantined(LinkProblem.unknown)
        }
        if let signature = sender.signature(heldBy: true),
            let problem = try take(signature, of: submission, subjects: [], in: transaction)
        {
            return quarantined(problem)
        }
        // 2. The consent, as for data.
        let state = try register.state(of: participant, in: transaction)
        let situation = try situation(of: participant, state, published, in: transaction)
        if let outcome = Self.outcome(of: gate.decide(.data, in: situation), keyID: keyID) { return outcome }
        // 3. The link: signed by the study, in force when it arrived, and nobody else's.
        let token: LinkToken
        let store: LinkStore
        switch links {
        case .none: return quarantined(LinkProblem.unknown)
        case .unavailable: return LinkProblem.unavailable(at: clock(), keyID: keyID)
        case .open(let opened, let key):
            store = opened
            do {
                token = try LinkToken(reading: compact, signedBy: key, study: study.signatures.study)
            } catch {
                return quarantined(error)
            }
        }
        let device = Actor(
            id: submission.clientID, role: .device, participant: participant, enrolmentID: submission.lane)
        let target = Target(resourceType: "Link", resourceID: token.id, subject: participant)
        guard access.decision(device, .linkParticipant, target).allowed else {
            return quarantined(
                SubmissionProblem("subject-not-permitted", "The device may not link this participant."))
        }
        let uses = LinkUse()
        let isSpent = try uses.isSpent(token.id, besides: submission, in: transaction)
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
            try uses.note(token.id, by: submission, in: transaction)
            _ = try access.decide(device, .linkParticipant, target, in: transaction)
            return SubmissionOutcome(status: .stored, keyID: keyID)
        }
    }
}
