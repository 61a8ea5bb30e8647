import Testing

@testable import Consumer

@Suite struct ConsentGateTests {
    let gate = ConsentGate()

    @Test func dataWaitsUntilThereIsAContract() {
        #expect(gate.decide(.data, given: .none) == .hold(until: .contract))
        #expect(gate.decide(.data, given: .consented) == .admit)
    }

    @Test func dataIsRefusedAfterTheWithdrawal() {
        #expect(gate.decide(.data, given: .withdrawn) == .refuse(.withdrawn))
    }

    @Test func dataThatNeedsANameWaitsForAContractWithIt() {
        let data = ConsentGate.Subject.namedData(["clinical-records", "notes"])
        #expect(gate.decide(data, given: .none) == .hold(until: .contract))
        #expect(gate.decide(data, given: .consented) == .refuse(.notIncluded))
        #expect(gate.decide(data, given: .consented, naming: ["routes"]) == .refuse(.notIncluded))
        #expect(gate.decide(data, given: .consented, naming: ["routes", "notes"]) == .admit)
        #expect(gate.decide(data, given: .withdrawn, naming: ["notes"]) == .refuse(.withdrawn))
    }

    @Test func aContractOfTheStudyIsAlwaysAdmittedAndAnotherNever() {
        for standing in [ConsentStanding.none, .consented, .withdrawn] {
            #expect(gate.decide(.contract, given: standing) == .admit)
            #expect(gate.decide(.foreignContract, given: standing) == .park(.foreignContract))
        }
    }

    @Test func aWithdrawalWaitsForItsContractAndMayComeTwice() {
        #expect(gate.decide(.withdrawal, given: .none) == .hold(until: .contract))
        #expect(gate.decide(.withdrawal, given: .consented) == .admit)
        #expect(gate.decide(.withdrawal, given: .withdrawn) == .admit)
    }
}
