import Foundation
import Testing

@testable import Admission

@Suite struct ConsentGateTests {
    let gate = ConsentGate()

    @Test func dataWaitsUntilThereIsAContract() {
        #expect(gate.decide(.data, in: .init(state: .none)) == .hold(until: .contract))
        #expect(gate.decide(.data, in: .init(state: .consented)) == .admit)
    }

    @Test func dataIsRefusedAfterTheWithdrawal() {
        #expect(gate.decide(.data, in: .init(state: .withdrawn)) == .refuse(.withdrawn))
    }

    @Test func namedDataNeedsAContractThatIncludesIt() {
        let data = ConsentGate.Subject.namedData(["clinical-records", "notes"])
        #expect(gate.decide(data, in: .init(state: .none)) == .hold(until: .contract))
        #expect(gate.decide(data, in: .init(state: .consented)) == .refuse(.notIncluded))
        #expect(gate.decide(data, in: .init(state: .consented, included: ["routes"])) == .refuse(.notIncluded))
        #expect(gate.decide(data, in: .init(state: .consented, included: ["routes", "notes"])) == .admit)
        #expect(gate.decide(data, in: .init(state: .withdrawn, included: ["notes"])) == .refuse(.withdrawn))
    }

    @Test func aContractOfTheStudyIsAlwaysAdmittedAndAnotherNever() {
        for state in [ConsentContext.State.none, .consented, .withdrawn] {
            #expect(gate.decide(.contract, in: .init(state: state)) == .admit)
            #expect(
                gate.decide(.foreignContract(.foreignContract), in: .init(state: state))
                    == .quarantine(.foreignContract))
        }
    }

    @Test func withdrawalWaitsForItsContractAndMayBeRepeated() {
        #expect(gate.decide(.withdrawal, in: .init(state: .none)) == .hold(until: .contract))
        #expect(gate.decide(.withdrawal, in: .init(state: .consented)) == .admit)
        #expect(gate.decide(.withdrawal, in: .init(state: .withdrawn)) == .admit)
    }

    @Test func dataWaitsWhileAPossibleWithdrawalIsUnreadable() {
        let suspended = ConsentContext(state: .consented, included: ["notes"], isSuspended: true)
        #expect(gate.decide(.data, in: suspended) == .hold(until: .endOfSuspension))
        #expect(gate.decide(.namedData(["notes"]), in: suspended) == .hold(until: .endOfSuspension))
        #expect(gate.decide(.withdrawal, in: suspended) == .admit)
        #expect(gate.decide(.contract, in: suspended) == .admit)
    }

    @Test func withinTheStudysGraceDataIsHeldAfterTheWithdrawal() {
        let end = Date(timeIntervalSince1970: 1_000)
        let withdrawn = ConsentContext(state: .withdrawn, graceEnds: end)
        #expect(gate.decide(.data, in: withdrawn) == .hold(until: .endOfGrace(end)))
    }
}
