import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// RFC 7515, appendix A.3: an example of ES256.
private enum Example {
    static let header = "eyJhbGciOiJFUzI1NiJ9"
    static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    static let jwk =
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
    static let privateNumber = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"

    static var compact: Data { Data([header, payload, signature].joined(separator: ".").utf8) }
}

@Suite struct JWSTests {
    @Test func exampleOfTheStandardIsVerified() throws {
        let jws = try JWS(compact: Example.compact)
        let key = try P256PublicKey(signingJWK: Data(Example.jwk.utf8))
        try jws.verify(with: key)
        #expect(String(decoding: jws.payload, as: UTF8.self).hasPrefix(#"{"iss":"joe""#))
        let number = try #require(Data(base64URL: Example.privateNumber))
        #expect(try P256SigningKey(rawRepresentation: number).publicKey == key)
    }

    @Test func signatureOfAnotherKeyIsRefused() throws {
        let jws = try JWS(compact: Example.compact)
        let other = try P256SigningKey().publicKey
        #expect(code { try jws.verify(with: other) } == "signature-invalid")
    }

    @Test func signedPayloadIsReadUnchanged() throws {
        let key = try P256SigningKey()
        for payload in [Data(), Data("{}".utf8), Data((0...255).map { UInt8($0) })] {
            let jws = try JWS.sign(payload, members: [.init(key: "cty", value: .string("x"))], with: key)
            let read = try JWS(compact: jws.bytes)
            #expect(read == jws)
            #expect(read.keyID == key.publicKey.keyID)
            #expect(read.payload == payload)
            #expect(read.signature.count == 64)
            try read.verify(with: key.publicKey)
        }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"es256"}"#, #"{"typ":"JOSE"}"#, "[]", "",
        #"{"alg":"ES256","alg":"ES256"}"#, #"{"alg":"none","alg":"ES256"}"#, #"{"alg":"ES256","crit":["b64"]}"#,
        #"{"alg":"ES256","b64":false}"#, #"{"alg":"ES256","b64":true}"#, #"{"alg":"ES256","jku":"https://x.example"}"#,
        #"{"alg":"ES256","jwk":{"kty":"EC"}}"#, #"{"alg":"ES256","x5c":["AA"]}"#,
        #"{"alg":"ES256","x5u":"https://x.example"}"#, #"{"alg":"ES256"} x"#,
    ])
    func otherHeadersAreRefused(_ header: String) {
        let text = [Data(header.utf8).base64URL, Example.payload, Example.signature].joined(separator: ".")
        #expect(code { _ = try JWS(compact: Data(text.utf8)) } == "signature-invalid")
    }

    @Test func otherShapesAreRefused() {
        let (header, payload, signature) = (Example.header, Example.payload, Example.signature)
        let long = Data(#"{"alg":"ES256","x":"\#(String(repeating: "a", count: 10_000))"}"#.utf8).base64URL
        for text in [
            "", ".", "..", "\(header).\(payload)", "\(header).\(payload).", "\(header).\(payload).\(signature).",
            "\(header).\(payload).\(signature)=", "\(header).\(payload)=.\(signature)",
            "\(header) .\(payload).\(signature)",
            "\(header).\(payload).\(signature.dropLast())", "\(header).\(payload).\(signature)AA",
            // The last character has unused bits: a signature has exactly one encoding.
            "\(header).\(payload).\(signature.dropLast())R", "\(long).\(payload).\(signature)",
        ] {
            #expect(code { _ = try JWS(compact: Data(text.utf8)) } == "signature-invalid", "\(text.prefix(80))")
        }
    }

    @Test func everyChangeIsSeen() throws {
        var random = Seeded.fresh()
        let key = try P256SigningKey()
        let payload = Data(#"{"resourceType":"Observation","status":"final"}"#.utf8)
        let bytes = try JWS.sign(payload, members: [.init(key: "seq", value: .number(JSONNumber(7)))], with: key).bytes
        for _ in 0..<500 {
            var changed = bytes
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                changed[Int.random(in: 0..<changed.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: changed.remove(at: Int.random(in: 0..<changed.count, using: &random))
            case 2:
                changed.insert(
                    UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...changed.count, using: &random))
            default: changed = Data(changed.prefix(Int.random(in: 0..<changed.count, using: &random)))
            }
            guard changed != bytes else { continue }
            #expect(code { try JWS(compact: changed).verify(with: key.publicKey) } == "signature-invalid")
        }
    }

    @Test func signaturesOutsideTheCurvesOrderAreRefused() throws {
        let key = try P256SigningKey()
        let bytes = try JWS.sign(Data("x".utf8), members: [], with: key).bytes
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".")
        let order = Data(hex: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        for signature in [Data(count: 64), order + order, Data(repeating: 255, count: 64), Data(count: 32) + order] {
            let text = "\(parts[0]).\(parts[1]).\(signature.base64URL)"
            let jws = try JWS(compact: Data(text.utf8))
            #expect(code { try jws.verify(with: key.publicKey) } == "signature-invalid")
        }
    }

    @Test func aSigningKeyIsReadFromItsJWKAndFromNoOther() throws {
        let key = try P256SigningKey()
        #expect(try P256PublicKey(signingJWK: key.publicKey.signingJWK) == key.publicKey)
        let jwk = String(decoding: key.publicKey.signingJWK, as: UTF8.self)
        for (text, expected) in [
            (jwk.replacing("\"sig\"", with: "\"enc\""), "key-malformed"),
            (jwk.replacing("ES256", with: "RS256"), "key-malformed"),
            (jwk.replacing("{", with: #"{"d":"AA","#), "key-is-private"), ("{}", "key-malformed"),
            (jwk.replacing("P-256", with: "P-384"), "key-unsupported"), ("", "key-malformed"),
        ] {
            #expect(code { _ = try P256PublicKey(signingJWK: Data(text.utf8)) } == expected, "\(text)")
        }
        #expect(!"\(key)".contains(key.rawRepresentation.base64URL))
        #expect(!String(reflecting: key).contains(key.rawRepresentation.base64URL))
    }
}
