import Core

/// The reason that Wire refused a key, an envelope or a request to seal one.
///
/// The message never holds key material, plaintext or a part of an envelope.
public struct WireError: CodedError, Hashable {
    /// The kinds of refusal; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The bytes are no envelope of a format we know: not JSON, a member missing or of the wrong type.
        case envelopeMalformed = "envelope-malformed"
        /// A well-formed envelope that uses what we do not take (`crit`, `zip`, another algorithm).
        case envelopeUnsupported = "envelope-unsupported"
        /// The envelope's own header names (`sid`, `seq`, `fhirVersion`, `cty`) are missing or out of range.
        case envelopeHeaderInvalid = "envelope-header-invalid"
        /// No key we hold opens the envelope, or it was damaged: deliberately one code for all of these.
        case envelopeUnreadable = "envelope-unreadable"
        /// A signed message is not well-formed, does not say what stands around it, or its signature does not hold.
        case signatureInvalid = "signature-invalid"
        /// An envelope cannot be sealed as asked (no recipient, too many, the wrong kind of key).
        case recipientsInvalid = "recipients-invalid"
        /// The bytes are no key in a format we know.
        case keyMalformed = "key-malformed"
        /// A key of a kind or size we do not use.
        case keyUnsupported = "key-unsupported"
        /// The study's published keys are not signed by its root key.
        case keySetInvalid = "key-set-invalid"
        /// The study's signed keys are not in force.
        case keySetExpired = "key-set-expired"
        /// A link to a record of the site is damaged, or not this study's.
        case linkInvalid = "link-invalid"
        /// A private key stands where a public one was expected.
        case keyIsPrivate = "key-is-private"
        /// A header is no shared access signature.
        case sharedAccessSignatureInvalid = "shared-access-signature-invalid"
        /// A text is no connection string of an event hub.
        case eventHubInvalid = "event-hub-invalid"
    }

    /// The kind of refusal.
    public let reason: Reason
    /// A sentence for a person.
    public let message: String

    /// Makes an error of this kind with this sentence.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `envelope-unreadable`.
    public var code: String { reason.rawValue }

    /// The one answer to a wrong key, a damaged ciphertext and bad padding: whoever probes learns nothing from it.
    static let unreadable = WireError(
        .envelopeUnreadable, "The envelope cannot be opened: no key at hand fits it, or it was damaged on the way.")

    /// The cryptography library refuses what we give it: the payload or a key is beyond its limits.
    static let sealingFailed = WireError(
        .recipientsInvalid,
        "The envelope cannot be sealed: the payload or a recipient's key is beyond what can be sealed.")

    static func signature(_ message: String) -> WireError { WireError(.signatureInvalid, message) }

    static func malformed(_ message: String) -> WireError { WireError(.envelopeMalformed, message) }

    static func unsupported(_ message: String) -> WireError { WireError(.envelopeUnsupported, message) }
}
