import Foundation
import Testing

@testable import Consumer

@Suite struct ConsentGateTests {
    let gate = ConsentGate()

    @Test func dataWaitsUntilThereIsAContract() {
        #expect(gate.decide(.data, in: .init(standing: .none)) == .hold(until: .contract))
        #expect(gate.decide(.data, in: .init(standing: .consented)) == .admit)
    }

    @Test func dataIsRefusedAfterTheWithdrawal() {
        #expect(gate.decide(.data, in: .init(standing: .withdrawn)) == .refuse(.withdrawn))
    }

    @Test func dataThatNeedsANameWaitsForAContractWithIt() {
        let data = ConsentGate.Subject.namedData(["clinical-records", "notes"])
        #expect(gate.decide(data, in: .init(standing: .none)) == .hold(until: .contract))
        #expect(gate.decide(data, in: .init(standing: .consented)) == .refuse(.notIncluded))
        #expect(gate.decide(data, in: .init(standing: .consented, included: ["routes"])) == .refuse(.notIncluded))
        #expect(gate.decide(data, in: .init(standing: .consented, included: ["routes", "notes"])) == .admit)
        #expect(gate.decide(data, in: .init(standing: .withdrawn, included: ["notes"])) == .refuse(.withdrawn))
    }

    @Test func aContractOfTheStudyIsAlwaysAdmittedAndAnotherNever() {
        for standing in [ConsentStanding.none, .consented, .withdrawn] {
            #expect(gate.decide(.contract, in: .init(standing: standing)) == .admit)
            #expect(
                gate.decide(.foreignContract(.foreignContract), in: .init(standing: standing))
                    == .quarantine(.foreignContract))
        }
    }

    @Test func aWithdrawalWaitsForItsContractAndMayComeTwice() {
        #expect(gate.decide(.withdrawal, in: .init(standing: .none)) == .hold(until: .contract))
        #expect(gate.decide(.withdrawal, in: .init(standing: .consented)) == .admit)
        #expect(gate.decide(.withdrawal, in: .init(standing: .withdrawn)) == .admit)
    }

    @Test func dataWaitsWhileSomethingThatMayBeAWithdrawalIsNotUnderstood() {
        let suspended = ConsentGate.Situation(standing: .consented, included: ["notes"], isSuspended: true)
        #expect(gate.decide(.data, in: suspended) == .hold(until: .endOfSuspension))
        #expect(gate.decide(.namedData(["notes"]), in: suspended) == .hold(until: .endOfSuspension))
        #expect(gate.decide(.withdrawal, in: suspended) == .admit)
        #expect(gate.decide(.contract, in: suspended) == .admit)
    }

    @Test func withinTheStudysGraceDataIsHeldAfterTheWithdrawal() {
        let end = Date(timeIntervalSince1970: 1_000)
        let withdrawn = ConsentGate.Situation(standing: .withdrawn, graceEnds: end)
        #expect(gate.decide(.data, in: withdrawn) == .hold(until: .endOfGrace(end)))
    }
}
