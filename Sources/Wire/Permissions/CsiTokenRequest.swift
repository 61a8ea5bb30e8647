import Core
import Foundation

/// A csi's request for an access token at the standard token endpoint: `client_credentials` with `private_key_jwt`
/// (RFC 7523 section 2.2), signed with ES256. The client's id and the id of its key are the guid.
public enum CsiTokenRequest {
    /// The media type of the form.
    public static let mediaType = "application/x-www-form-urlencoded"
    /// Seconds from `iat` to `exp`.
    public static let lifetime = 240

    /// Returns the form.
    ///
    /// - Parameters:
    ///   - tokenURL: the published address of the token endpoint: the audience.
    ///   - scope: the requested scope; nil for all access that the csi has.
    ///   - now: the time of the server.
    ///   - tokenID: `jti`, 8 to 256 random characters, used once.
    /// - Throws: the errors of the key.
    public static func form(
        csi: CsiGuid, tokenURL: String, scope: String? = nil, now: Date, tokenID: String, key: some DeviceSigning
    ) throws -> String {
        let begin = Int64(now.timeIntervalSince1970.rounded(.down))
        let claims: JSON = [
            "iss": .string(csi.text), "sub": .string(csi.text), "aud": .string(tokenURL), "jti": .string(tokenID),
            "iat": .number(JSONNumber(begin)), "exp": .number(JSONNumber(begin + Int64(lifetime))),
        ]
        let assertion = try JWS.sign(
            claims.data(), members: [.init(key: "typ", value: "JWT")], keyID: csi.text, with: key)
        var fields = [("grant_type", "client_credentials")]
        if let scope { fields.append(("scope", scope)) }
        fields += [
            ("client_assertion_type", LegacyForm.assertionType),
            ("client_assertion", String(decoding: assertion.bytes, as: UTF8.self)),
        ]
        return fields.map { "\($0.0)=\(PercentEncoding.encodeForm($0.1))" }.joined(separator: "&")
    }
}
