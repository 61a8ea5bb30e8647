import Core

/// Reason why Wire refused a key, an envelope or a request to seal one.
///
/// The message never contains key material, plaintext or a part of an envelope.
public struct WireError: CodedError, Hashable {
    /// Kind of refusal; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The bytes are not an envelope of a known format: not JSON, or a member is missing or of the wrong type.
        case envelopeMalformed = "envelope-malformed"
        /// A well-formed envelope that uses unsupported features (`crit`, `zip`, another algorithm).
        case envelopeUnsupported = "envelope-unsupported"
        /// A member of the envelope's own header (`sid`, `seq`, `fhirVersion`, `cty`) is missing or out of range.
        case envelopeHeaderInvalid = "envelope-header-invalid"
        /// None of the keys opens the envelope, or it was damaged: deliberately one code for all of these.
        case envelopeUnreadable = "envelope-unreadable"
        /// A signed message is not well-formed, does not agree with its envelope, or its signature is invalid.
        case signatureInvalid = "signature-invalid"
        /// An envelope cannot be sealed as requested (no recipient, too many, the wrong kind of key).
        case recipientsInvalid = "recipients-invalid"
        /// The bytes are not a key in a known format.
        case keyMalformed = "key-malformed"
        /// A key of an unsupported kind or size.
        case keyUnsupported = "key-unsupported"
        /// The study's published keys are not signed by its root key.
        case keySetInvalid = "key-set-invalid"
        /// The study's signed keys are not valid at this time.
        case keySetExpired = "key-set-expired"
        /// A link to a record of the site is damaged, or belongs to another study.
        case linkInvalid = "link-invalid"
        /// A private key was given where a public one is expected.
        case keyIsPrivate = "key-is-private"
        /// A header is not a shared access signature.
        case sharedAccessSignatureInvalid = "shared-access-signature-invalid"
        /// A text is not a connection string of an event hub.
        case eventHubInvalid = "event-hub-invalid"
    }

    /// The kind of refusal.
    public let reason: Reason
    /// A sentence for people.
    public let message: String

    /// Creates an error.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `envelope-unreadable`.
    public var code: String { reason.rawValue }

    /// The one error for a wrong key, a damaged ciphertext and bad padding, so that probing reveals nothing.
    static let unreadable = WireError(
        .envelopeUnreadable, "The envelope cannot be opened: no available key fits it, or it was damaged in transit.")

    /// The cryptography library refuses its input: the payload or a key exceeds its limits.
    static let sealingFailed = WireError(
        .recipientsInvalid,
        "The envelope cannot be sealed: the payload or a recipient's key exceeds the limits.")

    static func signature(_ message: String) -> WireError { WireError(.signatureInvalid, message) }

    static func malformed(_ message: String) -> WireError { WireError(.envelopeMalformed, message) }

    static func unsupported(_ message: String) -> WireError { WireError(.envelopeUnsupported, message) }
}
