import Core
import Foundation
import Testing

@testable import Wire

@Suite struct SignedEnvelopeTests {
    private let payload = Data(#"{"resourceType":"Observation"}"#.utf8)
    private let key: P256SigningKey
    private let keys: KeySet
    private let recipient: PublicKey

    init() throws {
        key = try P256SigningKey()
        keys = KeySet([try TestKeys.p256.get(), try TestKeys.rsa.get()])
        recipient = try TestKeys.p256.get().publicKey
    }

    private func header(sequence: Int64 = 3, contentType: PayloadType = .resource) throws -> SubmissionHeader {
        try SubmissionHeader(submissionID: Self.id, sequence: sequence, contentType: contentType)
    }

    private static let id = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test func signedEnvelopeOpensToItsPayloadAndSignature() throws {
        let signer = SubmissionSigner(key: key, study: "s")
        let previous = String(repeating: "0a", count: 32)
        for recipients in [[recipient], [recipient, try TestKeys.rsa.get().publicKey]] {
            let (sealed, digest) = try SealedEnvelope.seal(
                payload, as: header(contentType: .batch), to: recipients, signedBy: signer, previous: previous)
            #expect(try EnvelopeHeader.read(from: sealed.bytes).contentType == .signed)
            let opened = try OpenedEnvelope.open(sealed.bytes, with: keys)
            #expect(opened.payload == payload)
            #expect(opened.contentType == .batch)
            let signature = try #require(opened.signature)
            #expect(signature.previous == previous && signature.sequence == 3 && signature.submissionID == Self.id)
            #expect(signature.recipients == recipients.map(\.keyID))
            #expect(signature.jws.digest == digest)
            try signature.verify(with: key.publicKey, study: "s")
            #expect(code { try signature.verify(with: key.publicKey, study: "other") } == "signature-invalid")
            let other = try P256SigningKey().publicKey
            #expect(code { try signature.verify(with: other, study: "s") } == "signature-invalid")
        }
    }

    @Test func unsignedEnvelopeHasNoSignature() throws {
        let sealed = try SealedEnvelope.seal(payload, as: header(), to: [recipient])
        #expect(try OpenedEnvelope.open(sealed.bytes, with: keys).signature == nil)
    }

    @Test func anEnvelopeAroundAnothersSignatureIsRefused() throws {
        // A recipient who opened it could seal it again: under another id or number, to others.
        let signer = SubmissionSigner(key: key, study: "s")
        let jws = try SubmissionSignature.sign(
            payload, as: header(), recipients: [recipient], by: signer, previous: nil)
        func sealed(_ id: String, sequence: Int64, version: String, recipients: [PublicKey]) throws -> Data {
            let outer = try SubmissionHeader(
                submissionID: id, sequence: sequence, fhirVersion: version, contentType: .signed)
            return try SealedEnvelope.seal(jws.bytes, as: outer, to: recipients).bytes
        }
        _ = try OpenedEnvelope.open(
            try sealed(Self.id, sequence: 3, version: "4.0.1", recipients: [recipient]), with: keys)
        let rsa = try TestKeys.rsa.get().publicKey
        for bytes in [
            try sealed("1f8fad5b-d9cb-469f-a165-70867728950e", sequence: 3, version: "4.0.1", recipients: [recipient]),
            try sealed(Self.id, sequence: 4, version: "4.0.1", recipients: [recipient]),
            try sealed(Self.id, sequence: 3, version: "1.0.2", recipients: [recipient]),
            try sealed(Self.id, sequence: 3, version: "4.0.1", recipients: [rsa]),
            try sealed(Self.id, sequence: 3, version: "4.0.1", recipients: [recipient, rsa]),
            try sealed(Self.id, sequence: 3, version: "4.0.1", recipients: [recipient, recipient]),
        ] {
            #expect(code { _ = try OpenedEnvelope.open(bytes, with: keys) } == "signature-invalid")
        }
    }

    @Test(arguments: ["cty", "sid", "seq", "fhirVersion", "study", "rcp", "kid"])
    func aSignedHeaderThatLacksSomethingIsRefused(_ name: String) throws {
        let signer = SubmissionSigner(key: key, study: "s")
        let jws = try SubmissionSignature.sign(
            payload, as: header(), recipients: [recipient], by: signer, previous: nil)
        for value: JSON? in [nil, .null, .bool(true), .array([]), .string("")] {
            var changed = try #require(jws.header.object)
            changed[name] = value
            let input = JSON.object(changed).data().base64URL + "." + payload.base64URL
            let text = input + "." + (try key.signature(of: Data(input.utf8))).base64URL
            #expect(
                code { _ = try SubmissionSignature(JWS(compact: Data(text.utf8))) } == "signature-invalid",
                "\(name): \(String(describing: value))")
        }
    }
}
