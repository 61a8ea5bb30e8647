import Core
import Foundation

/// A payload sealed as a JWE (RFC 7516, JSON serialisation) for one or several recipients.
public struct SealedEnvelope: Sendable, Hashable {
    /// The part of the envelope that can be read without a key.
    public let header: SubmissionHeader
    /// The JSON text that is stored and sent.
    public let bytes: Data

    /// Seals a payload, unchanged byte for byte, with A256GCM and a new key.
    ///
    /// The key is encrypted with RSA-OAEP-256 for RSA recipients and with ECDH-ES+A256KW for P-256 recipients. The JWE
    /// is flattened for one recipient and general for several. Throws `recipients-invalid` for no recipient or more
    /// than 16.
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

    /// Signs a payload and seals the JWS. The recipients' public keys alone are not enough to create such an envelope.
    ///
    /// - Parameter previous: the digest of the device's previous JWS (``JWS/digest``); `nil` for its first.
    /// - Returns: the envelope, and the digest of the JWS in it, which the next submission needs.
    /// - Throws: the errors of ``seal(_:as:to:)`` and of the key.
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
