import FHIR
import Testing

@Suite struct StepBudgetTests {
    @Test func budgetIsSpentUntilNothingIsLeft() throws {
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

    @Test func spendingMoreThanTheRestUsesUpTheBudget() {
        let budget = StepBudget(steps: 3)
        #expect(!budget.spend(4))
        #expect(!budget.spend(1))
    }

    @Test func anUnlimitedBudgetIsNotUsedUp() {
        let budget = StepBudget.unlimited
        for _ in 0..<1000 { #expect(budget.spend(1 << 40)) }
        #expect(!StepBudget(steps: -1).spend())
    }

    /// Long work ends soon after its deadline, for any number of remaining steps.
    @Test func aBudgetIsUsedUpAtItsDeadline() {
        let late = StepBudget(steps: .max, deadline: .now)
        var taken = 0
        while late.spend(), taken < 1_000_000 { taken += 1 }
        #expect(taken <= StepBudget.stepsBetweenChecks && late.isExhausted && late.remaining == 0)
        let early = StepBudget(steps: 5_000, deadline: .now + .seconds(3_600))
        while early.spend() {}
        #expect(early.spent == 5_000 && !StepBudget(steps: 1).isOver)
    }

    @Test func aBudgetWithADeadlineIsUsedUpWhenItsTaskIsCancelled() async {
        let task = _Concurrency.Task {
            let (bounded, unbounded) = (
                StepBudget(steps: .max, deadline: .now + .seconds(3_600)), StepBudget(steps: 10_000)
            )
            withUnsafeCurrentTask { $0?.cancel() }
            // Work without a deadline is completed: acknowledged data is not refused because a server stops.
            return (bounded.isOver, (0..<10_000).allSatisfy { _ in unbounded.spend() })
        }
        let (isOver, isDone) = await task.value
        #expect(isOver && isDone)
    }
}
