import Core
import Crypto
import CryptoExtras
import Foundation
import Testing
import Wire

@testable import Authorization

/// A client with a registered key of each kind.
struct TestClient: Sendable {
    var id = "hospital-app"
    var tokenURL = "https://study.example/oauth2/token"
    var now = Date(timeIntervalSince1970: 1_790_000_000)
    let p256 = P256.Signing.PrivateKey()
    let p384 = P384.Signing.PrivateKey()
    let rsa: _RSA.Signing.PrivateKey

    init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// Returns the coordinates of an uncompressed point.
    private static func coordinates(_ x963: Data) -> [(String, String)] {
        let half = (x963.count - 1) / 2
        return [("x", Data(x963.dropFirst().prefix(half)).base64URL), ("y", Data(x963.suffix(half)).base64URL)]
    }

    var jwks: Data {
        get throws {
            let rsaNumbers = try rsa.publicKey.getKeyPrimitives()
            let keys: [[(String, String)]] = [
                [("kty", "EC"), ("crv", "P-256"), ("kid", "small")]
                    + Self.coordinates(p256.publicKey.x963Representation),
                [("kty", "EC"), ("crv", "P-384"), ("kid", "large")]
                    + Self.coordinates(p384.publicKey.x963Representation),
                [
                    ("kty", "RSA"), ("kid", "rsa"), ("n", rsaNumbers.modulus.base64URL),
                    ("e", rsaNumbers.publicExponent.base64URL),
                ],
            ]
            let list = keys.map { JSON($0.map { .init(key: $0.0, value: .string($0.1)) }) }
            return JSON([.init(key: "keys", value: .array(list))]).data()
        }
    }

    /// The claims of a valid assertion.
    var claims: [String: JSON] {
        [
            "iss": .string(id), "sub": .string(id), "aud": .string(tokenURL), "jti": "a-token-of-one-use",
            "exp": .number(JSONNumber(Int64(now.timeIntervalSince1970) + 300)),
        ]
    }

    func assertion(
        _ claims: [String: JSON]? = nil, algorithm: String = "ES384", kid: String? = "large",
        type: String = "JWT", header more: [JSONObject.Member] = [], signature: Data? = nil
    ) throws -> String {
        var header: [JSONObject.Member] = [
            .init(key: "alg", value: .string(algorithm)), .init(key: "typ", value: .string(type)),
        ]
        if let kid { header.append(.init(key: "kid", value: .string(kid))) }
        let members = (claims ?? self.claims).sorted { $0.key < $1.key }
        let payload = JSON(members.map { .init(key: $0.key, value: $0.value) })
        let signed = JSON(header + more).data().base64URL + "." + payload.data().base64URL
        let own =
            switch algorithm {
            case "ES256": try p256.signature(for: Data(signed.utf8)).rawRepresentation
            case "RS256":
                try rsa.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
                    .rawRepresentation
            case "RS384":
                try rsa.signature(for: SHA384.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
                    .rawRepresentation
            default: try p384.signature(for: Data(signed.utf8)).rawRepresentation
            }
        return signed + "." + (signature ?? own).base64URL
    }

    /// Reads and verifies an assertion.
    func take(_ assertion: String, keySetURL: String? = nil) throws -> ClientAssertion {
        let read = try ClientAssertion(reading: assertion, tokenURL: tokenURL, now: now) { client in
            client == id ? keySetURL : nil
        }
        try read.verify(with: try SignatureKeySet(reading: jwks))
        return read
    }

    func refuses(_ assertion: String, keySetURL: String? = nil) -> Bool {
        do {
            _ = try take(assertion, keySetURL: keySetURL)
            return false
        } catch {
            return (error as? ClientAssertionError)?.code == "client-assertion-invalid"
        }
    }

    func changed(_ name: String, _ value: JSON?) -> [String: JSON] {
        var claims = claims
        claims[name] = value
        return claims
    }
}
