import Foundation
import Storage
import Testing
import Trust
import Wire

@testable import Consumer

@Suite struct SignatureTests {
    @Test func whatThePinnedKeySignedIsStoredWithItsName() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane) == "stored"
        )
        #expect(
            try await fixture.receive(phone.say(phone.response(1), to: fixture.recipients), lane: phone.lane)
                == "stored")
        let signers = try await fixture.database.read {
            try $0.query("SELECT DISTINCT signer FROM record_history").map { $0.textIfPresent("signer") }
        }
        #expect(signers == [phone.key.publicKey.keyID])
        #expect(try await fixture.gaps().isEmpty)
        try await fixture.close()
    }

    @Test func aStudyThatDoesNotSayOtherwiseTakesNothingUnsigned() async throws {
        let fixture = try await ConsumerFixture.strict()
        let client = try await fixture.client()
        // Whose data it is nobody knows before the Contract: it waits.
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "consent-required")
        #expect(try await fixture.send(ConsumerFixture.contract("p1"), from: client)?.reasonCode == "signature-missing")
        #expect(try await fixture.versions == 0)
        try await fixture.close()
    }

    @Test func dataThatCameBeforeItsContractIsCheckedWhenTheContractHasCome() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        var forger = phone
        forger.key = try P256SigningKey()
        let contract = try phone.say(phone.contract(), to: fixture.recipients)
        let answer = try phone.say(phone.response(1), to: fixture.recipients)
        _ = try forger.say("{}", to: fixture.recipients)
        let forged = try forger.say(phone.response(2), to: fixture.recipients)
        #expect(try await fixture.receive(answer, lane: phone.lane) == "consent-required")
        #expect(try await fixture.receive(forged, lane: phone.lane) == "consent-required")
        try await fixture.queue(contract, lane: phone.lane)
        let outcomes = try await fixture.drain()
        #expect(outcomes[answer.submissionID]?.status == .stored)
        #expect(outcomes[forged.submissionID]?.reasonCode == "signature-invalid")
        try await fixture.close()
    }

    @Test(arguments: [true, false])
    func whoSignsOnceIsHeardUnsignedNoMore(_ isLax: Bool) async throws {
        let fixture = try await ConsumerFixture(
            signatures: .init(study: "s", acceptsUnsigned: isLax, acceptsGateway: true))
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane) == "stored"
        )
        let unsigned = try await fixture.send(phone.response(7), from: phone.lane)
        #expect(unsigned?.reasonCode == "signature-missing")
        let old = try await fixture.sendC3PRO(
            ConsumerFixture.dstu2Response.replacing("Patient/p1", with: "Patient/\(phone.participant)"),
            from: phone.lane)
        #expect(old?.reasonCode == "signature-missing")
        let withdrawal = try await fixture.send(
            ConsumerFixture.withdrawal(phone.participant, contract: "c"), from: phone.lane)
        #expect(withdrawal?.reasonCode == "signature-missing")
        // Nor does it suspend anybody.
        #expect(
            try await fixture.receive(phone.say(phone.response(8), to: fixture.recipients), lane: phone.lane)
                == "stored")
        try await fixture.close()
    }

    @Test func appsOfC3PROAndTheGatewayAreTakenWhereTheStudySaysSo() async throws {
        let fixture = try await ConsumerFixture.strict(acceptsC3PRO: true)
        let client = try await fixture.client()
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Contract, from: client)?.status == .stored)
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Response, from: client)?.status == .stored)
        let signers = try await fixture.count("SELECT count(*) AS number FROM record_history WHERE signer IS NOT NULL")
        #expect(signers == 0)
        // What the fixture queues has no number of a device: it is what the receiver seals itself.
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "signature-missing")
        try await fixture.close()
        let gateway = try await ConsumerFixture.strict(acceptsGateway: true)
        let other = try await gateway.client()
        #expect(try await gateway.send(ConsumerFixture.contract("p1"), from: other)?.status == .stored)
        try await gateway.close()
    }

    @Test func aDeviceBoundBeforeDevicesSignedGoesOnUntilItsFirstSignedContract() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        try await fixture.database.write { [phone] transaction in
            _ = try fixture.access.bind(
                device: phone.lane, clientID: phone.lane, toParticipant: phone.participant, isKnown: false,
                moveCode: nil,
                in: transaction)
            _ = try transaction.execute("UPDATE device_binding SET takes_unsigned = 1")
        }
        #expect(try await fixture.send(phone.contract(), from: phone.lane)?.status == .stored)
        #expect(try await fixture.send(phone.response(1), from: phone.lane)?.status == .stored)
        #expect(
            try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane) == "stored"
        )
        #expect(try await fixture.send(phone.response(2), from: phone.lane)?.reasonCode == "signature-missing")
        #expect(
            try await fixture.receive(phone.say(phone.response(3), to: fixture.recipients), lane: phone.lane)
                == "stored")
        try await fixture.close()
    }

    @Test func whatIsSignedForAnotherStudyOrByAnotherKeyIsNotStored() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane) == "stored"
        )
        let versions = try await fixture.versions
        var elsewhere = phone
        elsewhere.study = "another"
        #expect(
            try await fixture.receive(elsewhere.say(phone.response(1), to: fixture.recipients), lane: phone.lane)
                == "signature-invalid")
        var forger = phone
        forger.key = try P256SigningKey()
        for payload in [phone.response(2), phone.contract(), phone.contract(key: forger.key), forger.contract()] {
            #expect(
                try await fixture.receive(forger.say(payload, to: fixture.recipients), lane: phone.lane)
                    == "signature-invalid")
        }
        #expect(try await fixture.versions == versions)
        try await fixture.close()
    }

    @Test func aNumberOrIdThatIsSpentIsNotSpentAgain() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        var restored = phone
        let first = try phone.say(phone.response(1), to: fixture.recipients)
        #expect(try await fixture.receive(first, lane: phone.lane) == "stored")
        // A phone that was restored from an older state gives the same number to something else.
        #expect(
            try await fixture.receive(restored.say(phone.response(2), to: fixture.recipients), lane: phone.lane)
                == "signature-conflict")
        // The same bytes are the same submission, also where the receiver forgot that it had them.
        #expect(try await fixture.queue(first, lane: phone.lane) == .duplicate)
        // Its next number is free: the chain forks there, and that is shown.
        #expect(
            try await fixture.receive(restored.say(phone.response(3), to: fixture.recipients), lane: phone.lane)
                == "stored")
        let forks = try await fixture.database.read { try DeviceMessages().forks(in: $0) }
        #expect(forks.map(\.device) == [phone.lane])
        try await fixture.close()
    }

    @Test func whatNeverCameIsShownUntilItComes() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        let lost = try (1...3).map { try phone.say(phone.response($0), to: fixture.recipients) }
        #expect(
            try await fixture.receive(phone.say(phone.response(4), to: fixture.recipients), lane: phone.lane)
                == "stored")
        #expect(try await fixture.gaps() == [.init(device: phone.lane, numbers: 2...4)])
        _ = try await fixture.receive(lost[1], lane: phone.lane)
        #expect(try await Set(fixture.gaps().map(\.numbers)) == [2...2, 4...4])
        for message in lost { _ = try await fixture.receive(message, lane: phone.lane) }
        #expect(try await fixture.gaps().isEmpty)
        // A number that a stop of the phone left out is none that is missing.
        phone.sequence += 5
        #expect(
            try await fixture.receive(phone.say(phone.response(9), to: fixture.recipients), lane: phone.lane)
                == "stored")
        #expect(try await fixture.gaps().isEmpty)
        try await fixture.close()
    }

    @Test func whatWasSignedLaterIsThePresentWhicheverCameFirst() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        func version(_ value: Int) -> String {
            phone.response(value).replacing(
                #""status":"completed""#, with: #""id":"one","status":"completed""#)
        }
        let messages = try (1...3).map { try phone.say(version($0), to: fixture.recipients) }
        for index in [2, 0, 1] {
            #expect(try await fixture.receive(messages[index], lane: phone.lane) == "stored")
        }
        let present = try await fixture.database.read {
            try fixture.processor.records.read(type: "QuestionnaireResponse", id: "one", in: $0)
        }
        #expect(String(decoding: try #require(present).content, as: UTF8.self).contains(#""valueInteger":3"#))
        try await fixture.close()
    }

    @Test func aContractThatWasHeldBackDoesNotUndoTheWithdrawal() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        let late = try phone.say(phone.contract(), to: fixture.recipients)
        let withdrawal = try phone.say(
            ConsumerFixture.withdrawal(phone.participant, contract: "c"), to: fixture.recipients)
        #expect(try await fixture.receive(withdrawal, lane: phone.lane) == "stored")
        #expect(try await fixture.receive(late, lane: phone.lane) == "consent-out-of-order")
        #expect(
            try await fixture.receive(phone.say(phone.response(1), to: fixture.recipients), lane: phone.lane)
                == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func aNewPhoneComesByTheTeamsCodeOrByTheOldKey() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        // 1. Another phone with nothing to show.
        var stranger = try await fixture.device(participant: phone.participant)
        #expect(
            try await fixture.receive(stranger.say(stranger.contract(), to: fixture.recipients), lane: stranger.lane)
                == "already-bound")
        // 2. With the code.
        let site = Actor(id: "account", role: .site)
        let secret = try await fixture.access.issueMoveCode(
            participant: phone.participant, by: site, lifetime: 86_400)
        let code = (url: "urn:tributary:move-code", value: "\(secret).\(phone.participant)")
        #expect(
            try await fixture.receive(
                stranger.say(stranger.contract([code]), to: fixture.recipients), lane: stranger.lane) == "stored")
        #expect(
            try await fixture.receive(stranger.say(stranger.response(1), to: fixture.recipients), lane: stranger.lane)
                == "stored")
        #expect(
            try await fixture.receive(phone.say(phone.response(2), to: fixture.recipients), lane: phone.lane)
                != "stored")
        // 3. With a Contract that the old key signed and that brings the new one.
        var third = try await fixture.device(participant: phone.participant)
        let fresh = third.key
        third.key = stranger.key
        third.sequence = stranger.sequence
        third.previous = stranger.previous
        #expect(
            try await fixture.receive(third.say(third.contract(key: fresh), to: fixture.recipients), lane: third.lane)
                == "stored")
        third.key = fresh
        third.previous = nil
        #expect(
            try await fixture.receive(third.say(third.response(3), to: fixture.recipients), lane: third.lane)
                == "stored")
        try await fixture.close()
    }

    @Test func aPhoneThatLostItsKeyNeedsTheTeamsCode() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
        phone.key = try P256SigningKey()
        phone.previous = nil
        #expect(
            try await fixture.receive(phone.say(phone.contract(), to: fixture.recipients), lane: phone.lane)
                == "signature-invalid")
        let secret = try await fixture.access.issueMoveCode(
            participant: phone.participant, by: Actor(id: "account", role: .site), lifetime: 86_400)
        let code = (url: "urn:tributary:move-code", value: "\(secret).\(phone.participant)")
        #expect(
            try await fixture.receive(phone.say(phone.contract([code]), to: fixture.recipients), lane: phone.lane)
                == "stored")
        #expect(
            try await fixture.receive(phone.say(phone.response(1), to: fixture.recipients), lane: phone.lane)
                == "stored")
        try await fixture.close()
    }

    @Test func whereTheStudyInvitesAParticipantBeginsWithACodeThatServesOnce() async throws {
        let fixture = try await ConsumerFixture.strict(requiresInvitation: true)
        let (codes, _) = try await fixture.access.issueInvitations(
            count: 2, by: Actor(id: "account", role: .site), lifetime: 86_400)
        func begin(_ code: String?) async throws -> String {
            var phone = try await fixture.device()
            let carried = code.map { [(url: "urn:tributary:invitation", value: $0)] } ?? []
            return try await fixture.receive(
                phone.say(phone.contract(carried), to: fixture.recipients), lane: phone.lane)
        }
        #expect(try await begin(nil) == "invitation-required")
        #expect(try await begin(String(repeating: "a", count: 26)) == "invitation-refused")
        #expect(try await begin("short") == "invitation-invalid")
        #expect(try await begin(codes[0]) == "stored")
        #expect(try await begin(codes[0]) == "invitation-refused")
        #expect(try await begin(codes[1]) == "stored")
        try await fixture.close()
    }
}
