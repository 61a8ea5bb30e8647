import Core
import Crypto
import CryptoExtras
import Foundation

/// The key with which the server signs its id tokens. It is RSA, because OpenID Connect and SMART require RS256. Its
/// description contains the key id and never the key.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The thumbprint (RFC 7638).
    package let keyID: String
    private let key: _RSA.Signing.PrivateKey
    private let modulus: Data
    private let exponent: Data

    /// Generates a key of 2048 bits.
    package static func generate() throws -> SigningKey { try SigningKey(_RSA.Signing.PrivateKey(keySize: .bits2048)) }

    /// Reads a key from PEM.
    ///
    /// - Throws: ``SigningKeyError`` if it is not an RSA key of at least 2048 bits.
    package init(pem: String) throws {
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else { throw SigningKeyError() }
        try self.init(key)
    }

    private init(_ key: _RSA.Signing.PrivateKey) throws {
        guard key.keySizeInBits >= 2048, let numbers = try? key.publicKey.getKeyPrimitives() else {
            throw SigningKeyError()
        }
        self.key = key
        modulus = numbers.modulus
        exponent = numbers.publicExponent
        let members = "{\"e\":\"\(exponent.base64URL)\",\"kty\":\"RSA\",\"n\":\"\(modulus.base64URL)\"}"
        keyID = Data(SHA256.hash(data: Data(members.utf8))).base64URL
    }

    /// The private key as PEM. Secret.
    package var pem: String { key.pemRepresentation }

    /// The public key as a JWK.
    var jwk: JSON {
        [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(keyID), "n": .string(modulus.base64URL),
            "e": .string(exponent.base64URL),
        ]
    }

    /// Signs claims as a JWT (RFC 7519).
    func token(_ claims: JSON) throws -> String {
        let header: JSON = ["alg": "RS256", "typ": "JWT", "kid": .string(keyID)]
        let signed = header.data().base64URL + "." + claims.data().base64URL
        let signature = try key.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        return signed + "." + signature.rawRepresentation.base64URL
    }

    package var description: String { "RSA signing key \(keyID)" }
    package var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
}

/// The error of a missing or invalid signing key.
package struct SigningKeyError: CodedError, Hashable {
    package let code = "signing-key-invalid"
    package let message = "A signing key is an RSA private key of at least 2048 bits in PEM; see signing-keys/."

    package init() {}
}
