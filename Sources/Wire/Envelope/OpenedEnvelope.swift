import Core
import Foundation

/// The content of an envelope, and the values of its header.
public struct OpenedEnvelope: Sendable {
    /// The content, byte for byte as it was sealed; of a signed envelope, the signed content.
    public let payload: Data
    /// The envelope's format.
    public let format: EnvelopeFormat
    /// The id of the key that opened it.
    public let keyID: String
    /// The submission's id; `nil` for C3-PRO and for a JWE without one.
    public let submissionID: String?
    /// The number of the submission in the device's order; `nil` as above.
    public let sequence: Int64?
    /// The FHIR version, as ``EnvelopeHeader/fhirVersion``.
    public let fhirVersion: String?
    /// The type of the payload; `nil` if it is not stated or is another type.
    public let contentType: PayloadType?
    /// The device's signature, not yet verified; `nil` if the content is not signed.
    public let signature: SubmissionSignature?

    /// Opens an envelope of either format.
    ///
    /// Throws `envelope-malformed` or `envelope-unsupported` for faults that are visible without a key,
    /// `envelope-header-invalid` if `sid` or `seq` is present but not a UUID or a number, `envelope-unreadable` for all
    /// faults that only a key reveals, and `signature-invalid` if the JWS of a signed envelope is not well-formed or
    /// does not agree with the envelope. `sid` and `seq` may be missing here, as in an envelope of a general JOSE tool;
    /// the receiver requires them: ``EnvelopeHeader/read(from:)``.
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
