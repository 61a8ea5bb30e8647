import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct EnvelopeFuzzTests {
    /// Changed bytes, cut and repeated parts: every envelope either opens to the original payload or is refused.
    @Test func mutatedEnvelopesAreRefusedAndNeverCrash() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let keys = KeySet([try TestKeys.p256.get(), try TestKeys.rsa.get()])
        let payload = Data("{\"resourceType\":\"Patient\"}".utf8)
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
        let recipients = [try TestKeys.p256.get().publicKey, try TestKeys.rsa.get().publicKey]
        let originals = [
            try SealedEnvelope.seal(payload, as: header, to: [recipients[0]]).bytes,
            try SealedEnvelope.seal(payload, as: header, to: recipients).bytes,
            try C3PROEnvelope.seal(payload, to: TestKeys.rsaPublicKey()).bytes, PublicKey.jwks(recipients),
        ]
        for round in 0..<1_500 {
            var bytes = originals[round % originals.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes, using: &generator) }
            _ = try? EnvelopeHeader.read(from: bytes)
            _ = try? PublicKey.read(from: bytes)
            if let opened = try? OpenedEnvelope.open(bytes, with: keys), opened.format == .jwe {
                #expect(opened.payload == payload, "seed \(seed), round \(round)")
            }
        }
    }

    /// The same inside Base64: the protected header itself is changed.
    @Test func mutatedProtectedHeadersAreRefusedAndNeverCrash() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let key = try TestKeys.p256.get()
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
        let json = try #require(
            JSON(reading: SealedEnvelope.seal(Data("x".utf8), as: header, to: [key.publicKey]).bytes))
        let protected = try #require(json["protected"]?.string.flatMap { Data(base64URL: $0) })
        for round in 0..<1_500 {
            var bytes = protected
            mutate(&bytes, using: &generator)
            guard bytes != protected else { continue }
            let changed = json.replacing("protected", with: .string(bytes.base64URL))
            #expect(throws: WireError.self, "seed \(seed), round \(round)") {
                try OpenedEnvelope.open(changed.bytes, with: KeySet([key]))
            }
        }
    }

    private func mutate(_ bytes: inout Data, using generator: inout Seeded) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes = Data(bytes.prefix(index))
        case 3: bytes.insert(contentsOf: bytes.dropFirst(index).prefix(20), at: index)
        case 4: bytes.removeSubrange(index..<Swift.min(index + 5, bytes.count))
        default: bytes[index] = Array("{}[]\",:\\0-".utf8).randomElement(using: &generator) ?? 0
        }
        bytes = Data(bytes)
    }
}
