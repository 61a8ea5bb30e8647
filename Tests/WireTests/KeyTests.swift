import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct KeyTests {
    /// RFC 7638 section 3.1.
    @Test func thumbprintMatchesTheStandard() throws {
        let jwk = """
            {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRX\
            jBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d\
            0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-k\
            EgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
            """
        let keys = try PublicKey.read(from: Data(jwk.utf8))
        #expect(keys.map(\.keyID) == ["NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"])
    }

    @Test func everySerialisationIsReadAsTheSameKey() throws {
        for key in [try TestKeys.rsa.get().publicKey, try TestKeys.p256.get().publicKey] {
            let set = PublicKey.jwks([key])
            for form in [key.jwk, set, Data(key.pem.utf8), key.subjectPublicKeyInfo] {
                #expect(try PublicKey.read(from: form) == [key])
            }
        }
    }

    @Test func aSetGivesItsUsableKeysInOrder() throws {
        let (rsa, p256) = (try TestKeys.rsa.get().publicKey, try TestKeys.p256.get().publicKey)
        let others = [
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"RSA","use":"sig","n":"AQAB","e":"AQAB"}"#, #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#,
        ]
        let list = (others + [String(decoding: p256.jwk, as: UTF8.self), String(decoding: rsa.jwk, as: UTF8.self)])
        #expect(try PublicKey.read(from: Data("{\"keys\":[\(list.joined(separator: ","))]}".utf8)) == [p256, rsa])
    }

    @Test func theJWKNamesUseAndAlgorithm() throws {
        let rsa = try #require(JSON(reading: TestKeys.rsa.get().publicKey.jwk))
        #expect(rsa["use"]?.string == "enc")
        #expect(rsa["alg"]?.string == "RSA-OAEP-256")
        #expect(rsa["kid"]?.string == (try TestKeys.rsa.get().keyID))
        #expect(rsa["d"] == nil)
        let p256 = try #require(JSON(reading: TestKeys.p256.get().publicKey.jwk))
        #expect(p256["alg"]?.string == "ECDH-ES+A256KW")
    }

    @Test func privateKeysSurvivePEM() throws {
        for key in [try TestKeys.rsa.get(), try TestKeys.p256.get()] {
            let again = try PrivateKey(pem: key.pem)
            #expect(again.keyID == key.keyID)
            #expect(again.pkcs8 == key.pkcs8)
        }
    }

    @Test func privateKeyIsNotReadAsAPublicOne() throws {
        for key in [try TestKeys.rsa.get(), try TestKeys.p256.get()] {
            #expect(code { _ = try PublicKey.read(from: Data(key.pem.utf8)) } == "key-is-private")
            #expect(code { _ = try PublicKey.read(from: key.pkcs8) } == "key-is-private")
        }
    }

    @Test func aPrivateKeyDoesNotPrintItself() throws {
        for key in [try TestKeys.rsa.get(), try TestKeys.p256.get()] {
            var dumped = ""
            dump(key, to: &dumped)
            for text in [dumped, "\(key)", String(reflecting: key), "\(KeySet([key]))"] {
                #expect(text.utf8.count < 300)
                #expect(!text.contains("bytes"))
            }
        }
    }

    @Test(arguments: [
        "", "x", "{", "{}", "[]", #"{"keys":[]}"#, #"{"keys":1}"#, "-----BEGIN X-----\nAAAA\n-----END X-----",
    ])
    func textWithoutAKeyIsRefused(text: String) {
        let result = code { _ = try PublicKey.read(from: Data(text.utf8)) }
        #expect(result == "key-malformed" || result == "key-unsupported")
    }

    @Test func aPointOffTheCurveIsRefused() throws {
        let jwk =
            #"{"kty":"EC","crv":"P-256","x":"\#(Data(repeating: 1, count: 32).base64URL)","y":"\#(Data(repeating: 2, count: 32).base64URL)"}"#
        #expect(code { _ = try PublicKey.read(from: Data(jwk.utf8)) } == "key-malformed")
    }

    @Test func smallAndOddRSANumbersAreRefused() {
        let modulus = Data([0xFF]) + Data(repeating: 0xAB, count: 255)
        #expect(
            code { _ = try RSAPublicKey(modulus: modulus.prefix(128), exponent: Data([1, 0, 1])) } == "key-unsupported")
        #expect(code { _ = try RSAPublicKey(modulus: modulus, exponent: Data([2])) } == "key-unsupported")
        #expect(code { _ = try RSAPublicKey(modulus: modulus, exponent: Data()) } == "key-unsupported")
        #expect(
            code { _ = try RSAPublicKey(modulus: Data(repeating: 0xFF, count: 4096), exponent: Data([3])) }
                == "key-unsupported")
    }
}

@Suite(.enabled(if: ExternalTool.hasOpenSSL)) struct OpenSSLKeyTests {
    @Test func openSSLReadsWrittenKeys() async throws {
        try await withTemporaryFolder { folder in
            for key in [try TestKeys.rsa.get(), try TestKeys.p256.get()] {
                let file = URL(fileURLWithPath: "\(folder)/key.pem")
                try Data(key.pem.utf8).write(to: file)
                let spki = try ExternalTool.run("openssl", ["pkey", "-in", file.path, "-pubout", "-outform", "DER"])
                #expect(spki == key.publicKey.subjectPublicKeyInfo)
            }
        }
    }

    @Test(arguments: ["RSA", "EC"], ["1", "3"])
    func keysAreFoundInCertificates(type: String, version: String) async throws {
        try await withTemporaryFolder { folder in
            let key = "\(folder)/key.pem"
            let certificate = "\(folder)/c.pem"
            let option = type == "RSA" ? "rsa_keygen_bits:2048" : "ec_paramgen_curve:P-256"
            try ExternalTool.run("openssl", ["genpkey", "-algorithm", type, "-pkeyopt", option, "-out", key])
            let privateKey = try PrivateKey(pem: String(contentsOfFile: key, encoding: .utf8))
            if version == "3" {
                let subject = "/C=US/O=" + String(repeating: "Study of sleep ", count: 4) + "/CN=study.example"
                try ExternalTool.run(
                    "openssl",
                    ["req", "-x509", "-new", "-key", key, "-days", "1", "-subj", subject, "-out", certificate])
            } else {
                let request = "\(folder)/r.pem"
                try ExternalTool.run("openssl", ["req", "-new", "-key", key, "-subj", "/CN=v1", "-out", request])
                try ExternalTool.run(
                    "openssl", ["x509", "-req", "-in", request, "-signkey", key, "-days", "1", "-out", certificate])
            }
            let pem = try Data(contentsOf: URL(fileURLWithPath: certificate))
            #expect(try PublicKey.read(from: pem) == [privateKey.publicKey])
            let der = try ExternalTool.run("openssl", ["x509", "-in", certificate, "-outform", "DER"])
            #expect(try PublicKey.read(from: der) == [privateKey.publicKey])
            // In a chain, the issuers after the first certificate are no recipients.
            #expect(try PublicKey.read(from: pem + pem) == [privateKey.publicKey])
            // A certificate cut at any offset is refused without a crash.
            for length in 0..<der.count {
                #expect(throws: WireError.self) { try PublicKey.read(from: der.prefix(length)) }
            }
            // A certificate with changed bits is read as a key or refused.
            for index in stride(from: 0, to: der.count, by: 3) {
                var changed = der
                changed[index] ^= 0x81
                _ = try? PublicKey.read(from: changed)
            }
        }
    }

    @Test func oldFormsOfKeysAreRead() async throws {
        try await withTemporaryFolder { folder in
            let key = "\(folder)/key.pem"
            try ExternalTool.run("openssl", ["genrsa", "-traditional", "-out", key, "2048"])
            let text = try String(contentsOfFile: key, encoding: .utf8)
            #expect(text.contains("BEGIN RSA PRIVATE KEY"))
            let rsa = try PrivateKey(pem: text)
            let pkcs1 = try ExternalTool.run("openssl", ["rsa", "-in", key, "-RSAPublicKey_out"])
            #expect(try PublicKey.read(from: pkcs1) == [rsa.publicKey])
            try ExternalTool.run("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-out", key])
            let p256 = try PrivateKey(pem: String(contentsOfFile: key, encoding: .utf8))
            let compressed = try ExternalTool.run(
                "openssl", ["ec", "-in", key, "-pubout", "-conv_form", "compressed", "-outform", "DER"])
            #expect(try PublicKey.read(from: compressed) == [p256.publicKey])
        }
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], ["genpkey", "-algorithm", "ED25519"],
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
    ])
    func otherKindsAreRefused(arguments: [String]) throws {
        let key = try ExternalTool.run("openssl", arguments)
        let spki = try ExternalTool.run("openssl", ["pkey", "-pubout", "-outform", "DER"], input: key)
        #expect(code { _ = try PublicKey.read(from: spki) } == "key-unsupported")
        #expect(code { _ = try PrivateKey(pem: String(decoding: key, as: UTF8.self)) } == "key-malformed")
    }
}
