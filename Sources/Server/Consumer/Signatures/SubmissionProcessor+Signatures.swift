import AccessPolicy
import Admission
import FHIR
import Foundation
import InformedConsent
import Storage
import Submissions
import Wire

/// Device key and one-time codes in the Contracts of a submission.
struct ContractCodes {
    private(set) var moveCode: String?
    private(set) var invitation: String?
    private(set) var brought = SignatureCheck.BroughtKey.noContract

    /// Throws `ConsentError` for a code or key that cannot be read.
    mutating func read(_ contract: Contract) throws {
        moveCode = try contract.moveCode()?.secret ?? moveCode
        invitation = try contract.invitation()?.secret ?? invitation
        if let jwk = try contract.deviceKey() { brought = .jwk(jwk) } else if brought == .noContract { brought = .none }
    }
}

/// Sender of a submission, as far as known.
struct Sender {
    /// Participant to which the device is bound.
    let participant: String?
    let verdict: SignatureCheck.Verdict

    /// Reason why the device did not send it; nil if it may have.
    var problem: SubmissionProblem? {
        if case .forged(let problem) = verdict { problem } else { nil }
    }

    var isForged: Bool { problem != nil }

    /// Returns the signature if its key is pinned to the sender.
    /// - Parameter isAdmitted: whether the sender is bound to the participant of the submission; then the key in its
    ///   Contract is pinned by now.
    func signature(heldBy isAdmitted: Bool) -> SubmissionSignature? {
        if case .proven(let signature) = verdict { return signature }
        return isAdmitted ? verdict.signature : nil
    }

    /// Returns the outcome of a forged submission, which replaces the early one; nil if the early one is valid.
    func outcome(_ early: SubmissionOutcome) -> SubmissionOutcome? {
        problem.map {
            SubmissionOutcome(status: .quarantined, reasonCode: $0.code, detail: $0.message, keyID: early.keyID)
        }
    }
}

extension SubmissionProcessor {
    var signatureCheck: SignatureCheck {
        SignatureCheck(policy: signatures, acceptsC3PRO: admission.c3pro.isAccepted, access: access)
    }

    /// Returns the sender of a submission whose outcome does not depend on it, because it cannot be opened or accepted.
    /// Only a pinned key can be used then.
    func sender(
        of content: SubmissionContent, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> Sender {
        let participant = try access.participant(ofDevice: submission.enrolmentID, in: transaction)
        guard content.isOpened, let participant else { return Sender(participant: participant, verdict: .unknown) }
        if let signature = content.signature, try access.key(signature.keyID, in: transaction) == nil,
            try access.key(ofParticipant: participant, in: transaction) == nil
        {
            return Sender(participant: participant, verdict: .unknown)
        }
        return Sender(
            participant: participant,
            verdict: try signatureCheck.verdict(
                on: content.signature, of: submission, participant: participant, bringing: .noContract, in: transaction)
        )
    }

    /// Whether a submission is unsigned and accepted as such, judged by the keys that its device has used until now.
    func isAcceptedUnsigned(
        _ content: SubmissionContent, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard content.isOpened, content.signature == nil else { return false }
        let verdict = try signatureCheck.verdict(
            on: nil, of: submission, participant: access.participant(ofDevice: submission.enrolmentID, in: transaction),
            bringing: .noContract, in: transaction)
        if case .unsigned = verdict { return true }
        return false
    }

    /// Records a submission in the chain of its key, regardless of its outcome.
    func recordInChain(
        _ sender: Sender, of submission: QueuedSubmission, outcome: SubmissionOutcome,
        in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        guard let signature = sender.verdict.signature else { return outcome }
        let problem = try addToChain(signature, of: submission, subjects: [], in: transaction)
        return problem.map {
            SubmissionOutcome(status: .quarantined, reasonCode: $0.code, detail: $0.message, keyID: outcome.keyID)
        } ?? outcome
    }

    /// Binds the device to the participant of a Contract of this study, and pins the key of the Contract.
    ///
    /// - Returns: the reason if it is not permitted; nil on success.
    func admit(
        _ sender: Sender, _ participant: String, isKnown: Bool, codes: ContractCodes, submission: QueuedSubmission,
        in transaction: any SQLTransaction
    ) throws -> SubmissionProblem? {
        var isEntitled = false
        var moveCode = codes.moveCode
        switch sender.verdict {
        case .proven: isEntitled = true
        case .provenElsewhere(_, let owner):
            guard owner == participant else {
                return SignatureCheck.invalid("The key that signed the Contract is another participant's.")
            }
            isEntitled = true
        case .selfProven, .unsigned, .unknown, .forged: break
        }
        // 1. Bind the device.
        if sender.participant == nil {
            let decision = try access.bind(
                device: submission.enrolmentID, clientID: submission.clientID, toParticipant: participant,
                isKnown: isKnown,
                moveCode: moveCode, isSignedByParticipant: isEntitled,
                invitation: signatures.requiresInvitation ? .required(secret: codes.invitation) : .notRequired,
                in: transaction)
            guard decision.allowed else { return Self.refusal(decision) }
            isEntitled = isEntitled || decision.reason == "moved"
            moveCode = nil
        }
        // 2. Pin the key for later signatures: that of the Contract, otherwise the one that signed it.
        guard let signature = sender.verdict.signature else { return nil }
        let jwk: Data
        let keyID: String
        if case .jwk(let brought) = codes.brought {
            guard let key = try? P256PublicKey(signingJWK: Data(brought.utf8)) else {
                return SignatureCheck.invalid("The Contract does not contain a device key.")
            }
            (jwk, keyID) = (key.signingJWK, key.keyID)
        } else if let pinned = try access.key(signature.keyID, in: transaction) {
            (jwk, keyID) = (pinned.jwk, pinned.keyID)
        } else {
            return nil
        }
        let decision = try access.pin(
            keyID, jwk: jwk, device: submission.enrolmentID, clientID: submission.clientID, participant: participant,
            isEntitled: isEntitled, moveCode: moveCode, in: transaction)
        return decision.allowed
            ? nil
            : SignatureCheck.invalid(
                "The participant's device has another key than this Contract; see `tributary enrolment move`.")
    }

    private static func refusal(_ decision: Decision) -> SubmissionProblem {
        switch decision.reason {
        case "invitation-required", "invitation-refused":
            SubmissionProblem(
                decision.reason, "A participant of this study needs a code; see `tributary participant invite`.")
        default:
            SubmissionProblem(
                decision.reason, "The participant is known from elsewhere; see `tributary enrolment move`.")
        }
    }

    /// Adds a submission with a valid signature to the chain of its key.
    ///
    /// - Returns: a problem if its number or id is already used, or if the participant has changed the consent later;
    ///   nil on success.
    func addToChain(
        _ signature: SubmissionSignature, of submission: QueuedSubmission, subjects: [ConsentGate.Subject],
        in transaction: any SQLTransaction
    ) throws -> SubmissionProblem? {
        guard try messages.status(of: signature, in: transaction) != .conflict else {
            return SubmissionProblem(
                "signature-conflict",
                "The device's key signed something else under this number or id: the phone was restored from an older state, or two devices have its key."
            )
        }
        try messages.record(signature, of: submission, in: transaction)
        let changesConsent = subjects.contains(.contract) || subjects.contains(.withdrawal)
        if changesConsent, try messages.hasLaterConsent(than: signature, in: transaction) {
            return SubmissionProblem(
                "consent-out-of-order",
                "A later statement of the participant about the consent was received before this one and is in force.")
        }
        return nil
    }
}
