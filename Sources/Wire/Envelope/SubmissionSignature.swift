import Core
import Foundation

/// A device's signed statement about one submission: the protected header of the JWS in its envelope. A value of this
/// type agrees with its envelope. The signature itself and the owner of the key are only verified with the device's key
/// (``verify(with:study:)``).
public struct SubmissionSignature: Sendable, Hashable {
    /// The JWS.
    public let jws: JWS
    /// The thumbprint of the device's key (RFC 7638), as stated in the header.
    public let keyID: String
    /// The submission's id.
    public let submissionID: String
    /// The number of the submission in the device's order.
    public let sequence: Int64
    /// The FHIR version of the payload.
    public let fhirVersion: String
    /// The type of the payload.
    public let contentType: PayloadType
    /// The id of the study to which the submission is addressed.
    public let study: String
    /// The ids of the keys to which the submission was sealed, in their order.
    public let recipients: [String]
    /// The digest of the device's previous JWS (``JWS/digest``); `nil` for its first.
    public let previous: String?

    /// Reads the header of a JWS. Throws `signature-invalid` if a member is missing or malformed.
    init(_ jws: JWS) throws(WireError) {
        let header = jws.header
        let refusal = WireError.signature("A member of the signed header is missing or malformed.")
        guard let keyID = jws.keyID, keyID.utf8.count == 43, let type = header["cty"]?.string,
            let contentType = PayloadType(rawValue: type), contentType != .signed,
            let study = header["study"]?.string, (1...64).contains(study.utf8.count),
            let recipients = header["rcp"]?.texts, (1...JWE.maximumRecipients).contains(recipients.count)
        else { throw refusal }
        do {
            submissionID = try SubmissionHeader.checked(submissionID: header["sid"]?.string)
            sequence = try SubmissionHeader.checked(sequence: header["seq"]?.integer.map(Int64.init))
            fhirVersion = try SubmissionHeader.checked(fhirVersion: header["fhirVersion"]?.string)
        } catch { throw refusal }
        if let stated = header["prev"] {
            guard let digest = stated.string, digest.utf8.count == 64,
                digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { throw refusal }
            previous = digest
        } else {
            previous = nil
        }
        self.jws = jws
        self.keyID = keyID
        self.contentType = contentType
        self.study = study
        self.recipients = recipients
    }

    /// Checks that the signed header agrees with the envelope. Throws `signature-invalid`.
    func checkAgreement(with envelope: JWE) throws(WireError) {
        let outer = envelope.protected
        let id = try? SubmissionHeader.checked(submissionID: outer["sid"]?.string)
        guard id == submissionID, outer["seq"]?.integer.map(Int64.init) == sequence,
            outer["fhirVersion"]?.string == fhirVersion, envelope.recipients.compactMap(\.keyID) == recipients,
            envelope.recipients.count == recipients.count
        else { throw WireError.signature("The envelope does not agree with what the device signed.") }
    }

    /// Verifies the signature and checks that it is for this study. Throws `signature-invalid`.
    public func verify(with key: P256PublicKey, study: String) throws(WireError) {
        guard key.keyID == keyID else { throw WireError.signature("The signature names another key.") }
        guard study == self.study else { throw WireError.signature("The signature is for another study.") }
        try jws.verify(with: key)
    }

    /// Signs a payload for the envelope that will contain it.
    static func sign(
        _ payload: Data, as header: SubmissionHeader, recipients: [PublicKey], by signer: SubmissionSigner,
        previous: String?
    ) throws -> JWS {
        var members: [JSONObject.Member] = [
            .init(key: "cty", value: .string(header.contentType.rawValue)),
            .init(key: "sid", value: .string(header.submissionID)),
            .init(key: "seq", value: .number(JSONNumber(header.sequence))),
            .init(key: "fhirVersion", value: .string(header.fhirVersion)),
            .init(key: "study", value: .string(signer.study)),
            .init(key: "rcp", value: .array(recipients.map { .string($0.keyID) })),
        ]
        if let previous { members.append(.init(key: "prev", value: .string(previous))) }
        return try JWS.sign(payload, members: members, with: signer.key)
    }
}

/// A device's signing key, and the study for which it signs submissions.
public struct SubmissionSigner: Sendable {
    /// The device's key.
    public let key: any DeviceSigning
    /// The study's id.
    public let study: String

    /// Creates a signer.
    public init(key: any DeviceSigning, study: String) {
        self.key = key
        self.study = study
    }
}
