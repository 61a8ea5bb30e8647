import Core
import Foundation

/// A link to the record that a site keeps of an identified person: a JWT (RFC 7519) signed with the study's link key
/// (ES256), which the participant's app submits sealed. It contains its issuer, its audience, a random id and its
/// times, and nothing about the person: only the site knows which record it refers to.
public struct LinkToken: Sendable, Hashable {
    /// The random id (`jti`): 43 characters of base64url.
    public let id: String
    /// The id of the study that issues and accepts it (`iss`, `aud`).
    public let study: String
    /// Time of issue (`iat`), to the second.
    public let issuedAt: Date
    /// Expiry time (`exp`), to the second.
    public let expiresAt: Date

    /// Lifetime of a link in seconds: one day.
    public static let lifetime: TimeInterval = 86_400
    /// Maximum length of a token in bytes.
    public static let maximumBytes = 2_048
    /// The type in the header (RFC 7519 section 5.1).
    private static let type = "JWT"
    private static let idLength = 43

    /// Creates a link.
    ///
    /// - Parameter random: 32 random bytes of cryptographic quality.
    public init(random: [UInt8], study: String, now: Date) {
        id = Data(random).base64URL
        self.study = study
        issuedAt = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        expiresAt = issuedAt.addingTimeInterval(Self.lifetime)
    }

    /// Signs the link. Throws the errors of the key.
    ///
    /// - Returns: the compact JWS.
    public func signed(with key: some DeviceSigning) throws -> Data {
        func seconds(_ date: Date) -> JSON { .number(JSONNumber(Int64(date.timeIntervalSince1970))) }
        let claims: JSON = [
            "iss": .string(study), "aud": .string(study), "jti": .string(id), "iat": seconds(issuedAt),
            "exp": seconds(expiresAt),
        ]
        return try JWS.sign(claims.data(), members: [.init(key: "typ", value: .string(Self.type))], with: key).bytes
    }

    /// Reads a token from a scanned code or a saved file, without verifying the signature, which needs the study's link
    /// key. A phone uses this before it submits the link. The expiry time is not checked here: the study checks it by
    /// its own clock when the link arrives.
    ///
    /// - Throws: ``WireError`` `link-invalid` if it is not a link, or another study's.
    public init(scanned compact: Data, study: String?) throws(WireError) {
        try self.init(Self.jws(compact), study: study)
    }

    /// Reads a token and verifies that the study's link key signed it.
    ///
    /// - Throws: ``WireError`` `link-invalid` if it is damaged, of another key or of another study: one error for all
    ///   of these.
    public init(reading compact: Data, signedBy key: P256PublicKey, study: String) throws(WireError) {
        let jws = try Self.jws(compact)
        guard jws.keyID == key.keyID, (try? jws.verify(with: key)) != nil else { throw Self.refusal }
        try self.init(jws, study: study)
    }

    private init(_ jws: JWS, study expected: String?) throws(WireError) {
        guard let claims = JSON(reading: jws.payload), let issuer = claims["iss"]?.string,
            claims["aud"]?.string == issuer, expected ?? issuer == issuer, let id = claims["jti"]?.string,
            Self.isID(id), let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer,
            issued >= 0, expires > issued
        else { throw Self.refusal }
        self.id = id
        study = issuer
        issuedAt = Date(timeIntervalSince1970: Double(issued))
        expiresAt = Date(timeIntervalSince1970: Double(expires))
    }

    private static func jws(_ compact: Data) throws(WireError) -> JWS {
        guard compact.count <= maximumBytes, let jws = try? JWS(compact: compact),
            jws.header["typ"]?.string == type
        else { throw refusal }
        return jws
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength && Data(base64URLText: Data(text.utf8)) != nil
    }

    private static let refusal = WireError(
        .linkInvalid, "This is not a link of this study, or it is damaged: ask the study team for a new one.")
}
