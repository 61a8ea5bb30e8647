import Core
import Foundation

/// The document's request for a code: `POST /vaca/auth`. A value of this type is well-formed; nothing in it is proved.
///
/// The server checks in this order: ``init(reading:)``, the key of ``issuer``, ``check(audience:now:)``,
/// ``verify(with:)``, then that ``replayKey`` was not used before.
public struct LegacyAuthRequest: Sendable, Hashable {
    /// The csi that signs: `iss` and `sub`.
    public let issuer: CsiGuid
    /// The address of this call at the server: `aud`.
    public let audience: String
    /// The requested scope, separated by spaces.
    public let scope: String
    /// The state, which the answer repeats; the document's client sends its device id.
    public let state: String
    private let issuedAt: Int
    private let expiresAt: Int
    private let assertion: LegacyAssertion

    /// The path of the call.
    public static let path = "/vaca/auth"
    /// Maximum difference in seconds between the device's clock and the server's.
    public static let clockTolerance = 300
    /// Maximum seconds from `iat` to `exp`.
    public static let longestLife = 300
    /// Seconds for which a server stores a ``replayKey``.
    public static let replayLifetime = 900
    private static let header = #"{"alg":"ES256","typ":"jwt"}"#

    /// Reads a form. Throws ``PermissionError`` `invalid_request`, `unsupported_grant_type`, `invalid_client`.
    public init(reading body: Data) throws(PermissionError) {
        let form = try LegacyForm(reading: body, typeField: "assertion_type")
        assertion = try LegacyAssertion(reading: try form.value("assertion"))
        issuer = try assertion.guid("iss")
        guard try assertion.guid("sub") == issuer else { throw LegacyAssertion.refusal }
        audience = try assertion.text("aud", limit: 2_000)
        scope = try assertion.text("scope", limit: 4_000)
        state = try assertion.text("sta", limit: 256)
        _ = try assertion.text("jti", limit: 256)
        issuedAt = try assertion.seconds("iat")
        expiresAt = try assertion.seconds("exp")
    }

    /// Checks the audience and the times. The document's client uses the clock of the device, so 300 seconds of
    /// difference are accepted.
    ///
    /// - Throws: ``PermissionError`` `invalid_client`.
    public func check(audience expected: String, now: Date) throws(PermissionError) {
        let present = now.timeIntervalSince1970
        let tolerance = Double(Self.clockTolerance)
        guard audience.utf8.elementsEqual(expected.utf8), abs(present - Double(issuedAt)) <= tolerance,
            expiresAt > issuedAt, expiresAt - issuedAt <= Self.longestLife, present <= Double(expiresAt) + tolerance
        else { throw LegacyAssertion.refusal }
    }

    /// Verifies the signature with the key of the issuer. Throws ``PermissionError`` `invalid_client`.
    public func verify(with key: P256PublicKey) throws(PermissionError) { try assertion.verify(with: key) }

    /// A key by which a second use is found: issuer, time of issue and digest of the payload. The `jti` is the id of the
    /// device in each request, and so is no nonce.
    public var replayKey: String { "\(issuer.text) \(issuedAt) \(assertion.digest)" }

    /// Returns the form of the document's client, in which nothing is escaped.
    ///
    /// - Parameters:
    ///   - audience: the address of this call at the server.
    ///   - deviceID: `jti` and `sta`.
    ///   - now: the time of the device.
    /// - Throws: the errors of the key.
    public static func form(
        csi: CsiGuid, audience: String, deviceID: String, scope: String, now: Date, key: some DeviceSigning
    ) throws -> String {
        let begin = Int(now.timeIntervalSince1970.rounded(.down))
        // The document's client writes the times as texts.
        let claims: JSON = [
            "iss": .string(csi.text), "sub": .string(csi.text), "aud": .string(audience),
            "iat": .string(String(begin)), "exp": .string(String(begin + longestLife)), "jti": .string(deviceID),
            "scope": .string(scope), "sta": .string(deviceID),
        ]
        let assertion = try LegacyAssertion.signed(header: header, payload: claims.data(), with: key)
        return "grant_type=\(LegacyForm.grantType)&assertion_type=\(LegacyForm.assertionType)&assertion=\(assertion)"
    }
}

/// The document's request for a token: `POST /vaca/access`. A value of this type is well-formed; nothing in it is proved.
///
/// It has no time and no audience: the code must be short-lived, valid once, and bound to its csi.
public struct LegacyAccessRequest: Sendable, Hashable {
    /// The csi that signs: `iss`.
    public let issuer: CsiGuid
    /// The code of the answer to ``LegacyAuthRequest``.
    public let code: String
    private let assertion: LegacyAssertion

    /// The path of the call.
    public static let path = "/vaca/access"

    /// Reads a form. Throws ``PermissionError`` `invalid_request`, `unsupported_grant_type`, `invalid_client`, and
    /// `invalid_grant` if form and assertion have different codes.
    public init(reading body: Data) throws(PermissionError) {
        let form = try LegacyForm(reading: body, typeField: "client_assertion_type")
        assertion = try LegacyAssertion(reading: try form.value("client_assertion"))
        issuer = try assertion.guid("iss")
        code = try form.value("code")
        let signed = try assertion.text("code", limit: 256)
        guard signed.utf8.elementsEqual(code.utf8) else {
            throw PermissionError(.invalidGrant, "The code is not the one that is signed.")
        }
    }

    /// Verifies the signature with the key of the issuer. Throws ``PermissionError`` `invalid_client`.
    public func verify(with key: P256PublicKey) throws(PermissionError) { try assertion.verify(with: key) }

    /// The two forms of the request.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// The document's text.
        case document
        /// The same text escaped once more, as the app and the library send it.
        case escapedAgain
    }

    /// Returns the form of the document's client. Throws the errors of the key.
    public static func form(
        _ form: Form = .document, csi: CsiGuid, code: String, key: some DeviceSigning
    ) throws -> String {
        let header: JSON = ["kid": .string(csi.text), "alg": "ES256"]
        let claims: JSON = ["code": .string(code), "iss": .string(csi.text)]
        let assertion = try LegacyAssertion.signed(header: header.text(), payload: claims.data(), with: key)
        let type = PercentEncoding.encode(LegacyForm.assertionType)
        let text =
            "grant_type=\(LegacyForm.grantType)&code=\(code)&client_assertion_type=\(type)"
            + "&client_assertion=\(assertion)"
        return form == .document ? text : escapedAgain(text)
    }

    /// Escapes a text as `URLHostAllowedCharacterSet` does, and `+` as well.
    private static func escapedAgain(_ text: String) -> String {
        let kept = Set("!$&'()*,-.:;=[]_~".utf8)
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: output.append(byte)
            case _ where kept.contains(byte): output.append(byte)
            default: output += "%\(Hexadecimal.text([byte]).uppercased())".utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
