import AccessPolicy
import Foundation
import Storage
import Testing

@testable import Consumer

/// Consent fails closed.
@Suite struct SuspensionTests {
    /// Consents that may be a withdrawal, and do not have the form that the study recognises.
    static let unclear = [
        "rejected": ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: #""inactive""#, with: #""rejected""#),
        "entered in error": ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: #""inactive""#, with: #""entered-in-error""#),
        "another scope": ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: #""research""#, with: #""patient-privacy""#),
        "an odd date": ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: "2026-02-01T10:00:00Z", with: "yesterday"),
        "cut": String(ConsumerFixture.withdrawal("p1", contract: "c1").dropLast(40)),
        "denied": ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: #""inactive""#, with: #""active","provision":{"type":"deny"}"#),
    ]

    @Test(arguments: unclear.keys.sorted())
    func unclearWithdrawalSuspendsUntilItIsResolved(name: String) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        let payload = try #require(Self.unclear[name])
        #expect(try await fixture.send(payload, from: client)?.status == .quarantined)
        let held = try await fixture.send(ConsumerFixture.response("p1"), from: client)
        #expect(held?.status == .held && held?.reasonCode == "consent-suspended")
        // A recognised withdrawal ends the suspension; the held submissions are refused.
        #expect(
            try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)?.status == .stored)
        #expect(try await fixture.queue.status(now: Date()).held == 0)
        let late = try await fixture.send(ConsumerFixture.response("p1", answer: 2), from: client)
        #expect(late?.reasonCode == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func anUnreadableMessageThatTheAddressCallsAConsentSuspends() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        #expect(try await fixture.send("{", from: client, hint: "Consent")?.status == .quarantined)
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "consent-suspended")
        try await fixture.close()
    }

    @Test func studyTeamResumesAndHeldDataIsStored() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        try await fixture.send(try #require(Self.unclear["rejected"]), from: client)
        try await fixture.send(ConsumerFixture.response("p1"), from: client)
        let before = try await fixture.versions
        let staff = StaffDecision(
            records: fixture.database, queue: fixture.queueStore, actor: Actor(id: "account", role: .site))
        #expect(try await staff.resume("p1") == 1)
        try await fixture.drain()
        #expect(try await fixture.versions == before + 1)
        await #expect(throws: ConsumerError.self) { try await staff.resume("p1") }
        try await fixture.close()
    }

    @Test func studyTeamWithdrawsForTheParticipant() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        let staff = StaffDecision(
            records: fixture.database, queue: fixture.queueStore, actor: Actor(id: "account", role: .site))
        _ = try await staff.withdraw("p1")
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "consent-withdrawn")
        #expect(try await fixture.count("SELECT count(*) AS number FROM consent_contract WHERE status_cd = 'I'") == 1)
        let audited = try await fixture.count(
            "SELECT count(*) AS number FROM audit WHERE action = 'manage-consent' AND allowed = 1")
        #expect(audited == 1)
        try await fixture.close()
    }

    @Test(arguments: [true, false])
    func withdrawalCountsAfterAContractOfAClockAYearAhead(byStaff: Bool) async throws {
        let clock = TestClock(Date())
        let fixture = try await ConsumerFixture(clock: { clock.now })
        let client = try await fixture.client()
        clock.advance(by: 365 * 86_400)
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        clock.advance(by: -365 * 86_400)
        if byStaff {
            let staff = StaffDecision(
                records: fixture.database, queue: fixture.queueStore, actor: Actor(id: "account", role: .site),
                clock: { clock.now })
            _ = try await staff.withdraw("p1")
        } else {
            try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)
        }
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.reasonCode == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func aContractFromASlowClockAfterTheWithdrawalIsConsentAgain() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)
        // Signed in January by the phone's clock; the withdrawal was in February.
        #expect(try await fixture.send(ConsumerFixture.contract("p1", id: "c2"), from: client)?.status == .stored)
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.status == .stored)
        try await fixture.close()
    }

    @Test func dataIsHeldWithinTheGracePeriodAndRefusedAfterIt() async throws {
        let time = TestClock(Date())
        let fixture = try await ConsumerFixture(withdrawalGrace: 86_400, clock: { time.now })
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)
        let held = try await fixture.send(ConsumerFixture.response("p1"), from: client)
        #expect(held?.status == .held && held?.reasonCode == "consent-withdrawn" && held?.heldUntil != nil)
        time.advance(by: 90_000)
        #expect(try await fixture.queue.release(.due(time.now), at: time.now) == 1)
        let outcome = try await fixture.drain().values.first
        #expect(outcome?.status == .refused && outcome?.reasonCode == "consent-withdrawn")
        try await fixture.close()
    }
}
