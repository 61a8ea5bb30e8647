import Core
import Foundation

/// A payload sealed as a JWE (RFC 7516, JSON serialisation) for one or several recipients.
public struct SealedEnvelope: Sendable, Hashable {
    /// The part of the envelope that is read without a key.
    public let header: SubmissionHeader
    /// The JSON text that is stored and sent.
    public let bytes: Data

    /// Seals a payload, unchanged byte for byte, with A256GCM under a fresh key.
    ///
    /// RSA recipients get the key by RSA-OAEP-256, P-256 ones by ECDH-ES+A256KW. One recipient gives the flattened,
    /// several the general serialisation. Throws `recipients-invalid` for none or more than 16.
    ///
    /// ```swift
    /// let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
    /// let sealed = try SealedEnvelope.seal(resource, as: header, to: PublicKey.read(from: jwks))
    /// ```
    public static func seal(
        _ payload: Data, as header: SubmissionHeader, to recipients: [PublicKey]
    ) throws(WireError) -> SealedEnvelope {
        let bytes = try JWE.seal(payload, protecting: header.members, to: recipients)
        return SealedEnvelope(header: header, bytes: bytes)
    }

    /// Signs a payload and seals the JWS: nobody who holds the recipients' public keys alone can make such an envelope.
    ///
    /// - Parameter previous: the digest of the device's previous JWS (``JWS/digest``); `nil` for its first.
    /// - Returns: the envelope, and the digest of the JWS in it for the next one.
    /// - Throws: what ``seal(_:as:to:)`` throws; what the key throws.
    public static func seal(
        _ payload: Data, as header: SubmissionHeader, to recipients: [PublicKey], signedBy signer: SubmissionSigner,
        previous: String?
    ) throws -> (envelope: SealedEnvelope, digest: String) {
        let jws = try SubmissionSignature.sign(
            payload, as: header, recipients: recipients, by: signer, previous: previous)
        let outer = try SubmissionHeader(
            submissionID: header.submissionID, sequence: header.sequence, fhirVersion: header.fhirVersion,
            contentType: .signed)
        return (try seal(jws.bytes, as: outer, to: recipients), jws.digest)
    }
}
