import Core
import Foundation

/// An envelope's content and what its header said about it.
public struct OpenedEnvelope: Sendable {
    /// The content, byte for byte as it was sealed; of a signed one what was signed.
    public let payload: Data
    /// The envelope's format.
    public let format: EnvelopeFormat
    /// The id of the key that opened it.
    public let keyID: String
    /// The submission's id; `nil` for C3-PRO, or a JWE of someone who left it out.
    public let submissionID: String?
    /// The place in the device's order; `nil` as above.
    public let sequence: Int64?
    /// The FHIR version, as ``EnvelopeHeader/fhirVersion``.
    public let fhirVersion: String?
    /// One resource or several; `nil` if not said or of another type.
    public let contentType: PayloadType?
    /// The device's signature, not checked yet; `nil` for what is unsigned.
    public let signature: SubmissionSignature?

    /// Opens an envelope of either format.
    ///
    /// Throws `envelope-malformed` or `envelope-unsupported` for what shows without a key, `envelope-header-invalid` if
    /// `sid` or `seq` is there but no UUID or number, `envelope-unreadable` for everything that only a key shows, and
    /// `signature-invalid` for a signed one whose JWS is not well-formed or says something else than the envelope.
    /// Here `sid` and `seq` may be missing, as in an envelope of a general JOSE tool; the receiver wants them:
    /// ``EnvelopeHeader/read(from:)``.
    public static func open(_ bytes: Data, with opener: some EnvelopeKeyOpener) throws(WireError) -> OpenedEnvelope {
        switch try ParsedEnvelope(bytes) {
        case .c3pro(let envelope):
            let opened = try envelope.open(with: opener)
            return OpenedEnvelope(
                payload: opened.payload, format: .c3pro, keyID: opened.keyID, submissionID: nil, sequence: nil,
                fhirVersion: envelope.version, contentType: nil, signature: nil)
        case .jwe(let jwe):
            let header = jwe.protected
            let submissionID = try header["sid"].map { id throws(WireError) in
                try SubmissionHeader.checked(submissionID: id.string)
            }
            let sequence = try header["seq"].map { number throws(WireError) in
                try SubmissionHeader.checked(sequence: number.integer.map(Int64.init))
            }
            let opened = try jwe.open(with: opener)
            let contentType = header["cty"]?.string.flatMap(PayloadType.init(header:))
            if contentType == .signed {
                let signature = try SubmissionSignature(JWS(compact: opened.payload))
                try signature.checkAgreement(with: jwe)
                return OpenedEnvelope(
                    payload: signature.jws.payload, format: .jwe, keyID: opened.keyID, submissionID: submissionID,
                    sequence: sequence, fhirVersion: signature.fhirVersion, contentType: signature.contentType,
                    signature: signature)
            }
            return OpenedEnvelope(
                payload: opened.payload, format: .jwe, keyID: opened.keyID, submissionID: submissionID,
                sequence: sequence,
                fhirVersion: header["fhirVersion"]?.string,
                contentType: contentType, signature: nil)
        }
    }
}
