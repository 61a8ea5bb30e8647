import Core
import Foundation

// JSON Web Keys, RFC 7517; the members of RSA and EC keys are those of RFC 7518 section 6.
extension PublicKey {
    /// The key as a JWK: `kty`, its numbers, `kid` (the thumbprint), `use` `enc`, and the `alg` for which it is used in
    /// a JWE.
    public var jwk: Data { jwkValue.data() }

    /// Returns keys as a JWK set (RFC 7517 section 5), optionally with the id of their study in the member `study`.
    public static func jwks(_ keys: [PublicKey], study: String? = nil) -> Data { jwksValue(keys, study: study).data() }

    static func jwksValue(_ keys: [PublicKey], study: String?) -> JSON {
        let keys = JSONObject.Member(key: "keys", value: .array(keys.map(\.jwkValue)))
        return JSON(study.map { [keys, .init(key: "study", value: .string($0))] } ?? [keys])
    }

    /// Returns the id of the study in a JWK set; `nil` if there is none.
    public static func study(ofKeys jwks: Data) -> String? {
        guard let study = JSON(reading: jwks)?["study"]?.string, (1...64).contains(study.utf8.count) else { return nil }
        return study
    }

    var jwkValue: JSON {
        let numbers: [(String, String)]
        switch self {
        case .rsa(let key):
            numbers = [("kty", "RSA"), ("n", key.modulus.base64URL), ("e", key.exponent.base64URL)]
        case .p256(let key): numbers = Self.ellipticMembers(key)
        }
        let labels = [("kid", keyID), ("use", "enc"), ("alg", keyManagement.rawValue)]
        return JSON((numbers + labels).map { .init(key: $0.0, value: .string($0.1)) })
    }

    /// Returns the members of a bare EC key, as in an `epk` header (RFC 7518 section 4.6.1.1).
    static func ellipticMembers(_ key: P256PublicKey) -> [(String, String)] {
        [("kty", "EC"), ("crv", "P-256"), ("x", key.x.base64URL), ("y", key.y.base64URL)]
    }

    /// Reads the public members; `kid`, `use` and `alg` are ignored.
    init(jwk: JSON) throws(WireError) {
        guard let type = jwk["kty"]?.string else { throw WireError(.keyMalformed, "The JWK has no kty.") }
        switch type {
        case "RSA":
            guard let modulus = jwk["n"]?.string.flatMap({ Data(base64URL: $0) }),
                let exponent = jwk["e"]?.string.flatMap({ Data(base64URL: $0) })
            else { throw WireError(.keyMalformed, "The RSA key's n and e must be base64url text.") }
            self = .rsa(try RSAPublicKey(modulus: modulus, exponent: exponent))
        case "EC":
            guard jwk["crv"]?.string == "P-256" else {
                throw WireError(.keyUnsupported, "P-256 is the only supported elliptic curve.")
            }
            self = .p256(try P256PublicKey(x963: Self.point(jwk, coordinateBytes: 32)))
        default: throw WireError(.keyUnsupported, "The key is neither RSA nor P-256.")
        }
    }

    /// Returns the uncompressed point of an EC key. Each coordinate must have the full length (RFC 7518 section
    /// 6.2.1.2).
    static func point(_ jwk: JSON, coordinateBytes count: Int) throws(WireError) -> Data {
        guard let x = jwk["x"]?.string.flatMap({ Data(base64URL: $0) }), x.count == count,
            let y = jwk["y"]?.string.flatMap({ Data(base64URL: $0) }), y.count == count
        else { throw WireError(.keyMalformed, "The EC key's x and y must be \(count) bytes of base64url text.") }
        return Data([4]) + x + y
    }
}
