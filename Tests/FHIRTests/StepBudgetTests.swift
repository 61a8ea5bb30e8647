import FHIR
import Testing

@Suite struct StepBudgetTests {
    @Test func stepsAreTakenUntilNoneIsLeft() throws {
        let budget = StepBudget(steps: 10)
        #expect(budget.spend(4))
        #expect(budget.spent == 4)
        #expect(budget.spend(6))
        try budget.check()
        #expect(!budget.isExhausted)
        #expect(!budget.spend())
        #expect(budget.isExhausted && budget.remaining == 0)
        #expect(throws: StepBudgetError(limit: 10)) { try budget.check() }
        #expect(StepBudgetError(limit: 10).code == "too-expensive")
    }

    @Test func moreThanIsLeftLeavesNothing() {
        let budget = StepBudget(steps: 3)
        #expect(!budget.spend(4))
        #expect(!budget.spend(1))
    }

    @Test func anUnlimitedBudgetIsNotUsedUp() {
        let budget = StepBudget.unlimited
        for _ in 0..<1000 { #expect(budget.spend(1 << 40)) }
        #expect(!StepBudget(steps: -1).spend())
    }
}
