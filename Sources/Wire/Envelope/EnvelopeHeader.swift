import Core
import Crypto
import Foundation

/// Format of an envelope that the server accepts.
public enum EnvelopeFormat: String, Sendable, Hashable, CaseIterable {
    /// JWE in JSON serialisation.
    case jwe
    /// C3-PRO's four members.
    case c3pro

    /// The media type of a request with this format.
    public var mediaType: String {
        switch self {
        case .jwe: "application/jose+json"
        case .c3pro: "application/json"
        }
    }
}

/// The part of an envelope that can be read without a key: everything that the receiver may know.
public struct EnvelopeHeader: Sendable, Hashable {
    /// The envelope's format.
    public let format: EnvelopeFormat
    /// The submission's id, a UUID in lower case. `nil` for C3-PRO only.
    public let submissionID: String?
    /// The number of the submission in the device's order, from 1. `nil` for C3-PRO only.
    public let sequence: Int64?
    /// The ids of the keys that the envelope names, in its order; for C3-PRO the one `key_id`, which may be empty.
    public let keyIDs: [String]
    /// The FHIR version of the payload: the header `fhirVersion`, or C3-PRO's `version` as written.
    public let fhirVersion: String?
    /// The type of the payload; `nil` if the header does not state it.
    public let contentType: PayloadType?
    /// C3-PRO's `message` text; `nil` for a JWE.
    public let message: String?
    /// SHA-256 as 64 hexadecimal digits in lower case: of all bytes of a JWE, of the text of a C3-PRO `message`. Two
    /// submissions with the same digest are the same.
    public let digest: String

    /// Reads an envelope and checks everything that can be checked without a key.
    ///
    /// Throws `envelope-malformed`, `envelope-unsupported` or `envelope-header-invalid`. It is not checked whether a
    /// key opens the envelope. Of a C3-PRO envelope, only the presence of its four texts and the base64 of key and
    /// message are checked.
    public static func read(from bytes: Data) throws(WireError) -> EnvelopeHeader {
        switch try ParsedEnvelope(bytes) {
        case .c3pro(let envelope):
            try envelope.checkEncoding()
            return EnvelopeHeader(
                format: .c3pro, submissionID: nil, sequence: nil, keyIDs: [envelope.keyID],
                fhirVersion: envelope.version,
                contentType: nil, message: envelope.message, digest: hexDigest(Data(envelope.message.utf8)))
        case .jwe(let jwe):
            let header = jwe.protected
            let contentType = try header["cty"].map { value throws(WireError) in
                guard let type = value.string.flatMap(PayloadType.init(header:)) else {
                    throw WireError(
                        .envelopeHeaderInvalid,
                        "The header cty must be application/fhir+json, application/fhir+ndjson or application/jose.")
                }
                return type
            }
            return EnvelopeHeader(
                format: .jwe, submissionID: try SubmissionHeader.checked(submissionID: header["sid"]?.string),
                sequence: try SubmissionHeader.checked(sequence: header["seq"]?.integer.map(Int64.init)),
                keyIDs: jwe.recipients.compactMap(\.keyID),
                fhirVersion: try header["fhirVersion"].map { version throws(WireError) in
                    try SubmissionHeader.checked(fhirVersion: version.string)
                },
                contentType: contentType, message: nil, digest: hexDigest(bytes))
        }
    }

    private static func hexDigest(_ bytes: Data) -> String { Hexadecimal.text(SHA256.hash(data: bytes)) }
}

/// An envelope of either format, distinguished by its members.
enum ParsedEnvelope: Sendable {
    case jwe(JWE)
    case c3pro(C3PROEnvelope)

    init(_ bytes: Data) throws(WireError) {
        guard let json = JSON(reading: bytes), json.object != nil else {
            throw WireError.malformed("The envelope is not a JSON object.")
        }
        if json["ciphertext"] != nil {
            self = .jwe(try JWE(json))
        } else if json["message"] != nil || json["symmetric_key"] != nil {
            self = .c3pro(try C3PROEnvelope(json))
        } else {
            throw WireError.malformed("The JSON is neither a JWE nor a C3-PRO envelope.")
        }
    }
}
