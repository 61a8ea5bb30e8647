import Core
import Foundation

/// The signed statement of a device about one submission: what stands in the protected header of the JWS that its
/// envelope holds. A value of this type agrees with the envelope around it; whose key it is, and whether the signature
/// holds, only who knows the device's key can tell (``verify(with:study:)``).
public struct SubmissionSignature: Sendable, Hashable {
    /// The JWS.
    public let jws: JWS
    /// The thumbprint of the device's key (RFC 7638), as the header says.
    public let keyID: String
    /// The submission's id.
    public let submissionID: String
    /// The place in the device's order.
    public let sequence: Int64
    /// The FHIR version of the payload.
    public let fhirVersion: String
    /// One resource or several.
    public let contentType: PayloadType
    /// The id of the study that it is for.
    public let study: String
    /// The ids of the keys that it was sealed to, in their order.
    public let recipients: [String]
    /// The digest of the device's previous JWS (``JWS/digest``); `nil` for its first.
    public let previous: String?

    /// Reads the header of a JWS. Throws `signature-invalid` where something is missing or has not its form.
    init(_ jws: JWS) throws(WireError) {
        let header = jws.header
        let refusal = WireError.signature("The signed header lacks something, or says it in another form.")
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

    /// Checks that the header says what the envelope around it shows. Throws `signature-invalid`.
    func checkAgreement(with envelope: JWE) throws(WireError) {
        let outer = envelope.protected
        let id = try? SubmissionHeader.checked(submissionID: outer["sid"]?.string)
        guard id == submissionID, outer["seq"]?.integer.map(Int64.init) == sequence,
            outer["fhirVersion"]?.string == fhirVersion, envelope.recipients.compactMap(\.keyID) == recipients,
            envelope.recipients.count == recipients.count
        else { throw WireError.signature("The envelope does not say what the device signed.") }
    }

    /// Checks the signature and that it is for this study. Throws `signature-invalid`.
    public func verify(with key: P256PublicKey, study: String) throws(WireError) {
        guard key.keyID == keyID else { throw WireError.signature("The signature names another key.") }
        guard study == self.study else { throw WireError.signature("The signature is for another study.") }
        try jws.verify(with: key)
    }

    /// Signs a payload for the envelope that it goes into.
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

/// Who signs submissions, and for which study.
public struct SubmissionSigner: Sendable {
    /// The device's key.
    public let key: any DeviceSigning
    /// The study's id.
    public let study: String

    /// Puts a signer together.
    public init(key: any DeviceSigning, study: String) {
        self.key = key
        self.study = study
    }
}
