import Core
import Crypto
import CryptoExtras
import Foundation
import Testing
import Wire

@testable import Authorization

/// A client that registered a key of each kind.
private struct TestClient {
    let id = "hospital-app"
    let tokenURL = "https://study.example/oauth2/token"
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    let p256 = P256.Signing.PrivateKey()
    let p384 = P384.Signing.PrivateKey()
    let rsa: _RSA.Signing.PrivateKey

    init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// A coordinate of an uncompressed point.
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

    /// The claims of an assertion that is right.
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

    /// Reads and verifies.
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

@Suite struct ClientAssertionTests {
    private let client: TestClient

    init() throws { client = try TestClient() }

    @Test(arguments: [("ES256", "small"), ("ES384", "large"), ("RS256", "rsa"), ("RS384", "rsa")])
    func aClientProvesItselfByAnyOfTheFourAlgorithms(algorithm: String, kid: String) throws {
        let taken = try client.take(client.assertion(algorithm: algorithm, kid: kid))
        #expect(taken.clientID == client.id && taken.use.tokenID == "a-token-of-one-use")
        #expect(taken.use.expiresAt == client.now.addingTimeInterval(300))
    }

    @Test(arguments: ["none", "None", "nOnE", "HS256", "HS384", "PS384", "ES512", "EdDSA", ""])
    func j01J02AnAlgorithmThatIsNoneOrOfASharedSecretIsRefused(algorithm: String) throws {
        #expect(client.refuses(try client.assertion(algorithm: algorithm)))
        #expect(client.refuses(try client.assertion(algorithm: algorithm, signature: Data())))
        // The public key taken for a secret.
        let secret = SymmetricKey(data: try client.jwks)
        let bytes = Data(
            try client.assertion(algorithm: algorithm).split(separator: ".").dropLast().joined(separator: ".").utf8)
        let mac = Data(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
        #expect(client.refuses(try client.assertion(algorithm: algorithm, signature: mac)))
    }

    @Test(arguments: [("ES256", "rsa"), ("ES256", "large"), ("ES384", "small"), ("RS256", "large"), ("RS384", "small")])
    func j03AKeyOfAnotherKindFitsNothing(algorithm: String, kid: String) throws {
        #expect(client.refuses(try client.assertion(algorithm: algorithm, kid: kid)))
    }

    @Test(arguments: [
        nil, "", "../../etc/passwd", "' OR 1=1 --", "large\u{0}", "LARGE", "unknown",
        String(repeating: "k", count: 1 << 20),
    ])
    func j04AKidThatNamesNoKeyIsRefused(kid: String?) throws {
        #expect(client.refuses(try client.assertion(kid: kid)))
    }

    @Test(arguments: ["jwk", "x5c", "jku", "x5u", "x5t"])
    func j05AKeyThatComesAlongIsNotFollowed(member: String) throws {
        let value: JSON = member == "jwk" ? ["kty": "EC"] : "https://attacker.example/keys"
        #expect(client.refuses(try client.assertion(header: [.init(key: member, value: value)])))
    }

    @Test func j06JkuIsTheRegisteredAddressToTheLetterOrRefused() throws {
        let registered = "https://client.example/jwks.json"
        for other in [
            "https://client.example/jwks.json/", "https://CLIENT.example/jwks.json",
            "https://client.example@attacker.example/jwks.json", "http://client.example/jwks.json", "",
        ] {
            let assertion = try client.assertion(header: [.init(key: "jku", value: .string(other))])
            #expect(client.refuses(assertion, keySetURL: registered), "\(other)")
        }
        let right = try client.assertion(header: [.init(key: "jku", value: .string(registered))])
        _ = try client.take(right, keySetURL: registered)
        #expect(client.refuses(right), "nothing is registered")
    }

    @Test func j07TimesAreNowAndNotForLong() throws {
        let now = Int64(client.now.timeIntervalSince1970)
        func number(_ value: Int64) -> JSON { .number(JSONNumber(value)) }
        let ends: [JSON?] = [
            nil, number(now), number(now - 1), number(now + 301), number(-1), .string("\(now + 100)"),
            JSON(reading: Data("1e308".utf8)), JSON(reading: Data("\(now + 100).5".utf8)), .null, number(.max),
        ]
        for end in ends { #expect(client.refuses(try client.assertion(client.changed("exp", end)))) }
        for name in ["iat", "nbf"] {
            for begin in [number(now + 31), number(-1), .string("\(now)"), .null] {
                #expect(client.refuses(try client.assertion(client.changed(name, begin))), "\(name)")
            }
            _ = try client.take(client.assertion(client.changed(name, number(now + 30))))
        }
        // Ten minutes of which five are over.
        #expect(client.refuses(try client.assertion(client.changed("iat", number(now - 1)))))
        _ = try client.take(client.assertion(client.changed("exp", number(now + 1))))
    }

    @Test func j08TheAudienceIsTheTokenEndpointToTheLetter() throws {
        let url = client.tokenURL
        let others: [JSON?] = [
            nil, "https://other.example/oauth2/token", .string(url + "/"), .string(url.uppercased()),
            .string(url.replacingOccurrences(of: "https", with: "http")),
            .array([.string(url), "https://other.example"]),
            .array([]), .array(["https://other.example"]), .null,
        ]
        for audience in others { #expect(client.refuses(try client.assertion(client.changed("aud", audience)))) }
        _ = try client.take(client.assertion(client.changed("aud", .array([.string(url)]))))
    }

    @Test func j09IssuerAndSubjectAreOneClient() throws {
        for value: JSON? in [nil, "another", "", .null, 1] {
            #expect(client.refuses(try client.assertion(client.changed("sub", value))))
            #expect(client.refuses(try client.assertion(client.changed("iss", value))))
        }
    }

    @Test func j10AnIdIsLongEnoughToBeUsedOnce() throws {
        for value: JSON? in [nil, "", "x", .string(String(repeating: "j", count: 257)), 12_345_678] {
            #expect(client.refuses(try client.assertion(client.changed("jti", value))))
        }
    }

    @Test func j11OtherFormsAreRefused() throws {
        let right = try client.assertion()
        let parts = right.split(separator: ".").map(String.init)
        #expect(client.refuses(try client.assertion(header: [.init(key: "crit", value: .array(["x"]))])))
        #expect(client.refuses(try client.assertion(header: [.init(key: "b64", value: false)])))
        for text in [
            "", ".", "..", right + ".", "." + right, right + ".AA", parts[0] + "." + parts[1], right + "=",
            right + "\n",
            parts[0] + ".\n" + parts[1] + "." + parts[2], #"{"payload":"e30","signatures":[]}"#,
            parts[0] + "." + parts[1] + "." + parts[2] + "." + parts[2] + "." + parts[2],
        ] {
            #expect(client.refuses(text), "\(text.prefix(40))")
        }
    }

    @Test func j12WhatIsLongDeepOrDoubledIsRefusedAtOnce() throws {
        #expect(client.refuses(String(repeating: "a", count: 10 << 20)))
        let head = try client.assertion().split(separator: ".")
        for payload in [
            String(repeating: "[", count: 10_000), #"{"exp":1,"exp":2,"iss":"a","sub":"a"}"#,
            #"{"iss":"\#(client.id)","sub":"\#(client.id)","iss":"x"}"#,
        ] {
            #expect(client.refuses("\(head[0]).\(Data(payload.utf8).base64URL).\(head[2])"))
        }
    }

    @Test func j13ZerosAndDERAreNoSignature() throws {
        #expect(client.refuses(try client.assertion(signature: Data(count: 96))))
        #expect(client.refuses(try client.assertion(algorithm: "ES256", kid: "small", signature: Data(count: 64))))
        let bytes = Data(try client.assertion().utf8)
        #expect(client.refuses(try client.assertion(signature: client.p384.signature(for: bytes).derRepresentation)))
    }

    @Test func j14ATokenOfAnotherTypeIsNoAssertion() throws {
        for type in ["at+jwt", "JOSE", "jwt", ""] {
            #expect(client.refuses(try client.assertion(type: type)), "\(type)")
        }
        // A random access token of ours.
        #expect(client.refuses("9hW2rT0pXqv4cK7bq3VnYw"))
    }

    @Test func theSentenceTellsNothingOfWhatWasSent() throws {
        do {
            _ = try client.take(client.assertion(client.changed("aud", "https://planted.example/")))
        } catch let error as ClientAssertionError {
            #expect(!error.message.contains("planted") && error.message.contains("aud"))
        }
    }
}
