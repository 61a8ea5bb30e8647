import FHIR
import Foundation
import TestSupport
import Testing

@testable import InformedConsent

@Suite struct ConsentStateTests {
    enum Event: Hashable {
        case contract(SignedContract)
        case withdrawal(ConsentWithdrawal)
    }

    static func contract(_ id: String?, at seconds: Double) -> SignedContract {
        SignedContract(
            contractID: id, subject: "p", templateURL: "u", templateVersion: "1",
            signedAt: Date(timeIntervalSince1970: seconds), sharing: nil)
    }

    static func withdrawal(_ contract: String?, at seconds: Double) -> ConsentWithdrawal {
        ConsentWithdrawal(
            id: "w", subject: "p", contractID: contract, withdrawnAt: Date(timeIntervalSince1970: seconds))
    }

    static func state(_ events: [Event]) -> ConsentState {
        events.reduce(ConsentState()) { state, event in
            switch event {
            case .contract(let contract): state.applying(contract)
            case .withdrawal(let withdrawal): state.applying(withdrawal)
            }
        }
    }

    @Test func consentWithdrawalAndConsentAgain() {
        let first = ConsentStateTests.contract("a", at: 10)
        var state = ConsentState()
        #expect(state.status == .none)
        state = state.applying(first)
        #expect(state.status == .consented(first))
        state = state.applying(ConsentStateTests.withdrawal("a", at: 20))
        #expect(state.status == .withdrawn(at: Date(timeIntervalSince1970: 20)))
        let again = ConsentStateTests.contract("b", at: 30)
        state = state.applying(again)
        #expect(state.status == .consented(again))
        // Late and repeated messages change nothing.
        #expect(state.applying(first) == state)
        #expect(state.applying(ConsentStateTests.withdrawal("a", at: 20)) == state)
    }

    @Test func includedHealthDataIsThatOfTheConsentInForce() throws {
        func contract(_ id: String, at seconds: Double, naming: Set<String>) -> SignedContract {
            SignedContract(
                contractID: id, subject: "p", templateURL: "u", templateVersion: "1",
                signedAt: Date(timeIntervalSince1970: seconds), sharing: nil, includedHealthData: naming)
        }
        var state = ConsentState()
        #expect(state.includedHealthData == [])
        state = state.applying(contract("b", at: 20, naming: ["routes", "notes"]))
        state = state.applying(contract("a", at: 10, naming: ["heartbeats"]))
        #expect(state.includedHealthData == ["routes", "notes"])
        let saved = try JSONDecoder().decode(ConsentState.self, from: JSONEncoder().encode(state))
        #expect(saved == state)
        #expect(state.applying(contract("c", at: 30, naming: [])).includedHealthData == [])
        #expect(state.applying(ConsentStateTests.withdrawal("b", at: 30)).includedHealthData == [])
    }

    @Test func stateOfAnOlderVersionIncludesNoHealthData() throws {
        let saved = #"""
            {"newest":{"contractID":"a","signedAt":10,"subject":"p","templateURL":"u","templateVersion":"1"},\#
            "withdrawnContracts":[]}
            """#
        let state = try JSONDecoder().decode(ConsentState.self, from: Data(saved.utf8))
        #expect(state.newest?.contractID == "a")
        #expect(state.newest?.sharing == nil)
        #expect(state.includedHealthData == [])
    }

    @Test func aWithdrawalBeforeItsContractCounts() {
        let state = ConsentStateTests.state([
            .withdrawal(ConsentStateTests.withdrawal("a", at: 5)), .contract(ConsentStateTests.contract("a", at: 10)),
        ])
        #expect(state.status == .withdrawn(at: Date(timeIntervalSince1970: 5)))
    }

    @Test func withdrawalWithoutAContractIDEndsAllEarlierContracts() {
        let state = ConsentStateTests.state([
            .contract(ConsentStateTests.contract(nil, at: 10)), .withdrawal(ConsentStateTests.withdrawal(nil, at: 11)),
        ])
        #expect(state.status == .withdrawn(at: Date(timeIntervalSince1970: 11)))
    }

    @Test func orderAndRepetitionOfEventsDoNotMatter() {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for _ in 0..<500 {
            let events: [Event] = (0..<(1 + random.next() % 6)).map { _ in
                let id = ["a", "b", nil][Int(random.next() % 3)]
                let time = Double(random.next() % 5)
                return random.next() % 2 == 0
                    ? .contract(ConsentStateTests.contract(id, at: time))
                    : .withdrawal(ConsentStateTests.withdrawal(id, at: time))
            }
            let expected = ConsentStateTests.state(events)
            var mixed = events + events
            for index in mixed.indices.reversed() {
                mixed.swapAt(index, Int(random.next() % UInt64(index + 1)))
            }
            #expect(ConsentStateTests.state(mixed) == expected)
        }
    }

    @Test func aStateSurvivesBeingStored() throws {
        let state = ConsentStateTests.state([
            .contract(ConsentStateTests.contract("a", at: 10)), .withdrawal(ConsentStateTests.withdrawal("a", at: 20)),
        ])
        #expect(try JSONDecoder().decode(ConsentState.self, from: JSONEncoder().encode(state)) == state)
    }

    @Test func aWrittenWithdrawalIsReadAgain() throws {
        let consent = ConsentWithdrawal.consent(
            id: UUID(), participant: "p", contractID: "c", policy: "https://x.example/a|1", now: Fixtures.noon,
            offsetMinutes: 60)
        let read = try ConsentWithdrawal(consent, receivedAt: .distantFuture)
        #expect(read.subject == "p" && read.contractID == "c" && read.withdrawnAt == Fixtures.noon)
        #expect(consent.object["policy"]?[0]?["uri"]?.string == "https://x.example/a|1")
        #expect(!consent.category.isEmpty)
        let unnamed = ConsentWithdrawal.consent(
            id: UUID(), participant: "p", contractID: "c", policy: nil, now: Fixtures.noon)
        #expect(unnamed.policyRule?.text != nil)
        #expect(throws: ConsentError.notAWithdrawal) {
            var active = consent
            active.status = .active
            _ = try ConsentWithdrawal(active, receivedAt: Fixtures.noon)
        }
    }
}
