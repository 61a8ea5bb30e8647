import FHIR
import Foundation
import InformedConsent
import Storage
import Trust
import Wire

/// The device's key and the one-time codes that the Contracts of a submission carry.
struct ContractCodes {
    private(set) var moveCode: String?
    private(set) var invitation: String?
    private(set) var brought = SignatureCheck.BroughtKey.noContract

    /// Throws `ConsentError` where one stands that cannot be read.
    mutating func read(_ contract: Contract) throws {
        moveCode = try contract.moveCode()?.secret ?? moveCode
        invitation = try contract.invitation()?.secret ?? invitation
        if let jwk = try contract.deviceKey() { brought = .jwk(jwk) } else if brought == .noContract { brought = .none }
    }
}

/// Whom a submission came from, as far as that is known.
struct Sender {
    /// Whom the device is bound to.
    let participant: String?
    let verdict: SignatureCheck.Verdict

    /// Why it is not the device's word; nil where it may be.
    var problem: SubmissionProblem? {
        if case .forged(let problem) = verdict { problem } else { nil }
    }

    var isForged: Bool { problem != nil }

    /// The signature of a key that is pinned to the sender.
    /// - Parameter isAdmitted: whether the sender is bound to whom the submission is about: then the key that it brought
    ///   is pinned by now.
    func signature(heldBy isAdmitted: Bool) -> SubmissionSignature? {
        if case .proven(let signature) = verdict { return signature }
        return isAdmitted ? verdict.signature : nil
    }

    /// The outcome of a submission that would have another one for what it says; nil where that one holds.
    func outcome(_ early: SubmissionOutcome) -> SubmissionOutcome? {
        problem.map {
            SubmissionOutcome(status: .quarantined, reasonCode: $0.code, detail: $0.message, keyID: early.keyID)
        }
    }
}

extension SubmissionProcessor {
    var signatureCheck: SignatureCheck {
        SignatureCheck(policy: study.signatures, acceptsC3PRO: study.c3pro.isAccepted, access: access)
    }

    /// Whom a submission came from whose outcome is clear without them: one that is in nobody's words, or that says what
    /// cannot be taken. Only a key that is pinned can be asked then.
    func sender(
        of reading: Reading, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> Sender {
        let participant = try access.participant(ofDevice: submission.lane, in: transaction)
        guard reading.isOpened, let participant else { return Sender(participant: participant, verdict: .unknown) }
        if let signature = reading.signature, try access.key(signature.keyID, in: transaction) == nil,
            try access.key(ofParticipant: participant, in: transaction) == nil
        {
            return Sender(participant: participant, verdict: .unknown)
        }
        return Sender(
            participant: participant,
            verdict: try signatureCheck.verdict(
                on: reading.signature, of: submission, participant: participant, bringing: .noContract, in: transaction)
        )
    }

    /// Whether nobody signed a submission and it is taken so, by what its device has signed until now.
    func isTakenUnsigned(
        _ reading: Reading, _ submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard reading.isOpened, reading.signature == nil else { return false }
        let verdict = try signatureCheck.verdict(
            on: nil, of: submission, participant: access.participant(ofDevice: submission.lane, in: transaction),
            bringing: .noContract, in: transaction)
        if case .unsigned = verdict { return true }
        return false
    }

    /// Notes a submission in the chain of its key, whatever becomes of it: it has come.
    func noted(
        _ sender: Sender, of submission: QueuedSubmission, _ outcome: SubmissionOutcome,
        in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome {
        guard let signature = sender.verdict.signature else { return outcome }
        let problem = try take(signature, of: submission, subjects: [], in: transaction)
        return problem.map {
            SubmissionOutcome(status: .quarantined, reasonCode: $0.code, detail: $0.message, keyID: outcome.keyID)
        } ?? outcome
    }

    /// Binds the device to the participant of a Contract of this study, and pins the key that the Contract carries.
    ///
    /// - Returns: why it may not; nil where it is done.
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
        // 1. The device.
        if sender.participant == nil {
            let decision = try access.bind(
                device: submission.lane, clientID: submission.clientID, toParticipant: participant, isKnown: isKnown,
                moveCode: moveCode, isSignedByParticipant: isEntitled,
                invitation: study.signatures.requiresInvitation ? .required(secret: codes.invitation) : .notRequired,
                in: transaction)
            guard decision.allowed else { return Self.refusal(decision) }
            isEntitled = isEntitled || decision.reason == "moved"
            moveCode = nil
        }
        // 2. The key that is to sign from here on: the one that the Contract carries, else the one that signed it.
        guard let signature = sender.verdict.signature else { return nil }
        let jwk: Data
        let keyID: String
        if case .jwk(let brought) = codes.brought {
            guard let key = try? P256PublicKey(signingJWK: Data(brought.utf8)) else {
                return SignatureCheck.invalid("The Contract does not carry a key of a device.")
            }
            (jwk, keyID) = (key.signingJWK, key.keyID)
        } else if let pinned = try access.key(signature.keyID, in: transaction) {
            (jwk, keyID) = (pinned.jwk, pinned.keyID)
        } else {
            return nil
        }
        let decision = try access.pin(
            keyID, jwk: jwk, device: submission.lane, clientID: submission.clientID, participant: participant,
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
                decision.reason, "A participant of this study begins with a code; see `tributary participant invite`.")
        default:
            SubmissionProblem(
                decision.reason, "The participant is known from elsewhere; see `tributary enrolment move`.")
        }
    }

    /// Takes a submission whose signature holds into the chain of its key.
    ///
    /// - Returns: a problem where its number or id is spent, or where it would undo what the participant said later; nil
    ///   where it goes on.
    func take(
        _ signature: SubmissionSignature, of submission: QueuedSubmission, subjects: [ConsentGate.Subject],
        in transaction: any SQLTransaction
    ) throws -> SubmissionProblem? {
        guard try messages.standing(of: signature, in: transaction) != .conflict else {
            return SubmissionProblem(
                "signature-conflict",
                "The device's key signed something else under this number or id: the phone was restored from an older state, or its key is in two hands."
            )
        }
        try messages.note(signature, of: submission, in: transaction)
        let changesConsent = subjects.contains(.contract) || subjects.contains(.withdrawal)
        if changesConsent, try messages.hasLaterConsent(than: signature, in: transaction) {
            return SubmissionProblem(
                "consent-out-of-order",
                "The participant said something later about their consent, which came before this and holds.")
        }
        return nil
    }
}
