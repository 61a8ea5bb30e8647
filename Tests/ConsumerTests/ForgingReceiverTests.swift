import AccessPolicy
import Foundation
import Storage
import TestSupport
import Testing
import Wire

@testable import Consumer
@testable import RecordStorage

/// A compromised receiver: it has all tokens and keys of a receiver, and keys of its own. It forges, alters, repeats,
/// reorders and drops messages. A model records what the phones sent and what reached the server.
@Suite struct ForgingReceiverTests {
    /// A phone with its sent messages, and the numbers of those that the receiver passed on.
    private struct Phone {
        var device: SigningDevice
        var sent: [SigningDevice.Message] = []
        var payloads: [String] = []
        var delivered: Set<Int64> = []
    }

    private enum ReceiverAction: CaseIterable {
        case deliverNext, deliverAny, repeatIt, repeatElsewhere, repeatAsAnother, alter, forgeUnsigned, forgeSigned
        case forgeContract, inventDevice
    }

    /// Number of simulated histories; `TRIBUTARY_HISTORIES=200` simulates more.
    private static let histories =
        ProcessInfo.processInfo.environment["TRIBUTARY_HISTORIES"].flatMap { Int($0) } ?? 40

    @Test func forgedMessagesAreNotStoredAndGapsAreReported() async throws {
        let fixture = try await ConsumerFixture.strict(requiresInvitation: true)
        var random = Seeded.fresh()
        var sentPayloads: Set<String> = []
        var expectedGaps: Set<MessageGapText> = []
        var (delivered, withheld, forged) = (0, 0, 0)
        for _ in 0..<Self.histories {
            var phones: [Phone] = []
            for _ in 0..<2 { phones.append(try await phone(fixture, &random)) }
            for phone in phones { sentPayloads.formUnion(phone.payloads) }
            for _ in 0..<Int.random(in: 8...24, using: &random) {
                let index = Int.random(in: 0..<2, using: &random)
                let actions = ReceiverAction.allCases + [.deliverNext, .deliverAny, .deliverAny]
                forged += try await perform(
                    actions.randomElement(using: &random) ?? .alter, phone: index, of: &phones, in: fixture,
                    random: &random)
            }
            _ = try await fixture.drain()
            for phone in phones {
                delivered += phone.delivered.count
                // Before its Contract a phone's key is not known: its submissions wait, and are counted when they are
                // handled.
                guard phone.delivered.contains(1), let last = phone.delivered.max() else { continue }
                let missing = (1...last).filter { !phone.delivered.contains($0) }
                withheld += missing.count
                expectedGaps.formUnion(Self.runs(missing).map { .init(device: phone.device.enrolmentID, numbers: $0) })
                try await checkPresent(of: phone, fixture)
            }
        }
        // 1. All stored content was sent, byte for byte, by its subject's phone.
        let stored = try await fixture.database.read { transaction in
            try transaction.query("SELECT content, signer FROM record_history").map { row in
                let content = try ContentCodec.content(try row.blob("content"), in: transaction)
                return (String(decoding: content, as: UTF8.self), row.textIfPresent("signer"))
            }
        }
        for (content, signer) in stored {
            #expect(sentPayloads.contains(content))
            #expect(signer != nil)
        }
        // 2. The numbers of passed and withheld messages add up.
        #expect(Set(try await fixture.gaps()) == expectedGaps)
        print(
            "histories \(Self.histories): delivered \(delivered), withheld and shown \(withheld), deeds of the receiver \(forged), stored \(stored.count)"
        )
        #expect(delivered > 2 * Self.histories && withheld > Self.histories / 4 && forged > 2 * Self.histories)
        try await fixture.close()
    }

    /// Returns a phone that has consented and answered; none of its messages has reached the server.
    private func phone(_ fixture: ConsumerFixture, _ random: inout Seeded) async throws -> Phone {
        var phone = Phone(device: try await fixture.device())
        let (codes, _) = try await fixture.access.issueInvitations(
            count: 1, by: Actor(id: "account", role: .site), lifetime: 86_400)
        var payloads = [phone.device.contract(codes.map { (url: "urn:tributary:invitation", value: $0) })]
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            payloads.append(Self.version(Int.random(in: 0..<1_000_000, using: &random), of: phone.device))
        }
        for payload in payloads { phone.sent.append(try phone.device.seal(payload, to: fixture.recipients)) }
        phone.payloads = payloads
        return phone
    }

    /// Returns an answer to the participant's form, in versions.
    private static func version(_ value: Int, of device: SigningDevice) -> String {
        device.response(value).replacing(
            #""status":"completed""#, with: #""id":"r-\#(device.participant.prefix(30))","status":"completed""#)
    }

    /// - Returns: 1 for a message that the receiver forged, 0 for one that it passed on.
    private func perform(
        _ action: ReceiverAction, phone index: Int, of phones: inout [Phone], in fixture: ConsumerFixture,
        random: inout Seeded
    ) async throws -> Int {
        let phone = phones[index]
        let enrolmentID = phone.device.enrolmentID
        func any() -> SigningDevice.Message? { phone.sent.randomElement(using: &random) }
        var forger = phone.device
        forger.key = try P256SigningKey()
        forger.sequence = Int64.random(in: 0...9, using: &random)
        forger.previous = Bool.random(using: &random) ? phone.sent.first?.digest : nil
        func drainSometimes() async throws {
            if Bool.random(using: &random) { _ = try await fixture.drain() }
        }
        switch action {
        case .deliverNext, .deliverAny:
            let next = phone.sent.first { !phone.delivered.contains($0.sequence) }
            guard let message = action == .deliverNext ? next : any() else { return 0 }
            try await fixture.queue(message, enrolmentID: enrolmentID)
            phones[index].delivered.insert(message.sequence)
            try await drainSometimes()
            return 0
        case .repeatIt:
            guard let message = phone.sent.first(where: { phone.delivered.contains($0.sequence) }) else { return 0 }
            try await fixture.queue(message, enrolmentID: enrolmentID)
        case .repeatElsewhere:
            // A Contract in another device queue only renames the phone, which the model does not follow.
            guard let message = phone.sent.dropFirst().randomElement(using: &random) else { return 0 }
            let enrolmentID =
                Bool.random(using: &random) ? phones[1 - index].device.enrolmentID : try await fixture.client()
            try await fixture.queue(message, enrolmentID: enrolmentID)
        case .repeatAsAnother:
            guard let message = any() else { return 0 }
            try await fixture.queue(message, enrolmentID: enrolmentID, as: UUID().uuidString.lowercased())
        case .alter:
            guard let message = any() else { return 0 }
            var bytes = message.bytes
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...127, using: &random)
            try await fixture.queue(
                .init(
                    submissionID: UUID().uuidString.lowercased(), sequence: message.sequence, bytes: bytes,
                    digest: message.digest), enrolmentID: enrolmentID)
        case .forgeUnsigned:
            let payload = [Self.version(-1, of: phone.device), ConsumerFixture.contract(phone.device.participant)]
                .randomElement(using: &random)
            let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: forger.sequence + 1)
            let sealed = try SealedEnvelope.seal(Data((payload ?? "").utf8), as: header, to: fixture.recipients)
            try await fixture.queue(
                .init(
                    submissionID: header.submissionID, sequence: header.sequence, bytes: sealed.bytes, digest: ""),
                enrolmentID: enrolmentID)
        case .forgeSigned:
            try await fixture.queue(
                forger.seal(Self.version(-2, of: phone.device), to: fixture.recipients), enrolmentID: enrolmentID)
        case .forgeContract:
            let enrolmentID = Bool.random(using: &random) ? enrolmentID : try await fixture.client()
            let payload = Bool.random(using: &random) ? forger.contract() : phone.device.contract()
            try await fixture.queue(forger.seal(payload, to: fixture.recipients), enrolmentID: enrolmentID)
        case .inventDevice:
            var invented = try await fixture.device()
            try await fixture.queue(
                invented.seal(invented.contract(), to: fixture.recipients), enrolmentID: invented.enrolmentID)
            try await fixture.queue(
                invented.seal(Self.version(-3, of: invented), to: fixture.recipients), enrolmentID: invented.enrolmentID
            )
        }
        try await drainSometimes()
        return 1
    }

    /// Checks that the participant's current answer is the last one passed on, in any order of arrival.
    private func checkPresent(of phone: Phone, _ fixture: ConsumerFixture) async throws {
        let present = try await fixture.database.read {
            try fixture.processor.records.read(
                type: "QuestionnaireResponse", id: "r-\(phone.device.participant.prefix(30))", in: $0)
        }
        let last = phone.sent.lastIndex { phone.delivered.contains($0.sequence) && $0.sequence > 1 }
        #expect(present.map { String(decoding: $0.content, as: UTF8.self) } == last.map { phone.payloads[$0] })
    }

    /// Returns the numbers as ranges.
    private static func runs(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
        numbers.reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound == number - 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
    }
}
