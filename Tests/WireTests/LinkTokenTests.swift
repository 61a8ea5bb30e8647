import Core
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct LinkTokenTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000.75)

    private func token(study: String = "s", byte: UInt8 = 7) -> LinkToken {
        LinkToken(random: [UInt8](repeating: byte, count: 32), study: study, now: now)
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? WireError)?.code ?? "\(error)" }
    }

    @Test func linkIsReadUnchangedAndHasNoOtherClaims() throws {
        let key = try P256SigningKey()
        let made = token()
        let compact = try made.signed(with: key)
        #expect(try LinkToken(reading: compact, signedBy: key.publicKey, study: "s") == made)
        #expect(try LinkToken(scanned: compact, study: "s") == made)
        #expect(try LinkToken(scanned: compact, study: nil) == made)
        let jws = try JWS(compact: compact)
        #expect(Set(jws.header.object?.members.map(\.key) ?? []) == ["alg", "kid", "typ"])
        let claims = try #require(JSON(reading: jws.payload)?.object)
        #expect(Set(claims.members.map(\.key)) == ["iss", "aud", "jti", "iat", "exp"])
        #expect(claims["iat"]?.integer == 1_790_000_000 && claims["exp"]?.integer == 1_790_086_400)
        #expect(made.id.utf8.count == 43)
        #expect(PayloadType(header: "jwt") == .link)
    }

    @Test func anotherKeyOrStudyIsRefused() throws {
        let (key, other) = (try P256SigningKey(), try P256SigningKey())
        let compact = try token().signed(with: key)
        #expect(code { _ = try LinkToken(reading: compact, signedBy: other.publicKey, study: "s") } == "link-invalid")
        #expect(code { _ = try LinkToken(reading: compact, signedBy: key.publicKey, study: "t") } == "link-invalid")
        #expect(code { _ = try LinkToken(scanned: compact, study: "t") } == "link-invalid")
        // Signed with another key, but with the identifier of this key.
        let claims = try JWS(compact: compact).payload
        let header = #"{"alg":"ES256","kid":"\#(key.publicKey.keyID)","typ":"JWT"}"#
        let input = Data(header.utf8).base64URL + "." + claims.base64URL
        let forged = input + "." + (try other.signature(of: Data(input.utf8))).base64URL
        #expect(
            code { _ = try LinkToken(reading: Data(forged.utf8), signedBy: key.publicKey, study: "s") }
                == "link-invalid")
    }

    /// A verifier that ignores the algorithm would use the public key as the secret of HS256.
    @Test(arguments: ["HS256", "none", "ES384", "RS256"])
    func otherAlgorithmsAreRefused(_ algorithm: String) throws {
        let key = try P256SigningKey()
        let claims = try JWS(compact: token().signed(with: key)).payload
        let header = #"{"alg":"\#(algorithm)","kid":"\#(key.publicKey.keyID)","typ":"JWT"}"#
        let input = Data(header.utf8).base64URL + "." + claims.base64URL
        let secrets = [key.publicKey.signingJWK, key.publicKey.x963, Data("super-duper-secret".utf8), Data()]
        for secret in secrets {
            let tag = Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret)))
            for signature in [tag, tag + tag, Data()] {
                let text = Data((input + "." + signature.base64URL).utf8)
                #expect(
                    code { _ = try LinkToken(reading: text, signedBy: key.publicKey, study: "s") } == "link-invalid")
            }
        }
    }

    @Test func tokenWithAKeyOrInvalidClaimsIsRefused() throws {
        let key = try P256SigningKey()
        let good: JSON = [
            "iss": "s", "aud": "s", "jti": .string(token().id), "iat": 1_790_000_000, "exp": 1_790_086_400,
        ]
        func signed(_ claims: JSON, _ members: [JSONObject.Member] = [.init(key: "typ", value: "JWT")]) throws -> Data {
            try JWS.sign(claims.data(), members: members, with: key).bytes
        }
        func read(_ compact: Data) -> String? {
            code { _ = try LinkToken(reading: compact, signedBy: key.publicKey, study: "s") }
        }
        #expect(try read(signed(good)) == nil)
        for members in [
            [], [("typ", JSON.string("JOSE"))],
            [("typ", "JWT"), ("jwk", JSON(reading: key.publicKey.signingJWK) ?? .null)],
            [("typ", "JWT"), ("crit", ["exp"])], [("typ", "JWT"), ("b64", false)],
        ] as [[(String, JSON)]] {
            #expect(
                try read(signed(good, members.map { .init(key: $0.0, value: $0.1) })) == "link-invalid", "\(members)")
        }
        for (name, value) in [
            ("iss", "t"), ("aud", "t"), ("aud", ["s"]), ("jti", "short"), ("jti", 7), ("iat", "now"), ("exp", .null),
            ("exp", 1_790_000_000), ("iat", -1), ("jti", .string(String(repeating: "*", count: 43))),
        ] as [(String, JSON)] {
            var claims = good
            claims[name] = value
            #expect(try read(signed(claims)) == "link-invalid", "\(name)")
        }
        for name in ["iss", "aud", "jti", "iat", "exp"] {
            var claims = try #require(good.object)
            claims[name] = nil
            #expect(try read(signed(.object(claims))) == "link-invalid", "\(name)")
        }
        var long = good
        long["more"] = .string(String(repeating: "x", count: LinkToken.maximumBytes))
        #expect(try read(signed(long)) == "link-invalid")
    }

    @Test func linkDamagedAnywhereIsRefused() throws {
        let key = try P256SigningKey()
        let compact = try token().signed(with: key)
        for index in compact.indices {
            var damaged = compact
            damaged[index] = damaged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(
                code { _ = try LinkToken(reading: damaged, signedBy: key.publicKey, study: "s") } == "link-invalid")
        }
        for count in 0..<compact.count {
            #expect(code { _ = try LinkToken(scanned: compact.prefix(count), study: nil) } == "link-invalid")
        }
    }
}
