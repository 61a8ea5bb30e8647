import Core
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Wire

/// The vectors of Project Wycheproof in the checkout of swift-crypto (`Tests/Test Vectors`,
/// `Tests/CryptoExtrasVectors`).
enum SignatureVectors {
    /// The checkout that the build made: next to the folder of the running program, or in the package's `.build`.
    static let folder: URL? = {
        var directory = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../.build").standardizedFileURL
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            for parent in [directory, package] {
                let tests = parent.appendingPathComponent("checkouts/swift-crypto/Tests")
                if FileManager.default.fileExists(atPath: tests.path) { return tests }
            }
        }
        return nil
    }()

    static func read(_ path: String) throws -> JSON {
        let url = try #require(folder).appendingPathComponent(path)
        return try #require(JSON(reading: try Data(contentsOf: url)))
    }
}

@Suite struct SignatureVectorTests {
    /// The file, the algorithm, and the minimum number of signatures in it by keys that are supported.
    @Test(
        .enabled(if: SignatureVectors.folder != nil),
        arguments: [
            ("Test Vectors/ecdsa_secp256r1_sha256_p1363_test.json", SignatureAlgorithm.es256, 252),
            ("Test Vectors/ecdsa_secp384r1_sha384_p1363_test.json", .es384, 270),
            ("CryptoExtrasVectors/rsa_signature_2048_sha256_test.json", .rs256, 240),
            ("CryptoExtrasVectors/rsa_signature_3072_sha256_test.json", .rs256, 200),
        ])
    func onlyValidSignaturesAreAccepted(file: String, algorithm: SignatureAlgorithm, least: Int) throws {
        var tried = 0
        var wrong: [String] = []
        for group in try #require(SignatureVectors.read(file)["testGroups"]?.array) {
            let jwk = try #require(group["publicKeyJwk"] ?? group["keyJwk"])
            let key = try SignatureKey(jwk: jwk)
            for test in group["tests"]?.array ?? [] {
                let message = try #require(test["msg"]?.string.flatMap(Hexadecimal.bytes))
                let signature = try #require(test["sig"]?.string.flatMap(Hexadecimal.bytes))
                let holds =
                    algorithm.signatureBytes.contains(signature.count)
                    && key.holds(Data(signature), of: Data(message), by: algorithm)
                tried += 1
                // A verifier may accept or refuse the "acceptable" ones (an exponent of 3, a missing NULL).
                switch test["result"]?.string {
                case "valid": if !holds { wrong.append("\(test["tcId"]?.integer ?? 0) does not hold") }
                case "invalid": if holds { wrong.append("\(test["tcId"]?.integer ?? 0) holds") }
                default: break
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(tried >= least)
    }

    @Test func keyVerifiesOnlyItsOwnAlgorithms() throws {
        let bytes = Data("what is signed".utf8)
        let (small, large) = (P256.Signing.PrivateKey(), P384.Signing.PrivateKey())
        let keys: [(SignatureKey, Data, SignatureAlgorithm)] = [
            (
                .p256(try P256PublicKey(x963: small.publicKey.x963Representation)),
                try small.signature(for: bytes).rawRepresentation, .es256
            ),
            (
                .p384(try P384PublicKey(x963: large.publicKey.x963Representation)),
                try large.signature(for: bytes).rawRepresentation, .es384
            ),
        ]
        for (key, signature, own) in keys {
            for algorithm in SignatureAlgorithm.allCases {
                #expect(key.holds(signature, of: bytes, by: algorithm) == (algorithm == own))
            }
            #expect(!key.holds(Data(count: signature.count), of: bytes, by: own), "CVE-2022-21449")
        }
        let asDER = try small.signature(for: bytes).derRepresentation
        #expect(!keys[0].0.holds(asDER, of: bytes, by: .es256))
    }
}

@Suite struct SignatureKeySetTests {
    private func jwk(_ id: String?, _ more: [JSONObject.Member] = []) throws -> JSON {
        let key = try P256SigningKey().publicKey
        var members = PublicKey.ellipticMembers(key).map { JSONObject.Member(key: $0.0, value: .string($0.1)) }
        if let id { members.append(.init(key: "kid", value: .string(id))) }
        return JSON(members + more)
    }

    private func set(_ keys: [JSON]) -> Data { JSON([.init(key: "keys", value: .array(keys))]).data() }

    private func jws(_ id: String) throws -> JWS {
        let header = #"{"alg":"ES256","kid":"\#(id)"}"#
        let text = [Data(header.utf8).base64URL, "e30", Data(repeating: 1, count: 64).base64URL].joined(separator: ".")
        return try JWS(compact: Data(text.utf8))
    }

    @Test func keyIsFoundByItsIDUnlessTheIDIsAmbiguous() throws {
        let keys = try SignatureKeySet(reading: set([try jwk("a"), try jwk("b"), try jwk("b")]))
        #expect(try keys.key(for: jws("a")) != nil)
        #expect(try keys.key(for: jws("b")) == nil && keys.key(for: jws("c")) == nil)
        for id in ["../../etc/passwd", "a' OR '1'='1", "a\\u0000"] { #expect(try keys.key(for: jws(id)) == nil) }
    }

    @Test func keysForOtherUsesAreLeftOut() throws {
        let others = [
            try jwk("a", [.init(key: "use", value: "enc")]), try jwk("a", [.init(key: "alg", value: "ES384")]),
            try jwk("a", [.init(key: "alg", value: "HS256")]),
            try jwk("a", [.init(key: "key_ops", value: .array(["sign"]))]), try jwk(nil),
            JSON(reading: Data(#"{"kty":"oct","kid":"a"}"#.utf8))!,
            JSON(reading: Data(#"{"kty":"OKP","crv":"Ed25519","x":"AA","kid":"a"}"#.utf8))!,
        ]
        #expect(code { _ = try SignatureKeySet(reading: set(others)) } == "key-malformed")
        let keys = try SignatureKeySet(
            reading: set(others + [try jwk("a", [.init(key: "use", value: "sig"), .init(key: "alg", value: "ES256")])]))
        #expect(try keys.key(for: jws("a")) != nil)
    }

    @Test func setWithAPrivateKeyIsRefused() throws {
        for name in ["d", "k", "p"] {
            let shown = try jwk("b", [.init(key: name, value: "AQ")])
            #expect(code { _ = try SignatureKeySet(reading: set([try jwk("a"), shown])) } == "key-is-private")
        }
    }

    @Test func aSetIsBounded() throws {
        let key = try jwk("a")
        let many = Array(repeating: key, count: SignatureKeySet.maximumKeys + 1)
        #expect(code { _ = try SignatureKeySet(reading: set(many)) } == "key-malformed")
        let long = set([key]) + Data(repeating: 0x20, count: SignatureKeySet.maximumBytes)
        #expect(code { _ = try SignatureKeySet(reading: long) } == "key-malformed")
    }
}
