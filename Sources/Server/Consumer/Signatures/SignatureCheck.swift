import Admission
import Enrolments
import Foundation
import Storage
import Submissions
import Wire

/// Decides whether a submission comes from the device that it claims. It reads the pinned keys and changes nothing.
struct SignatureCheck {
    let policy: SignaturePolicy
    /// Whether C3-PRO's apps are accepted, which do not sign.
    let acceptsC3PRO: Bool
    let access: EnrolmentStore

    /// Key in a submission's Contract.
    enum BroughtKey: Sendable, Hashable {
        /// The submission contains no Contract.
        case noContract
        /// The Contract contains no key.
        case none
        /// JWK of the Contract.
        case jwk(String)
    }

    /// Result of the check.
    enum Verdict: Sendable {
        /// Signed with the key that is pinned to the device.
        case proven(SubmissionSignature)
        /// Signed with the key in its Contract: a new participant, or a new phone.
        case selfProven(SubmissionSignature)
        /// A Contract signed with the key that is pinned to this participant on another device.
        case provenElsewhere(SubmissionSignature, participant: String)
        /// Unsigned, which the study accepts.
        case unsigned
        /// The key is not known yet, because the Contract has not arrived.
        case unknown
        /// Not from the device.
        case forged(SubmissionProblem)

        /// The signature, if it is valid.
        var signature: SubmissionSignature? {
            switch self {
            case .proven(let signature), .selfProven(let signature), .provenElsewhere(let signature, _): signature
            case .unsigned, .unknown, .forged: nil
            }
        }
    }

    /// - Parameter participant: participant to which the device is bound.
    func verdict(
        on signature: SubmissionSignature?, of submission: QueuedSubmission, participant: String?,
        bringing brought: BroughtKey, in transaction: any SQLTransaction
    ) throws -> Verdict {
        guard let signature else {
            return try unsigned(submission, participant: participant, bringing: brought, in: transaction)
        }
        guard submission.submissionID == signature.submissionID else {
            return .forged(Self.invalid("Its id in the queue differs from the id that the device signed."))
        }
        // 1. A pinned key.
        if let pinned = try access.key(signature.keyID, in: transaction) {
            if let problem = problem(signature, pinned.jwk) { return .forged(problem) }
            if pinned.device == submission.enrolmentID { return .proven(signature) }
            guard participant == nil else {
                return .forged(Self.invalid("The key that signed it is pinned to another device."))
            }
            return brought == .noContract
                ? .unknown : .provenElsewhere(signature, participant: pinned.participant)
        }
        // 2. The key of the Contract itself.
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
        // After the first signature a participant must always sign, even if the study accepts unsigned submissions from
        // others.
        if let participant, try access.key(ofParticipant: participant, in: transaction) != nil {
            // A submission that was accepted and held before the first key stays valid.
            if try OutcomeStore().wasHeldUnsigned(submission, in: transaction) { return .unsigned }
            return .forged(Self.missing("The participant's device signs its submissions, but this one is not signed."))
        }
        if policy.acceptsUnsigned { return .unsigned }
        if submission.format == .c3pro, acceptsC3PRO { return .unsigned }
        // A submission of a device has a sequence number; one that the receiver sealed itself has none.
        if submission.format == .jwe, submission.sequence == nil, policy.acceptsGateway { return .unsigned }
        if try access.acceptsUnsigned(device: submission.enrolmentID, in: transaction) { return .unsigned }
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
