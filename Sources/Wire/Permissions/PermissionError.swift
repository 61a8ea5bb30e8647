import Core

/// A refusal of a call about permissions: by the server, or before a request is sent.
///
/// The message contains no value of the request.
public struct PermissionError: CodedError, Hashable {
    /// Kinds of refusal; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The body is not a JSON object or a form, has a duplicate or unknown field, lacks one, has one of another
        /// type, or is too long to be read.
        case malformed
        /// The value of a field breaks a rule.
        case badField = "bad_field"
        /// The cipher is not `ecdsa`.
        case badCipher = "bad_cipher"
        /// The period of a permission ends before it starts, or is longer than a year.
        case periodInvalid = "period_invalid"
        /// No csi has this guid.
        case unknownCsi = "unknown_csi"
        /// The signature is not that of the csi's key over this request.
        case badSignature = "bad_signature"
        /// The time of the request is more than 300 seconds from the time of the server.
        case staleRequest = "stale_request"
        /// The csi used the nonce before.
        case nonceReused = "nonce_reused"
        /// The csi may not do this.
        case notPermitted = "not_permitted"
        /// A permission that is passed on exceeds the one that it is based on.
        case delegationExceedsGrant = "delegation_exceeds_grant"
        /// A csi grants a permission to itself.
        case selfGrant = "self_grant"
        /// The study does not accept version 1 of the signatures.
        case legacyOff = "legacy_off"
        /// There is no such csi, or the caller may not see it.
        case noSuchCsi = "no_such_csi"
        /// The method of the request is not that of the call.
        case methodNotAllowed = "method_not_allowed"
        /// The guid is registered already.
        case csiExists = "csi_exists"
        /// Another key or another device is registered.
        case keyMismatch = "key_mismatch"
        /// The csi has ended.
        case csiRevoked = "csi_revoked"
        /// The body is larger than the server reads.
        case tooLarge = "too_large"
        /// The body has another media type.
        case unsupportedMediaType = "unsupported_media_type"
        /// The study stores no data that identify a person.
        case identifyingData = "identifying_data"
        /// Too many requests in a short time.
        case tooManyRequests = "too_many_requests"
        /// The server cannot answer now.
        case unavailable
        /// A request for a token lacks a parameter, or has an invalid one (RFC 6749 section 5.2).
        case invalidRequest = "invalid_request"
        /// The assertion of a request for a token is not valid (RFC 6749 section 5.2).
        case invalidClient = "invalid_client"
        /// The code of a request for a token is not valid (RFC 6749 section 5.2).
        case invalidGrant = "invalid_grant"
        /// The scope of a request for a token is not valid (RFC 6749 section 5.2).
        case invalidScope = "invalid_scope"
        /// The grant type of a request for a token is another one (RFC 6749 section 5.2).
        case unsupportedGrantType = "unsupported_grant_type"

        /// The HTTP status of the answer.
        public var status: Int {
            switch self {
            case .malformed, .badField, .badCipher, .periodInvalid, .invalidRequest, .invalidGrant, .invalidScope,
                .unsupportedGrantType:
                400
            case .unknownCsi, .badSignature, .staleRequest, .nonceReused, .invalidClient: 401
            case .notPermitted, .delegationExceedsGrant, .selfGrant, .legacyOff: 403
            case .noSuchCsi: 404
            case .methodNotAllowed: 405
            case .csiExists, .keyMismatch: 409
            case .csiRevoked: 410
            case .tooLarge: 413
            case .unsupportedMediaType: 415
            case .identifyingData: 422
            case .tooManyRequests: 429
            case .unavailable: 503
            }
        }
    }

    /// The kind of refusal.
    public let reason: Reason
    /// A sentence for people.
    public let message: String

    /// Creates a refusal.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `bad_signature`.
    public var code: String { reason.rawValue }

    /// The HTTP status of the answer.
    public var status: Int { reason.status }

    /// Returns the body of the answer to a call: `status`, `error`, `message` and `requestId`.
    public func json(requestID: String) -> JSON {
        [
            "status": "error", "error": .string(code), "message": .string(message), "requestId": .string(requestID),
        ]
    }

    static func malformed(_ message: String) -> PermissionError { PermissionError(.malformed, message) }

    static func field(_ name: String, _ rule: String) -> PermissionError {
        PermissionError(.badField, "The field \(name) \(rule).")
    }

    /// One error for each fault of a signature.
    static let signature = PermissionError(.badSignature, "The signature does not match the request.")
}
