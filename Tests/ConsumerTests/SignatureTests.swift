import AccessPolicy
import Foundation
import Storage
import Testing
import Wire

@testable import Consumer

@Suite struct SignatureTests {
    @Test func submissionSignedByThePinnedKeyIsStoredWithItsKeyID() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID) == "stored"
        )
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(1), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        let signers = try await fixture.database.read {
            try $0.query("SELECT DISTINCT signer FROM record_history").map { $0.textIfPresent("signer") }
        }
        #expect(signers == [phone.key.publicKey.keyID])
        #expect(try await fixture.gaps().isEmpty)
        try await fixture.close()
    }

    @Test func studyRefusesUnsignedSubmissionsByDefault() async throws {
        let fixture = try await ConsumerFixture.strict()
        let client = try await fixture.client()
        // Before the Contract the owner of the data is not known: it waits.
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
        let contract = try phone.seal(phone.contract(), to: fixture.recipients)
        let answer = try phone.seal(phone.response(1), to: fixture.recipients)
        _ = try forger.seal("{}", to: fixture.recipients)
        let forged = try forger.seal(phone.response(2), to: fixture.recipients)
        #expect(try await fixture.receive(answer, enrolmentID: phone.enrolmentID) == "consent-required")
        #expect(try await fixture.receive(forged, enrolmentID: phone.enrolmentID) == "consent-required")
        try await fixture.queue(contract, enrolmentID: phone.enrolmentID)
        let outcomes = try await fixture.drain()
        #expect(outcomes[answer.submissionID]?.status == .stored)
        #expect(outcomes[forged.submissionID]?.reasonCode == "signature-invalid")
        try await fixture.close()
    }

    @Test(arguments: [true, false])
    func deviceThatSignedOnceMayNotSendUnsigned(_ isLax: Bool) async throws {
        let fixture = try await ConsumerFixture(
            signatures: .init(study: "s", acceptsUnsigned: isLax, acceptsGateway: true))
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID) == "stored"
        )
        let unsigned = try await fixture.send(phone.response(7), from: phone.enrolmentID)
        #expect(unsigned?.reasonCode == "signature-missing")
        let old = try await fixture.sendC3PRO(
            ConsumerFixture.dstu2Response.replacing("Patient/p1", with: "Patient/\(phone.participant)"),
            from: phone.enrolmentID)
        #expect(old?.reasonCode == "signature-missing")
        let withdrawal = try await fixture.send(
            ConsumerFixture.withdrawal(phone.participant, contract: "c"), from: phone.enrolmentID)
        #expect(withdrawal?.reasonCode == "signature-missing")
        // It does not cause a suspension either.
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(8), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        try await fixture.close()
    }

    @Test func c3proAppsAndTheGatewayAreAcceptedIfTheStudyConfiguresThem() async throws {
        let fixture = try await ConsumerFixture.strict(acceptsC3PRO: true)
        let client = try await fixture.client()
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Contract, from: client)?.status == .stored)
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Response, from: client)?.status == .stored)
        let signers = try await fixture.count("SELECT count(*) AS number FROM record_history WHERE signer IS NOT NULL")
        #expect(signers == 0)
        // Submissions that the fixture queues have no device number, like those that the receiver seals itself.
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "signature-missing")
        try await fixture.close()
        let gateway = try await ConsumerFixture.strict(acceptsGateway: true)
        let other = try await gateway.client()
        #expect(try await gateway.send(ConsumerFixture.contract("p1"), from: other)?.status == .stored)
        try await gateway.close()
    }

    @Test func deviceBoundBeforeSigningIsAcceptedUntilItsFirstSignedContract() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        try await fixture.database.write { [phone] transaction in
            _ = try fixture.access.bind(
                device: phone.enrolmentID, clientID: phone.enrolmentID, toParticipant: phone.participant,
                isKnown: false,
                moveCode: nil,
                in: transaction)
            _ = try transaction.execute("UPDATE device_binding SET takes_unsigned = 1")
        }
        #expect(try await fixture.send(phone.contract(), from: phone.enrolmentID)?.status == .stored)
        #expect(try await fixture.send(phone.response(1), from: phone.enrolmentID)?.status == .stored)
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID) == "stored"
        )
        #expect(try await fixture.send(phone.response(2), from: phone.enrolmentID)?.reasonCode == "signature-missing")
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(3), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        try await fixture.close()
    }

    @Test func submissionSignedForAnotherStudyOrByAnotherKeyIsNotStored() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID) == "stored"
        )
        let versions = try await fixture.versions
        var elsewhere = phone
        elsewhere.study = "another"
        #expect(
            try await fixture.receive(
                elsewhere.seal(phone.response(1), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "signature-invalid")
        var forger = phone
        forger.key = try P256SigningKey()
        for payload in [phone.response(2), phone.contract(), phone.contract(key: forger.key), forger.contract()] {
            #expect(
                try await fixture.receive(forger.seal(payload, to: fixture.recipients), enrolmentID: phone.enrolmentID)
                    == "signature-invalid")
        }
        #expect(try await fixture.versions == versions)
        try await fixture.close()
    }

    @Test func usedNumberOrIDIsRefused() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        var restored = phone
        let first = try phone.seal(phone.response(1), to: fixture.recipients)
        #expect(try await fixture.receive(first, enrolmentID: phone.enrolmentID) == "stored")
        // A phone restored from an older state uses the same number for another message.
        #expect(
            try await fixture.receive(
                restored.seal(phone.response(2), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "signature-conflict")
        // The same bytes are the same submission, also if the receiver has lost it.
        #expect(try await fixture.queue(first, enrolmentID: phone.enrolmentID) == .duplicate)
        // Its next number is free: the chain forks there, and the fork is shown.
        #expect(
            try await fixture.receive(
                restored.seal(phone.response(3), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        let forks = try await fixture.database.read { try DeviceMessages().forks(in: $0) }
        #expect(forks.map(\.enrolmentID) == [phone.enrolmentID])
        try await fixture.close()
    }

    @Test func missingNumbersAreShownUntilTheyArrive() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        let lost = try (1...3).map { try phone.seal(phone.response($0), to: fixture.recipients) }
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(4), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        #expect(try await fixture.gaps() == [.init(device: phone.enrolmentID, numbers: 2...4)])
        _ = try await fixture.receive(lost[1], enrolmentID: phone.enrolmentID)
        #expect(try await Set(fixture.gaps().map(\.numbers)) == [2...2, 4...4])
        for message in lost { _ = try await fixture.receive(message, enrolmentID: phone.enrolmentID) }
        #expect(try await fixture.gaps().isEmpty)
        // Numbers skipped by a stop of the phone are not missing.
        phone.sequence += 5
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(9), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        #expect(try await fixture.gaps().isEmpty)
        try await fixture.close()
    }

    @Test func versionSignedLaterIsCurrentInAnyOrderOfArrival() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        func version(_ value: Int) -> String {
            phone.response(value).replacing(
                #""status":"completed""#, with: #""id":"one","status":"completed""#)
        }
        let messages = try (1...3).map { try phone.seal(version($0), to: fixture.recipients) }
        for index in [2, 0, 1] {
            #expect(try await fixture.receive(messages[index], enrolmentID: phone.enrolmentID) == "stored")
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
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        let late = try phone.seal(phone.contract(), to: fixture.recipients)
        let withdrawal = try phone.seal(
            ConsumerFixture.withdrawal(phone.participant, contract: "c"), to: fixture.recipients)
        #expect(try await fixture.receive(withdrawal, enrolmentID: phone.enrolmentID) == "stored")
        #expect(try await fixture.receive(late, enrolmentID: phone.enrolmentID) == "consent-out-of-order")
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(1), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func newPhoneNeedsTheTeamsCodeOrTheOldKey() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        // 1. Another phone without a code or signature.
        var stranger = try await fixture.device(participant: phone.participant)
        #expect(
            try await fixture.receive(
                stranger.seal(stranger.contract(), to: fixture.recipients), enrolmentID: stranger.enrolmentID)
                == "already-bound")
        // 2. With the code.
        let site = Actor(id: "account", role: .site)
        let secret = try await fixture.access.issueMoveCode(
            participant: phone.participant, by: site, lifetime: 86_400)
        let code = (url: "urn:tributary:move-code", value: "\(secret).\(phone.participant)")
        #expect(
            try await fixture.receive(
                stranger.seal(stranger.contract([code]), to: fixture.recipients), enrolmentID: stranger.enrolmentID)
                == "stored")
        #expect(
            try await fixture.receive(
                stranger.seal(stranger.response(1), to: fixture.recipients), enrolmentID: stranger.enrolmentID)
                == "stored")
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(2), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                != "stored")
        // 3. With a Contract that the old key signed and that contains the new key.
        var third = try await fixture.device(participant: phone.participant)
        let fresh = third.key
        third.key = stranger.key
        third.sequence = stranger.sequence
        third.previous = stranger.previous
        #expect(
            try await fixture.receive(
                third.seal(third.contract(key: fresh), to: fixture.recipients), enrolmentID: third.enrolmentID)
                == "stored")
        third.key = fresh
        third.previous = nil
        #expect(
            try await fixture.receive(
                third.seal(third.response(3), to: fixture.recipients), enrolmentID: third.enrolmentID)
                == "stored")
        try await fixture.close()
    }

    @Test func aPhoneThatLostItsKeyNeedsTheTeamsCode() async throws {
        let fixture = try await ConsumerFixture.strict()
        var phone = try await fixture.device()
        _ = try await fixture.receive(
            phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
        phone.key = try P256SigningKey()
        phone.previous = nil
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract(), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "signature-invalid")
        let secret = try await fixture.access.issueMoveCode(
            participant: phone.participant, by: Actor(id: "account", role: .site), lifetime: 86_400)
        let code = (url: "urn:tributary:move-code", value: "\(secret).\(phone.participant)")
        #expect(
            try await fixture.receive(
                phone.seal(phone.contract([code]), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        #expect(
            try await fixture.receive(
                phone.seal(phone.response(1), to: fixture.recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        try await fixture.close()
    }

    @Test func studyWithInvitationsNeedsACodeThatWorksOnce() async throws {
        let fixture = try await ConsumerFixture.strict(requiresInvitation: true)
        let (codes, _) = try await fixture.access.issueInvitations(
            count: 2, by: Actor(id: "account", role: .site), lifetime: 86_400)
        func begin(_ code: String?) async throws -> String {
            var phone = try await fixture.device()
            let carried = code.map { [(url: "urn:tributary:invitation", value: $0)] } ?? []
            return try await fixture.receive(
                phone.seal(phone.contract(carried), to: fixture.recipients), enrolmentID: phone.enrolmentID)
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
