import Core
import Foundation

/// A link to the record that a site keeps of an identified person: a JWT (RFC 7519) signed with the study's link key
/// (ES256), which the participant's app hands in sealed. It says who made it, for whom, its own random id and its times,
/// and nothing of the person: which record it means is known to the site alone.
public struct LinkToken: Sendable, Hashable {
    /// Its random id (`jti`): 43 characters of base64url.
    public let id: String
    /// The id of the study that made it and takes it (`iss`, `aud`).
    public let study: String
    /// When it was made (`iat`), to the second.
    public let issuedAt: Date
    /// When it ends (`exp`), to the second.
    public let expiresAt: Date

    /// Seconds for which a link may be handed in: a day.
    public static let lifetime: TimeInterval = 86_400
    /// Bytes of a token beyond which nothing is read.
    public static let maximumBytes = 2_048
    /// The type that the header names (RFC 7519 section 5.1).
    private static let type = "JWT"
    private static let idLength = 43

    /// A new link.
    ///
    /// - Parameter random: 32 random bytes, fit for a secret.
    public init(random: [UInt8], study: String, now: Date) {
        id = Data(random).base64URL
        self.study = study
        issuedAt = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        expiresAt = issuedAt.addingTimeInterval(Self.lifetime)
    }

    /// Signs it. Throws what the key throws.
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

    /// Reads a token as it stands in a code that was scanned or a file that was saved: without the check of the signature,
    /// which only who knows the study's link key can make. A phone uses it before it hands the link in. Whether the link
    /// has ended is not asked here: the study goes by its own clock, at the moment when the link arrives.
    ///
    /// - Throws: ``WireError`` `link-invalid` where it is no link, or another study's.
    public init(scanned compact: Data, study: String?) throws(WireError) {
        try self.init(Self.jws(compact), study: study)
    }

    /// Reads a token and checks that the study's link key signed it.
    ///
    /// - Throws: ``WireError`` `link-invalid` where it is damaged, of another key or of another study: one answer to all.
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
        .linkInvalid, "This is no link of this study, or it is damaged: ask the study team for a new one.")
}
