import Core
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct C3PROEnvelopeTests {
    private let payload = Data(#"{"resourceType":"Patient","id":"a"}"#.utf8)

    @Test func cipherMatchesTheOriginalApps() throws {
        let key = SymmetricKey(data: Data("why-is-this-here".utf8))
        let plaintext = Data("Let's encrypt!".utf8)
        let ciphertext = try C3PROEnvelope.encrypt(plaintext, with: key)
        #expect(ciphertext.base64EncodedString() == "Iy8Mbj2ye1fI0yUWvyzwWw==")
        #expect(try C3PROEnvelope.decrypt(ciphertext, with: key) == plaintext)
    }

    @Test func anEnvelopeHasItsFourMembersAndAFreshKey() throws {
        let recipient = try TestKeys.rsaPublicKey()
        let first = try C3PROEnvelope.seal(payload, to: recipient, version: "3.0.0")
        let second = try C3PROEnvelope.seal(payload, to: recipient, version: "3.0.0")
        #expect(first.message != second.message)
        #expect(first.symmetricKey != second.symmetricKey)
        let json = try #require(JSON(reading: first.bytes))
        #expect(json.object?.keys == ["key_id", "symmetric_key", "message", "version"])
        #expect(json["key_id"]?.string == recipient.keyID)
        #expect(json["version"]?.string == "3.0.0")
        #expect(!String(decoding: first.bytes, as: UTF8.self).contains("\\n"))
        #expect(try C3PROEnvelope(first.bytes) == first)
    }

    @Test(arguments: ["", "some_key_id", "\n", nil])
    func anyKeyNameOpensWithTheRightKeyAmongOthers(name: String?) throws {
        let keys = KeySet([try TestKeys.otherRSA.get(), try TestKeys.p256.get(), try TestKeys.rsa.get()])
        let sealed = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey(), keyID: name, version: "dstu 3")
        let opened = try OpenedEnvelope.open(sealed.bytes, with: keys)
        #expect(opened.payload == payload)
        #expect(opened.keyID == (try TestKeys.rsa.get().keyID))
        #expect(opened.format == .c3pro)
        #expect(opened.fhirVersion == "dstu 3")
    }

    @Test(arguments: [16, 24, 32])
    func allKeySizesOfAESAreOpened(bytes: Int) throws {
        let key = SymmetricKey(data: Data((0..<bytes).map { UInt8($0) }))
        let envelope = C3PROEnvelope(
            keyID: "x", symmetricKey: try TestKeys.rsaPublicKey().wrap(key, hash: .sha1).base64EncodedString(),
            message: try C3PROEnvelope.encrypt(payload, with: key).base64EncodedString(), version: "1")
        #expect(try envelope.open(with: KeySet([TestKeys.rsa.get()])).payload == payload)
    }

    @Test func lineBreaksInBase64AreAccepted() throws {
        let sealed = try C3PROEnvelope.seal(Data(repeating: 0x61, count: 500), to: TestKeys.rsaPublicKey())
        func broken(_ text: String) -> String {
            stride(from: 0, to: text.count, by: 76).map { String(text.dropFirst($0).prefix(76)) + "\n" }.joined()
        }
        let android = C3PROEnvelope(
            keyID: "some_key_id", symmetricKey: broken(sealed.symmetricKey), message: broken(sealed.message),
            version: "dstu 3")
        #expect(android.message.contains("\n"))
        let opened = try OpenedEnvelope.open(android.bytes, with: KeySet([try TestKeys.rsa.get()]))
        #expect(opened.payload == Data(repeating: 0x61, count: 500))
    }

    @Test func everyKindOfDamageHasOneCode() throws {
        let keys = KeySet([try TestKeys.rsa.get()])
        let good = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey())
        let ciphertext = try #require(Data(base64Encoded: good.message))
        var lastBlock = ciphertext
        lastBlock[lastBlock.count - 17] ^= 0x40
        let short = SymmetricKey(data: Data(repeating: 1, count: 15))
        let damaged = [
            ("wrong key", try C3PROEnvelope.seal(payload, to: #require(rsa(TestKeys.otherRSA.get().publicKey)))),
            ("cut inside a block", with(good, message: ciphertext.dropLast(5).base64EncodedString())),
            ("cut at a block", with(good, message: ciphertext.dropLast(16).base64EncodedString())),
            ("empty", with(good, message: "")), ("padding", with(good, message: lastBlock.base64EncodedString())),
            ("not base64", with(good, message: "*")),
            ("key not base64", C3PROEnvelope(keyID: "", symmetricKey: "*", message: good.message, version: "")),
            ("key empty", C3PROEnvelope(keyID: "", symmetricKey: "", message: good.message, version: "")),
            (
                "key of no AES size",
                C3PROEnvelope(
                    keyID: "", symmetricKey: try TestKeys.rsaPublicKey().wrap(short, hash: .sha1).base64EncodedString(),
                    message: good.message, version: "")
            ),
        ]
        for (fault, envelope) in damaged {
            let error = #expect(throws: WireError.self, "\(fault)") {
                try OpenedEnvelope.open(envelope.bytes, with: keys)
            }
            #expect(error == WireError.unreadable, "\(fault)")
        }
        #expect(code { _ = try good.open(with: KeySet([])) } == "envelope-unreadable")
    }

    @Test(arguments: ["key_id", "symmetric_key", "message", "version"])
    func envelopeWithoutATextMemberIsMalformed(name: String) throws {
        let sealed = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey())
        let members = try #require(JSON(reading: sealed.bytes)?.object?.members)
        let without = JSON(members.filter { $0.key != name })
        let number = JSON(members.map { $0.key == name ? .init(key: name, value: 1) : $0 })
        for json in [without, number] {
            #expect(code { _ = try EnvelopeHeader.read(from: Data(json.text().utf8)) } == "envelope-malformed")
            #expect(
                code { _ = try OpenedEnvelope.open(Data(json.text().utf8), with: KeySet([])) } == "envelope-malformed")
        }
    }

    @Test func headerHasTheFieldsForTheReceiver() throws {
        let sealed = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey(), keyID: "", version: "1.4.0")
        let header = try EnvelopeHeader.read(from: sealed.bytes)
        #expect(header.format == .c3pro)
        #expect(header.keyIDs == [""])
        #expect(header.fhirVersion == "1.4.0")
        #expect(header.message == sealed.message)
        #expect(header.submissionID == nil && header.sequence == nil)
        // The identity is that of the message only: the same message with another version is the same submission.
        let relabelled = C3PROEnvelope(
            keyID: "k", symmetricKey: sealed.symmetricKey, message: sealed.message, version: "2")
        #expect(try EnvelopeHeader.read(from: relabelled.bytes).digest == header.digest)
        #expect(header.digest.count == 64)
    }

    @Test(arguments: ["", "????", "AAA", "QQ=="])
    func invalidBase64IsRefusedByTheHeaderReader(text: String) throws {
        let sealed = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey())
        let isBase64 = text == "QQ=="
        for envelope in [
            C3PROEnvelope(keyID: "", symmetricKey: text, message: sealed.message, version: "1"),
            C3PROEnvelope(keyID: "", symmetricKey: sealed.symmetricKey, message: text, version: "1"),
        ] {
            let found = code { _ = try EnvelopeHeader.read(from: envelope.bytes) }
            #expect(found == (isBase64 ? nil : "envelope-malformed"))
        }
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL)) func openSSLOpensSealedEnvelopes() async throws {
        let sealed = try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey())
        try await withTemporaryFolder { folder in
            let key = URL(fileURLWithPath: "\(folder)/key.pem")
            try Data(TestKeys.rsa.get().pem.utf8).write(to: key)
            let unwrapped = try ExternalTool.run(
                "openssl",
                [
                    "pkeyutl", "-decrypt", "-inkey", key.path, "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt",
                    "rsa_oaep_md:sha1",
                ],
                input: #require(Data(base64Encoded: sealed.symmetricKey)))
            #expect(unwrapped.count == 32)
            let opened = try ExternalTool.run(
                "openssl",
                ["enc", "-d", "-aes-256-cbc", "-K", hex(unwrapped), "-iv", String(repeating: "0", count: 32)],
                input: #require(Data(base64Encoded: sealed.message)))
            #expect(opened == payload)
        }
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL)) func envelopeSealedByOpenSSLIsOpened() async throws {
        try await withTemporaryFolder { folder in
            let publicFile = URL(fileURLWithPath: "\(folder)/public.pem")
            try Data(TestKeys.rsa.get().publicKey.pem.utf8).write(to: publicFile)
            let key = Data((0..<32).map { UInt8($0 &* 7 &+ 3) })
            let wrapped = try ExternalTool.run(
                "openssl",
                [
                    "pkeyutl", "-encrypt", "-pubin", "-inkey", publicFile.path, "-pkeyopt", "rsa_padding_mode:oaep",
                    "-pkeyopt", "rsa_oaep_md:sha1",
                ], input: key)
            let message = try ExternalTool.run(
                "openssl", ["enc", "-aes-256-cbc", "-K", hex(key), "-iv", String(repeating: "0", count: 32)],
                input: payload)
            let envelope = C3PROEnvelope(
                keyID: "", symmetricKey: wrapped.base64EncodedString(), message: message.base64EncodedString(),
                version: "1.0.2")
            #expect(try OpenedEnvelope.open(envelope.bytes, with: KeySet([TestKeys.rsa.get()])).payload == payload)
        }
    }

    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    private func rsa(_ key: PublicKey) -> RSAPublicKey? {
        if case .rsa(let key) = key { return key }
        return nil
    }

    private func with(_ envelope: C3PROEnvelope, message: String) -> C3PROEnvelope {
        C3PROEnvelope(
            keyID: envelope.keyID, symmetricKey: envelope.symmetricKey, message: message, version: envelope.version)
    }
}
