import Core
import Foundation
import Identity
import Storage
import Submissions
import Wire

@testable import Admission
@testable import Consumer

/// A phone of a test: its key, its numbers and its chain. A value type, so that a test can keep an older state of it.
struct SigningDevice {
    let participant: String
    /// The device queue in which an honest receiver stores its submissions.
    let enrolmentID: String
    var key: P256SigningKey
    var study = "s"
    var sequence: Int64 = 0
    var previous: String?

    init(participant: String = UUID().uuidString.lowercased(), enrolmentID: String) throws {
        self.participant = participant
        self.enrolmentID = enrolmentID
        key = try P256SigningKey()
    }

    /// One sealed message in the form that leaves the phone.
    struct Message: Sendable {
        let submissionID: String
        let sequence: Int64
        let bytes: Data
        let digest: String
    }

    /// Signs and seals the phone's next message.
    mutating func seal(
        _ payload: String, to keys: [PublicKey], submissionID: String = UUID().uuidString.lowercased(),
        contentType: PayloadType = .resource
    ) throws -> Message {
        sequence += 1
        let header = try SubmissionHeader(
            submissionID: submissionID, sequence: sequence, contentType: contentType)
        let (envelope, digest) = try SealedEnvelope.seal(
            Data(payload.utf8), as: header, to: keys, signedBy: .init(key: key, study: study), previous: previous)
        previous = digest
        return Message(submissionID: submissionID, sequence: sequence, bytes: envelope.bytes, digest: digest)
    }

    /// Returns the participant's Contract with the key and the given extensions.
    func contract(_ extensions: [(url: String, value: String)] = [], key: P256SigningKey? = nil) -> String {
        let jwk = String(decoding: (key ?? self.key).publicKey.signingJWK, as: UTF8.self)
        let all = [(url: "urn:tributary:device-key", value: jwk)] + extensions
        let text = all.map { one -> String in
            let value = JSON.string(one.value).text()
            return #"{"url":"\#(one.url)","valueString":\#(value)}"#
        }.joined(separator: ",")
        return ConsumerFixture.contract(participant).replacing(
            #""status":"executed""#, with: #""extension":[\#(text)],"status":"executed""#)
    }

    func response(_ answer: Int) -> String { ConsumerFixture.response(participant, answer: answer) }
}

extension ConsumerFixture {
    /// Returns a fixture of a study that accepts no unsigned submissions.
    static func strict(
        acceptsC3PRO: Bool = false, acceptsGateway: Bool = false, requiresInvitation: Bool = false
    ) async throws -> ConsumerFixture {
        try await ConsumerFixture(
            c3pro: C3PROAcceptance(isAccepted: acceptsC3PRO, acceptsContractsWithoutTerms: true),
            signatures: .init(
                study: "s", acceptsGateway: acceptsGateway, requiresInvitation: requiresInvitation))
    }

    func device(participant: String = UUID().uuidString.lowercased()) async throws -> SigningDevice {
        try SigningDevice(participant: participant, enrolmentID: try await client())
    }

    var recipients: [PublicKey] { [keys[0].publicKey] }

    /// Puts a message into the queue, as a receiver that may use a false device queue or id.
    @discardableResult
    func queue(_ message: SigningDevice.Message, enrolmentID: String, as submissionID: String? = nil) async throws
        -> EnqueueResult
    {
        try await queue.enqueue(
            NewSubmission(
                clientID: enrolmentID, enrolmentID: enrolmentID, submissionID: submissionID ?? message.submissionID,
                digest: SecretDigest.hex(of: message.bytes), format: .jwe, sequence: message.sequence,
                body: message.bytes, receivedAt: Date()), quota: nil)
    }

    /// Queues a message and processes the queue.
    func receive(_ message: SigningDevice.Message, enrolmentID: String) async throws -> String {
        try await queue(message, enrolmentID: enrolmentID)
        let outcome = try await drain()[message.submissionID]
        return outcome.map { $0.reasonCode ?? $0.status.rawValue } ?? "nothing"
    }

    func gaps() async throws -> [MessageGapText] {
        try await database.read { try DeviceMessages().gaps(in: $0) }.map {
            MessageGapText(device: $0.enrolmentID, numbers: $0.from...$0.to)
        }
    }
}

struct MessageGapText: Hashable {
    let device: String
    let numbers: ClosedRange<Int64>
}
