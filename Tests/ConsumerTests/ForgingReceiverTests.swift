import Foundation
import Storage
import TestSupport
import Testing
import Trust
import Wire

@testable import Consumer
@testable import Records

/// A receiver that has turned: it holds every token and every key that a receiver has, and keys of its own; it makes,
/// alters, repeats, reorders and drops. A model keeps what the phones said and what reached the house.
@Suite struct ForgingReceiverTests {
    /// One phone with what it has sent, and what of that the receiver passed on.
    private struct Phone {
        var device: SigningDevice
        var sent: [SigningDevice.Message] = []
        var payloads: [String] = []
        var delivered: Set<Int64> = []
    }

    private enum Deed: CaseIterable {
        case deliverNext, deliverAny, repeatIt, repeatElsewhere, repeatAsAnother, alter, forgeUnsigned, forgeSigned
        case forgeContract, inventSomebody
    }

    /// How many histories are played; `TRIBUTARY_HISTORIES=200` plays more.
    private static let histories =
        ProcessInfo.processInfo.environment["TRIBUTARY_HISTORIES"].flatMap { Int($0) } ?? 40

    @Test func nothingIsStoredThatNobodySentAndNothingIsLostUnseen() async throws {
        let fixture = try await ConsumerFixture.strict(requiresInvitation: true)
        var random = Seeded.fresh()
        var said: Set<String> = []
        var expectedGaps: Set<MessageGapText> = []
        var (delivered, withheld, forged) = (0, 0, 0)
        for _ in 0..<Self.histories {
            var phones: [Phone] = []
            for _ in 0..<2 { phones.append(try await phone(fixture, &random)) }
            for phone in phones { said.formUnion(phone.payloads) }
            for _ in 0..<Int.random(in: 8...24, using: &random) {
                let index = Int.random(in: 0..<2, using: &random)
                let deeds = Deed.allCases + [.deliverNext, .deliverAny, .deliverAny]
                forged += try await deed(
                    deeds.randomElement(using: &random) ?? .alter, index, &phones, fixture, &random)
            }
            _ = try await fixture.drain()
            for phone in phones {
                delivered += phone.delivered.count
                // Before its Contract nobody knows a phone's key: what came waits, and is counted when it is handled.
                guard phone.delivered.contains(1), let last = phone.delivered.max() else { continue }
                let missing = (1...last).filter { !phone.delivered.contains($0) }
                withheld += missing.count
                expectedGaps.formUnion(Self.runs(missing).map { .init(device: phone.device.lane, numbers: $0) })
                try await checkPresent(of: phone, fixture)
            }
        }
        // 1. All that is stored was said, byte for byte, by whom it is about.
        let stored = try await fixture.database.read { transaction in
            try transaction.query("SELECT content, signer FROM record_history").map { row in
                let content = try ContentCodec.content(try row.blob("content"), in: transaction)
                return (String(decoding: content, as: UTF8.self), row.textIfPresent("signer"))
            }
        }
        for (content, signer) in stored {
            #expect(said.contains(content))
            #expect(signer != nil)
        }
        // 2. What was passed on and what was withheld add up.
        #expect(Set(try await fixture.gaps()) == expectedGaps)
        print(
            "histories \(Self.histories): delivered \(delivered), withheld and shown \(withheld), deeds of the receiver \(forged), stored \(stored.count)"
        )
        #expect(delivered > 2 * Self.histories && withheld > Self.histories / 4 && forged > 2 * Self.histories)
        try await fixture.close()
    }

    /// A phone that has consented and answered; nothing of it has reached the house.
    private func phone(_ fixture: ConsumerFixture, _ random: inout Seeded) async throws -> Phone {
        var phone = Phone(device: try await fixture.device())
        let (codes, _) = try await fixture.access.issueInvitations(
            count: 1, by: Actor(id: "account", role: .site), lifetime: 86_400)
        var payloads = [phone.device.contract(codes.map { (url: "urn:tributary:invitation", value: $0) })]
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            payloads.append(Self.version(Int.random(in: 0..<1_000_000, using: &random), of: phone.device))
        }
        for payload in payloads { phone.sent.append(try phone.device.say(payload, to: fixture.recipients)) }
        phone.payloads = payloads
        return phone
    }

    /// An answer to the one form of the participant, in versions.
    private static func version(_ value: Int, of device: SigningDevice) -> String {
        device.response(value).replacing(
            #""status":"completed""#, with: #""id":"r-\#(device.participant.prefix(30))","status":"completed""#)
    }

    /// - Returns: 1 for what the receiver made up, 0 for what it passed on.
    private func deed(
        _ deed: Deed, _ index: Int, _ phones: inout [Phone], _ fixture: ConsumerFixture, _ random: inout Seeded
    ) async throws -> Int {
        let phone = phones[index]
        let lane = phone.device.lane
        func any() -> SigningDevice.Message? { phone.sent.randomElement(using: &random) }
        var forger = phone.device
        forger.key = try P256SigningKey()
        forger.sequence = Int64.random(in: 0...9, using: &random)
        forger.previous = Bool.random(using: &random) ? phone.sent.first?.digest : nil
        func drainSometimes() async throws {
            if Bool.random(using: &random) { _ = try await fixture.drain() }
        }
        switch deed {
        case .deliverNext, .deliverAny:
            let next = phone.sent.first { !phone.delivered.contains($0.sequence) }
            guard let message = deed == .deliverNext ? next : any() else { return 0 }
            try await fixture.queue(message, lane: lane)
            phones[index].delivered.insert(message.sequence)
            try await drainSometimes()
            return 0
        case .repeatIt:
            guard let message = phone.sent.first(where: { phone.delivered.contains($0.sequence) }) else { return 0 }
            try await fixture.queue(message, lane: lane)
        case .repeatElsewhere:
            // A Contract in a lane of the receiver's choosing only renames the phone, which the model does not follow.
            guard let message = phone.sent.dropFirst().randomElement(using: &random) else { return 0 }
            let lane = Bool.random(using: &random) ? phones[1 - index].device.lane : try await fixture.client()
            try await fixture.queue(message, lane: lane)
        case .repeatAsAnother:
            guard let message = any() else { return 0 }
            try await fixture.queue(message, lane: lane, as: UUID().uuidString.lowercased())
        case .alter:
            guard let message = any() else { return 0 }
            var bytes = message.bytes
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...127, using: &random)
            try await fixture.queue(
                .init(
                    submissionID: UUID().uuidString.lowercased(), sequence: message.sequence, bytes: bytes,
                    digest: message.digest), lane: lane)
        case .forgeUnsigned:
            let payload = [Self.version(-1, of: phone.device), ConsumerFixture.contract(phone.device.participant)]
                .randomElement(using: &random)
            let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: forger.sequence + 1)
            let sealed = try SealedEnvelope.seal(Data((payload ?? "").utf8), as: header, to: fixture.recipients)
            try await fixture.queue(
                .init(
                    submissionID: header.submissionID, sequence: header.sequence, bytes: sealed.bytes, digest: ""),
                lane: lane)
        case .forgeSigned:
            try await fixture.queue(
                forger.say(Self.version(-2, of: phone.device), to: fixture.recipients), lane: lane)
        case .forgeContract:
            let lane = Bool.random(using: &random) ? lane : try await fixture.client()
            let payload = Bool.random(using: &random) ? forger.contract() : phone.device.contract()
            try await fixture.queue(forger.say(payload, to: fixture.recipients), lane: lane)
        case .inventSomebody:
            var nobody = try await fixture.device()
            try await fixture.queue(nobody.say(nobody.contract(), to: fixture.recipients), lane: nobody.lane)
            try await fixture.queue(nobody.say(Self.version(-3, of: nobody), to: fixture.recipients), lane: nobody.lane)
        }
        try await drainSometimes()
        return 1
    }

    /// The present of the participant's answer is the last that was passed on, in whichever order that happened.
    private func checkPresent(of phone: Phone, _ fixture: ConsumerFixture) async throws {
        let present = try await fixture.database.read {
            try fixture.processor.records.read(
                type: "QuestionnaireResponse", id: "r-\(phone.device.participant.prefix(30))", in: $0)
        }
        let last = phone.sent.lastIndex { phone.delivered.contains($0.sequence) && $0.sequence > 1 }
        #expect(present.map { String(decoding: $0.content, as: UTF8.self) } == last.map { phone.payloads[$0] })
    }

    /// Numbers as runs.
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
