import Core
import Foundation

/// A signed request of a csi.
///
/// A value of this type is well-formed; nothing in it is proved. The server checks in this order: ``init(reading:path:)``,
/// ``checkCipher()``, ``checkTime(now:)``, the key of ``csi`` (for a registration ``registrationKey``),
/// ``verify(with:)``; then it stores the nonce, performs the effect and writes the audit row in one transaction. A nonce
/// is stored after the signature is verified: otherwise a stranger could use up the nonces of a csi.
public struct SignedCsiRequest: Sendable, Hashable {
    /// The call.
    public let call: CsiCall
    /// The caller as the request names it. A registration names the csi that it creates.
    public let csi: CsiGuid
    /// The version of the signature.
    public let version: CsiSignatureVersion
    /// The time of the request.
    public let time: CsiInstant
    /// The nonce, which the csi uses once.
    public let nonce: String
    /// The cipher as the request names it.
    public let cipher: String
    /// The signature as the request contains it, normally base64 of DER.
    public let signature: String
    /// The signature by the new key of ``CsiCall/rotateKey(_:)``; nil for other calls.
    public let proof: String?
    /// The body, byte for byte.
    public let body: Data
    /// The signed text.
    public let signedText: String

    /// The only cipher.
    public static let cipher = "ecdsa"
    /// Maximum bytes of a body.
    public static let maximumBytes = 65_536
    /// Maximum difference in seconds between the time of a request and that of the server.
    public static let timeTolerance: TimeInterval = 300
    /// Seconds for which a server stores a nonce. It is longer than the two tolerances of a request.
    public static let nonceLifetime: TimeInterval = 660

    /// Reads a request.
    ///
    /// - Throws: ``PermissionError`` `malformed` for a body that is too long, is not a JSON object, has duplicate,
    ///   unknown or missing fields or values of another type; `bad_field` and `period_invalid` for a value that breaks a
    ///   rule.
    public init(reading body: Data, path: CsiPath) throws(PermissionError) {
        // 1. The size, then JSON without duplicate names.
        guard body.count <= Self.maximumBytes else {
            throw .malformed("The body has more than \(Self.maximumBytes) bytes.")
        }
        guard let json = JSON(reading: body), let object = json.object else {
            throw .malformed("The body is not a JSON object.")
        }
        // 2. The version decides which fields the body has.
        var version = CsiSignatureVersion.v1
        if let named = object[Field.version] {
            guard named.string == CsiSignatureVersion.v2.rawValue else {
                throw .field(Field.version, "must be \"2\", or absent")
            }
            version = .v2
        }
        guard version == .v2 || path.hasVersion1 else {
            throw .malformed("The field \(Field.version) is missing; the call exists in version 2 only.")
        }
        let own = path.fields(version)
        let fields = try CsiFields(
            json,
            required: own.required + [path.cipherField, Field.csi, Field.time, Field.nonce, Field.signature]
                + (version == .v2 ? [Field.version] : []),
            optional: own.optional)
        // 3. The fields.
        csi = try fields.guid(Field.csi)
        time = try fields.instant(Field.time)
        nonce = try fields.text(Field.nonce, rule: "must have 16 to 64 letters, digits and -") { CsiText.isNonce($0) }
        cipher = try fields.text(path.cipherField)
        signature = try fields.text(Field.signature)
        proof = fields.value(Field.proof) == nil ? nil : try fields.text(Field.proof)
        call = try CsiCall(path, fields: fields, version: version)
        // 4. The text that was signed, rebuilt from the body.
        let rebuilt: String?
        switch version {
        case .v1: rebuilt = call.version1Payload(csi: csi, time: time, nonce: nonce)
        case .v2:
            rebuilt = try Self.version2Text(path: path, csi: csi, body: json, time: time, nonce: nonce)
        }
        guard let rebuilt else { throw .malformed("The call exists in version 2 only.") }
        signedText = rebuilt
        self.version = version
        self.body = body
    }

    enum Field {
        static let version = "sigVersion"
        static let csi = "csiGuid"
        static let time = "dateTime"
        static let nonce = "nonce"
        static let signature = "signature"
        static let proof = "proof"
    }

    /// Returns the text that version 2 signs. The digest is that of the body without `signature` and `proof`.
    static func version2Text(
        path: CsiPath, csi: CsiGuid, body: JSON, time: CsiInstant, nonce: String
    ) throws(PermissionError) -> String {
        var signed = body
        signed[Field.signature] = Optional<JSON>.none
        signed[Field.proof] = Optional<JSON>.none
        let digest = try CanonicalMessage.digest(signed)
        return "|FB2|\(CsiPath.method)|\(path.rawValue)|\(csi.text)|\(digest)|\(time.text)|\(nonce)|"
    }

    // MARK: - Checks

    /// Throws ``PermissionError`` `bad_cipher` for another cipher than `ecdsa`.
    public func checkCipher() throws(PermissionError) {
        guard cipher == Self.cipher else { throw PermissionError(.badCipher, "The cipher must be \(Self.cipher).") }
    }

    /// Throws ``PermissionError`` `stale_request` if the time of the request is more than 300 seconds from `now`.
    public func checkTime(now: Date) throws(PermissionError) {
        guard abs(time.date.timeIntervalSince(now)) <= Self.timeTolerance else {
            throw PermissionError(
                .staleRequest,
                "The time of the request is more than \(Int(Self.timeTolerance)) seconds from the time of the server.")
        }
    }

    /// The new key that a registration brings and is signed with; nil for other calls.
    public var registrationKey: P256PublicKey? {
        guard case .register(let registration) = call else { return nil }
        return registration.key
    }

    /// Verifies the signature with the key of the csi, and for a new key also its own signature.
    ///
    /// - Throws: ``PermissionError`` `bad_signature`, one error for each fault.
    public func verify(with key: P256PublicKey) throws(PermissionError) {
        let bytes = Data(signedText.utf8)
        guard key.verifies(base64Signature: signature, of: bytes) else { throw .signature }
        guard case .rotateKey(let new) = call else { return }
        guard let proof, new.verifies(base64Signature: proof, of: bytes) else { throw .signature }
    }
}
