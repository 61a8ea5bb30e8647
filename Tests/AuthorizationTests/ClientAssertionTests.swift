import Core
import Crypto
import CryptoExtras
import Foundation
import Testing
import Wire

@testable import Authorization

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
    func j01J02NoneAndSharedSecretAlgorithmsAreRefused(algorithm: String) throws {
        #expect(client.refuses(try client.assertion(algorithm: algorithm)))
        #expect(client.refuses(try client.assertion(algorithm: algorithm, signature: Data())))
        // The public key is used as a secret.
        let secret = SymmetricKey(data: try client.jwks)
        let bytes = Data(
            try client.assertion(algorithm: algorithm).split(separator: ".").dropLast().joined(separator: ".").utf8)
        let mac = Data(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
        #expect(client.refuses(try client.assertion(algorithm: algorithm, signature: mac)))
    }

    @Test(arguments: [("ES256", "rsa"), ("ES256", "large"), ("ES384", "small"), ("RS256", "large"), ("RS384", "small")])
    func j03KeyOfAnotherKindIsRefused(algorithm: String, kid: String) throws {
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
    func j05KeyInTheHeaderIsRefused(member: String) throws {
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

    @Test func j07TimesMustBeCurrentAndShort() throws {
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
        // A lifetime of ten minutes, of which five have passed.
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

    @Test func j12LongDeepOrDuplicateInputIsRefusedImmediately() throws {
        #expect(client.refuses(String(repeating: "a", count: 10 << 20)))
        let head = try client.assertion().split(separator: ".")
        for payload in [
            String(repeating: "[", count: 10_000), #"{"exp":1,"exp":2,"iss":"a","sub":"a"}"#,
            #"{"iss":"\#(client.id)","sub":"\#(client.id)","iss":"x"}"#,
        ] {
            #expect(client.refuses("\(head[0]).\(Data(payload.utf8).base64URL).\(head[2])"))
        }
    }

    @Test func j13ZerosAndDERAreInvalidSignatures() throws {
        #expect(client.refuses(try client.assertion(signature: Data(count: 96))))
        #expect(client.refuses(try client.assertion(algorithm: "ES256", kid: "small", signature: Data(count: 64))))
        let bytes = Data(try client.assertion().utf8)
        #expect(client.refuses(try client.assertion(signature: client.p384.signature(for: bytes).derRepresentation)))
    }

    @Test func j14TokenOfAnotherTypeIsNotAnAssertion() throws {
        for type in ["at+jwt", "JOSE", "jwt", ""] {
            #expect(client.refuses(try client.assertion(type: type)), "\(type)")
        }
        // A random access token of the server.
        #expect(client.refuses("9hW2rT0pXqv4cK7bq3VnYw"))
    }

    @Test func errorMessageContainsNoSentValues() throws {
        do {
            _ = try client.take(client.assertion(client.changed("aud", "https://planted.example/")))
        } catch let error as ClientAssertionError {
            #expect(!error.message.contains("planted") && error.message.contains("aud"))
        }
    }
}
