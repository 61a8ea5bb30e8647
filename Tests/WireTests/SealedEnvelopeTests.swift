import Core
import Foundation
import Testing

@testable import Wire

@Suite struct SealedEnvelopeTests {
    private static let submissionID = "6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"
    private let payload = Data(#"{"resourceType":"Observation","valueQuantity":{"value":1.50}}"#.utf8)

    private func header(_ type: PayloadType = .resource) throws -> SubmissionHeader {
        try SubmissionHeader(submissionID: Self.submissionID, sequence: 7, contentType: type)
    }

    private func keys() throws -> [PrivateKey] {
        [try TestKeys.rsa.get(), try TestKeys.p256.get(), try TestKeys.otherRSA.get(), try TestKeys.otherP256.get()]
    }

    @Test(arguments: [[0], [1], [0, 1], [1, 0], [0, 2], [1, 3], [0, 1, 2, 3]])
    func eachRecipientOfEachMixOpens(mix: [Int]) throws {
        let keys = try keys()
        let sealed = try SealedEnvelope.seal(payload, as: header(.batch), to: mix.map { keys[$0].publicKey })
        for (index, key) in keys.enumerated() {
            guard mix.contains(index) else {
                #expect(
                    code { _ = try OpenedEnvelope.open(sealed.bytes, with: KeySet([key])) } == "envelope-unreadable")
                continue
            }
            let opened = try OpenedEnvelope.open(sealed.bytes, with: KeySet([key]))
            #expect(opened.payload == payload)
            #expect(opened.keyID == key.keyID)
            #expect(opened.submissionID == Self.submissionID && opened.sequence == 7)
            #expect(opened.fhirVersion == "4.0.1" && opened.contentType == .batch && opened.format == .jwe)
        }
        let json = try #require(JSON(reading: sealed.bytes))
        #expect((json["recipients"] == nil) == (mix.count == 1))
    }

    @Test func newKeyIsTriedTogetherWithTheOldOne() throws {
        let sealed = try SealedEnvelope.seal(payload, as: header(), to: [TestKeys.rsa.get().publicKey])
        let keys = KeySet([try TestKeys.otherRSA.get(), try TestKeys.rsa.get()])
        #expect(try OpenedEnvelope.open(sealed.bytes, with: keys).keyID == TestKeys.rsa.get().keyID)
    }

    @Test func theHeaderIsReadWithoutAKey() throws {
        let keys = try keys()
        let sealed = try SealedEnvelope.seal(payload, as: header(), to: [keys[0].publicKey, keys[1].publicKey])
        let read = try EnvelopeHeader.read(from: sealed.bytes)
        #expect(read.format == .jwe && read.submissionID == Self.submissionID && read.sequence == 7)
        #expect(read.keyIDs == [keys[0].keyID, keys[1].keyID])
        #expect(read.fhirVersion == "4.0.1" && read.contentType == .resource && read.message == nil)
    }

    @Test func envelopesHaveNoCriticalHeadersAndDifferForEqualPayloads() throws {
        let key = try TestKeys.p256.get().publicKey
        let first = try SealedEnvelope.seal(payload, as: header(), to: [key])
        let second = try SealedEnvelope.seal(payload, as: header(), to: [key])
        let (one, other) = (try #require(JSON(reading: first.bytes)), try #require(JSON(reading: second.bytes)))
        for name in ["iv", "ciphertext", "encrypted_key", "tag"] { #expect(one[name] != other[name]) }
        let text = try #require(one["protected"]?.string.flatMap { Data(base64URL: $0) }.flatMap { JSON(reading: $0) })
        #expect(text.object?.keys == ["enc", "alg", "kid", "epk", "sid", "seq", "fhirVersion", "cty"])
    }

    @Test func emptyAndLargePayloadsAreOpenedUnchanged() throws {
        let key = try TestKeys.p256.get()
        for payload in [Data(), Data((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })] {
            let sealed = try SealedEnvelope.seal(payload, as: header(), to: [key.publicKey])
            #expect(try OpenedEnvelope.open(sealed.bytes, with: KeySet([key])).payload == payload)
        }
    }

    @Test func theNumberOfRecipientsIsBounded() throws {
        let key = try TestKeys.p256.get().publicKey
        #expect(code { _ = try SealedEnvelope.seal(payload, as: header(), to: []) } == "recipients-invalid")
        #expect(
            code { _ = try SealedEnvelope.seal(payload, as: header(), to: Array(repeating: key, count: 17)) }
                == "recipients-invalid")
    }

    @Test(arguments: [
        ("", 1), ("x", 1), ("{6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10}", 1), ("6f2d1c1e53f44b7c9a520c3d8b4a9f10", 1),
        (Self.submissionID, 0), (Self.submissionID, -1),
    ])
    func invalidHeaderIsRefused(submissionID: String, sequence: Int) {
        #expect(
            code { _ = try SubmissionHeader(submissionID: submissionID, sequence: Int64(sequence)) }
                == "envelope-header-invalid")
    }

    @Test func submissionIDIsWrittenInLowerCase() throws {
        #expect(
            try SubmissionHeader(submissionID: Self.submissionID.uppercased(), sequence: 1).submissionID
                == Self.submissionID)
    }

    /// Changes every member of the envelope and every name of the protected header in each way that stays readable.
    @Test(arguments: [1, 2]) func changeToAnyMemberIsDetected(recipients: Int) throws {
        let keys = try keys()
        let opener = KeySet(keys)
        let sealed = try SealedEnvelope.seal(payload, as: header(), to: keys.prefix(recipients).map(\.publicKey))
        let json = try #require(JSON(reading: sealed.bytes))
        for name in ["iv", "ciphertext", "tag", "encrypted_key"] {
            guard let bytes = json[name]?.string.flatMap({ Data(base64URL: $0) }) else { continue }
            for changed in [flipped(bytes, at: 0), flipped(bytes, at: bytes.count - 1), bytes.dropLast(), bytes + [0]] {
                let envelope = json.replacing(name, with: .string(changed.base64URL))
                #expect(throws: WireError.self) { try OpenedEnvelope.open(envelope.bytes, with: opener) }
            }
        }
        let protected = try #require(json["protected"]?.string.flatMap { Data(base64URL: $0) })
        let header = try #require(JSON(reading: protected))
        for member in header.object?.members ?? [] {
            let changed: JSON
            switch (member.key, member.value) {
            case ("sid", _): changed = .string("00000000-53f4-4b7c-9a52-0c3d8b4a9f10")
            case (_, .number(let number)): changed = .number(try #require(JSONNumber(text: number.text + "0")))
            case (_, .string(let text)): changed = .string(text + "x")
            default: changed = .null
            }
            let envelope = json.replacing(
                "protected", with: .string(Data(header.replacing(member.key, with: changed).text().utf8).base64URL))
            #expect(throws: WireError.self, "\(member.key)") { try OpenedEnvelope.open(envelope.bytes, with: opener) }
        }
        // The same header in another spelling is another header.
        let respelt = json.replacing("protected", with: .string((protected + Data(" ".utf8)).base64URL))
        #expect(code { _ = try OpenedEnvelope.open(respelt.bytes, with: opener) } == "envelope-unreadable")
        let withAAD = json.replacing("aad", with: .string("AA"))
        #expect(code { _ = try OpenedEnvelope.open(withAAD.bytes, with: opener) } == "envelope-unreadable")
    }

    @Test func oneDamagedRecipientDoesNotStopTheOther() throws {
        let keys = try keys()
        let sealed = try SealedEnvelope.seal(payload, as: header(), to: [keys[0].publicKey, keys[1].publicKey])
        let json = try #require(JSON(reading: sealed.bytes))
        var recipients = try #require(json["recipients"]?.array)
        recipients[0] = recipients[0].replacing("encrypted_key", with: .string("AAAA"))
        let opened = try OpenedEnvelope.open(
            json.replacing("recipients", with: .array(recipients)).bytes, with: KeySet(keys))
        #expect(opened.keyID == keys[1].keyID)
    }

    private func flipped(_ bytes: Data, at index: Int) -> Data {
        var bytes = bytes
        if bytes.indices.contains(index) { bytes[index] ^= 0x01 }
        return bytes
    }
}

extension JSON {
    var bytes: Data { data() }

    /// Returns a copy in which this member has the value, or is added with it.
    func replacing(_ name: String, with value: JSON) -> JSON {
        var changed = self
        changed[name] = value
        return changed
    }

    func without(_ name: String) -> JSON {
        var changed = self
        changed[name] = nil
        return changed
    }
}
