import Core
import Crypto
import Foundation

/// The two envelopes the server takes.
public enum EnvelopeFormat: String, Sendable, Hashable, CaseIterable {
    /// JWE in JSON serialisation.
    case jwe
    /// C3-PRO's four members.
    case c3pro

    /// The media type under which a device sends it.
    public var mediaType: String {
        switch self {
        case .jwe: "application/jose+json"
        case .c3pro: "application/json"
        }
    }
}

/// The part of an envelope that is read without a key: all that the receiver may know.
public struct EnvelopeHeader: Sendable, Hashable {
    /// The envelope's format.
    public let format: EnvelopeFormat
    /// The submission's id, a UUID in lower case. `nil` for C3-PRO only.
    public let submissionID: String?
    /// The place in the device's order, from 1. `nil` for C3-PRO only.
    public let sequence: Int64?
    /// The keys it names, in its order; for C3-PRO the one `key_id`, which may be empty.
    public let keyIDs: [String]
    /// The FHIR version of the payload: the header `fhirVersion`, or C3-PRO's `version` as written.
    public let fhirVersion: String?
    /// One resource or several, or something signed; `nil` if not said.
    public let contentType: PayloadType?
    /// C3-PRO's `message` text; `nil` for a JWE.
    public let message: String?
    /// The digest that makes two submissions the same, SHA-256 as 64 hexadecimal digits in lower case: over all bytes
    /// of a JWE, over the text of a C3-PRO `message`.
    public let digest: String

    /// Reads and checks an envelope as far as it goes without a key.
    ///
    /// Throws `envelope-malformed`, `envelope-unsupported` or `envelope-header-invalid`. Whether a key opens it is not
    /// known here; of a C3-PRO envelope only that its four texts are there and that key and message are base64.
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

/// An envelope of either format, told apart by its members.
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
