import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// Signed requests: the payloads of the document and version 2, and openssl on the other side.
@Suite struct SignedCsiRequestTests {
    let key: P256SigningKey
    let new: P256SigningKey

    init() throws {
        key = try P256SigningKey()
        new = try P256SigningKey()
    }

    @Test func payloadsOfVersion1AreThoseOfTheDocument() throws {
        let examples = try CsiExamples.version1(key.publicKey)
        #expect(examples.count == CsiPath.allCases.filter(\.hasVersion1).count)
        for (call, payload) in examples {
            let request = try CsiExamples.signed(call, .v1, key: key)
            #expect(request.signedText == payload)
            #expect(request.call == call && request.version == .v1 && request.csi == CsiExamples.wallet)
            #expect(CsiExamples.json(request)["sigVersion"] == Optional<JSON>.none)
            try request.checkCipher()
            try request.verify(with: key.publicKey)
            #expect(permissionCode { try request.verify(with: new.publicKey) } == "bad_signature")
        }
    }

    @Test func payloadOfVersion2IsADigestOfTheBody() throws {
        let request = try CsiExamples.signed(.fetchClaims(of: CsiExamples.app), .v2, key: key)
        // SHA-256 of {"cipher":"ecdsa","csiGuid":"1111…","dateTime":"2018-…","desiredCsiGuid":"2222…",
        // "nonce":"0123…","sigVersion":"2"}, by Python's json and hashlib.
        #expect(
            request.signedText
                == "|FB2|POST|/csi/fetchPublicClaims|11111111-aaaa-4bbb-8ccc-000000000001|"
                + "9f248f06f28d803ca17eef0c0f8f6beaadff896e5d4dca1c3faa50369aca3ae4|2018-03-06T12:00:00.000Z|"
                + "0123456789abcdefABCDEF-456789012|")
    }

    @Test func allCallsOfVersion2AreReadAsTheyWereSigned() throws {
        for call in try CsiExamples.version2(key.publicKey, new: new.publicKey) {
            let request = try CsiExamples.signed(call, .v2, key: key, new: new)
            let read = try SignedCsiRequest(reading: request.body, path: call.path)
            #expect(read == request && read.call == call)
            try read.verify(with: key.publicKey)
            // The order of the members and white space are not signed.
            let pretty = JSON(try #require(CsiExamples.json(request).object).members.reversed()).data(.pretty)
            try SignedCsiRequest(reading: pretty, path: call.path).verify(with: key.publicKey)
        }
    }

    @Test func callsOfVersion2HaveNoVersion1() throws {
        for call in [CsiCall.bind(code: "c"), .rotateKey(new.publicKey), .revoke(CsiExamples.app)] {
            #expect(permissionCode { _ = try CsiExamples.signed(call, .v1, key: key, new: new) } == "malformed")
            var body = CsiExamples.json(try CsiExamples.signed(call, .v2, key: key, new: new))
            body["sigVersion"] = Optional<JSON>.none
            #expect(permissionCode { _ = try SignedCsiRequest(reading: body.data(), path: call.path) } == "malformed")
        }
        for call in [CsiCall.end(CsiExamples.app, permission: "p1"), .grant(try CsiExamples.terms(parent: "p1"))] {
            #expect(permissionCode { _ = try CsiExamples.signed(call, .v1, key: key) } == "malformed")
        }
    }

    @Test func version1NamesOneGranteeInEitherField() throws {
        let terms = try CsiExamples.terms()
        let single = try PermissionTerms(
            grantees: [CsiExamples.app], start: terms.start, end: terms.end, timeStamp: terms.timeStamp,
            scope: terms.scope)
        let request = try CsiExamples.signed(.grant(single), .v1, key: key)
        var body = CsiExamples.json(request)
        body.withMembers { body in
            _ = body.update("permission") { permission in
                permission["permissionedCsiGuids"] = Optional<JSON>.none
                permission["permissionedCsiGuid"] = .string(CsiExamples.app.text)
            }
        }
        let read = try SignedCsiRequest(reading: body.data(), path: .writePermission)
        #expect(read.call == request.call)
        try read.verify(with: key.publicKey)
        // Both fields, or none, or the single one in version 2.
        for (path, change) in [
            (CsiPath.writePermission, { (p: inout JSON) in p["permissionedCsiGuids"] = .array([]) }),
            (.writePermission, { (p: inout JSON) in p["permissionedCsiGuid"] = Optional<JSON>.none }),
        ] {
            var wrong = body
            wrong.withMembers { _ = $0.update("permission") { change(&$0) } }
            #expect(permissionCode { _ = try SignedCsiRequest(reading: wrong.data(), path: path) } == "malformed")
        }
        body["sigVersion"] = "2"
        #expect(
            permissionCode { _ = try SignedCsiRequest(reading: body.data(), path: .writePermission) } == "malformed")
    }

    @Test func newKeyIsProvedByItsOwnSignature() throws {
        let request = try CsiExamples.signed(.rotateKey(new.publicKey), .v2, key: key, new: new)
        try request.verify(with: key.publicKey)
        var body = CsiExamples.json(request)
        body["proof"] = .string(request.signature)
        let wrong = try SignedCsiRequest(reading: body.data(), path: .rotateKey)
        #expect(wrong.signedText == request.signedText, "the proof is not signed")
        #expect(permissionCode { try wrong.verify(with: key.publicKey) } == "bad_signature")
        #expect(
            permissionCode { _ = try CsiExamples.signed(.rotateKey(new.publicKey), .v2, key: key, new: key) }
                == "key_mismatch")
        #expect(
            permissionCode { _ = try CsiExamples.signed(CsiExamples.registration(new.publicKey), .v2, key: key) }
                == "key_mismatch")
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL)) func opensslAgrees() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (secret, open, file) = (
            folder.url.appendingPathComponent("k.pem"), folder.url.appendingPathComponent("p.pem"),
            folder.url.appendingPathComponent("s.der")
        )
        try Data(key.pem.utf8).write(to: secret)
        try ExternalTool.run("openssl", ["ec", "-in", secret.path, "-pubout", "-out", open.path])
        let info = try ExternalTool.run("openssl", ["ec", "-in", secret.path, "-pubout", "-outform", "DER"])
        #expect(info.base64EncodedString() == key.publicKey.base64Info && key.publicKey.base64Info.count == 124)
        #expect(try P256PublicKey(base64Info: info.base64EncodedString()) == key.publicKey)
        for version in CsiSignatureVersion.allCases {
            let request = try CsiExamples.signed(.grant(CsiExamples.terms()), version, key: key)
            let payload = Data(request.signedText.utf8)
            // 1. openssl verifies our signature.
            try #require(Data(base64Encoded: request.signature)).write(to: file)
            let answer = try ExternalTool.run(
                "openssl", ["dgst", "-sha256", "-verify", open.path, "-signature", file.path], input: payload)
            #expect(String(decoding: answer, as: UTF8.self).contains("Verified OK"))
            // 2. We verify openssl's.
            let signature = try ExternalTool.run("openssl", ["dgst", "-sha256", "-sign", secret.path], input: payload)
            var body = CsiExamples.json(request)
            body["signature"] = .string(signature.base64EncodedString())
            try SignedCsiRequest(reading: body.data(), path: .writePermission).verify(with: key.publicKey)
        }
    }
}
