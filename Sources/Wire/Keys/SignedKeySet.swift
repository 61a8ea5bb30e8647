import Core
import Foundation

/// The public keys of a study, signed by its root key: a JWS over a JWK set (RFC 7517 section 5) that also contains the
/// study, the time of issue, the expiry time and the root's public key.
///
/// With the root's fingerprint, its thumbprint (RFC 7638), a client can verify that the keys are the study's, from any
/// source.
public struct SignedKeySet: Sendable, Hashable {
    /// The study's id.
    public let study: String
    /// The JWK set, as ``PublicKey/read(from:)`` reads it.
    public let jwks: Data
    /// Time of issue.
    public let issuedAt: Date
    /// Expiry time.
    public let expiresAt: Date

    /// The content type in the signed header.
    private static let contentType = "application/jwk-set+json"
    /// Maximum size of a set in bytes.
    public static let maximumBytes = 65_536
    /// Seconds by which a device's clock may be slow.
    private static let tolerance = 86_400.0

    /// Signs keys with the study's root key.
    ///
    /// - Returns: the compact JWS.
    /// - Throws: the errors of the root key; `key-set-invalid` for keys without a study.
    public static func sign(
        _ keys: PublishedKeys, issuedAt: Date, expiresAt: Date, with root: some DeviceSigning
    ) throws -> Data {
        guard keys.study != nil else { throw WireError(.keySetInvalid, "The keys to be signed do not name a study.") }
        func seconds(_ date: Date) -> JSON { .number(JSONNumber(Int64(date.timeIntervalSince1970))) }
        var payload = keys.json
        payload["iat"] = seconds(issuedAt)
        payload["exp"] = seconds(expiresAt)
        payload["root"] = JSON(reading: root.publicKey.signingJWK)
        let members = [JSONObject.Member(key: "cty", value: .string(contentType))]
        return try JWS.sign(payload.data(), members: members, with: root).bytes
    }

    /// Reads a set and checks that the root with this fingerprint signed it and that it is valid now.
    ///
    /// - Parameters:
    ///   - root: the fingerprint, 43 characters of base64url.
    /// - study: the id of the study to which it must belong; nil for any.
    /// - newest: time of issue of the newest known set; an older set is refused.
    /// - now: the present time.
    /// - Throws: ``WireError`` `key-set-invalid` for another root, another study, or anything that is not such a set;
    ///   `key-set-expired` for one that has expired, is not yet valid, or is older than the newest.
    public init(
        reading compact: Data, root fingerprint: String, study expected: String? = nil, newest: Date? = nil, now: Date
    ) throws(WireError) {
        let refusal = WireError(
            .keySetInvalid,
            "The study's keys are not signed by its root key: check the fingerprint and the address, and send nothing.")
        guard compact.count <= Self.maximumBytes, let jws = try? JWS(compact: compact),
            jws.header["cty"]?.string == Self.contentType, let payload = JSON(reading: jws.payload),
            let stated = payload["root"], let root = try? P256PublicKey(signingJWK: stated.data()),
            root.keyID == fingerprint, jws.keyID == fingerprint, (try? jws.verify(with: root)) != nil,
            let study = payload["study"]?.string, expected ?? study == study,
            let issued = payload["iat"]?.integer, let expires = payload["exp"]?.integer,
            (try? PublishedKeys(reading: jws.payload)) != nil
        else { throw refusal }
        issuedAt = Date(timeIntervalSince1970: Double(issued))
        expiresAt = Date(timeIntervalSince1970: Double(expires))
        guard now < expiresAt, issuedAt.timeIntervalSince(now) < Self.tolerance else {
            throw WireError(
                .keySetExpired,
                "The study's signed keys are not valid now: check the device's clock, or ask the study team.")
        }
        if let newest, issuedAt < newest {
            throw WireError(.keySetExpired, "The study's signed keys are older than those that this device has.")
        }
        self.study = study
        jwks = jws.payload
    }
}
