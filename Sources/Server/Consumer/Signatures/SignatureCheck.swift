import Foundation
import Storage
import Trust
import Wire

/// Says whether what came is the word of the device that it came from. It reads which keys are pinned and changes nothing.
struct SignatureCheck {
    let policy: SignaturePolicy
    /// Whether C3-PRO's apps are let in, which sign nothing.
    let acceptsC3PRO: Bool
    let access: AccessControl

    /// The key that a submission brings along.
    enum BroughtKey: Sendable, Hashable {
        /// There is no Contract in it.
        case noContract
        /// There is one, and it carries no key.
        case none
        /// The JWK in its Contract.
        case jwk(String)
    }

    /// The verdict about who sent a submission.
    enum Verdict: Sendable {
        /// The key pinned to the device signed it.
        case proven(SubmissionSignature)
        /// The key that the Contract carries signed it: a beginning, or a new phone.
        case selfProven(SubmissionSignature)
        /// The key pinned to this participant on another device signed the Contract.
        case provenElsewhere(SubmissionSignature, participant: String)
        /// Nobody signed it, and the study takes that.
        case unsigned
        /// Nobody knows the key yet: the Contract has not come.
        case unknown
        /// It is not the device's word.
        case forged(SubmissionProblem)

        /// The signature, where it is known to hold.
        var signature: SubmissionSignature? {
            switch self {
            case .proven(let signature), .selfProven(let signature), .provenElsewhere(let signature, _): signature
            case .unsigned, .unknown, .forged: nil
            }
        }
    }

    /// - Parameter participant: whom the device is bound to.
    func verdict(
        on signature: SubmissionSignature?, of submission: QueuedSubmission, participant: String?,
        bringing brought: BroughtKey, in transaction: any SQLTransaction
    ) throws -> Verdict {
        guard let signature else {
            return try unsigned(submission, participant: participant, bringing: brought, in: transaction)
        }
        guard submission.submissionID == signature.submissionID else {
            return .forged(Self.invalid("The queue has it under another id than the device gave it."))
        }
        // 1. A key that is pinned.
        if let pinned = try access.key(signature.keyID, in: transaction) {
            if let problem = problem(signature, pinned.jwk) { return .forged(problem) }
            if pinned.device == submission.lane { return .proven(signature) }
            guard participant == nil else {
                return .forged(Self.invalid("The key that signed it is pinned to another device."))
            }
            return brought == .noContract
                ? .unknown : .provenElsewhere(signature, participant: pinned.participant)
        }
        // 2. The key that the Contract itself brings.
        switch brought {
        case .jwk(let jwk):
            if let problem = problem(signature, Data(jwk.utf8)) { return .forged(problem) }
            return .selfProven(signature)
        case .none: return .forged(Self.invalid("The Contract does not carry the key that signed it."))
        case .noContract:
            return participant == nil
                ? .unknown : .forged(Self.invalid("The key that signed it is not the one of the device's participant."))
        }
    }

    private func unsigned(
        _ submission: QueuedSubmission, participant: String?, bringing brought: BroughtKey,
        in transaction: any SQLTransaction
    ) throws -> Verdict {
        // Who signs once signs for ever: nobody else can speak for them, whatever the study takes from others.
        if let participant, try access.key(ofParticipant: participant, in: transaction) != nil {
            // What waited since before the first key, and was taken then, is no less theirs now.
            if try SettlementRegister().wasHeldUnsigned(submission, in: transaction) { return .unsigned }
            return .forged(Self.missing("The participant's device signs what it sends, and this is not signed."))
        }
        if policy.acceptsUnsigned { return .unsigned }
        if submission.format == .c3pro, acceptsC3PRO { return .unsigned }
        // The receiver counts what devices send by their own numbers; what it sealed itself has none.
        if submission.format == .jwe, submission.sequence == nil, policy.acceptsGateway { return .unsigned }
        if try access.takesUnsigned(device: submission.lane, in: transaction) { return .unsigned }
        if participant == nil, brought == .noContract { return .unknown }
        return .forged(Self.missing("It is not signed by the device that sent it; see \"unsigned\" in study.json."))
    }

    private func problem(_ signature: SubmissionSignature, _ jwk: Data) -> SubmissionProblem? {
        do {
            try signature.verify(with: P256PublicKey(signingJWK: jwk), study: policy.study)
            return nil
        } catch {
            return Self.invalid(error.message)
        }
    }

    static func invalid(_ message: String) -> SubmissionProblem { SubmissionProblem("signature-invalid", message) }
    static func missing(_ message: String) -> SubmissionProblem { SubmissionProblem("signature-missing", message) }
}
