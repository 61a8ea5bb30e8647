import Core

/// Maximum number of steps for the work on one message.
///
/// Conversion and validation count one step for each element that they visit and for each step of a constraint, so that
/// the cost of a message is a number that is the same on every machine. All work on a message shares one budget; only
/// one call may use it at a time.
public final class StepBudget {
    /// Initial number of steps.
    public let limit: Int

    /// Remaining number of steps; never negative.
    public private(set) var remaining: Int

    /// Whether more steps were requested than remained. Results of later work must not be used.
    public private(set) var isExhausted = false

    /// The instant after which no step is granted; nil without a deadline.
    public let deadline: ContinuousClock.Instant?

    /// Number of steps between two checks of the clock and the task.
    public static let stepsBetweenChecks = 1_000
    private var untilCheck = StepBudget.stepsBetweenChecks

    /// Creates a budget of a number of steps.
    public init(steps limit: Int) {
        self.limit = max(0, limit)
        remaining = self.limit
        deadline = nil
    }

    /// Creates a budget for the work on a request. It is exhausted after the deadline or when the task is cancelled,
    /// because the result is then no longer needed.
    public init(steps limit: Int, deadline: ContinuousClock.Instant) {
        self.limit = max(0, limit)
        remaining = self.limit
        self.deadline = deadline
    }

    /// A budget that no message exhausts.
    public static var unlimited: StepBudget { StepBudget(steps: .max) }

    /// Number of steps that were taken.
    public var spent: Int { limit - remaining }

    /// Takes steps.
    ///
    /// - Returns: false if fewer steps remain; the work must then stop.
    @discardableResult
    public func spend(_ steps: Int = 1) -> Bool {
        guard !isExhausted, steps <= remaining else {
            remaining = 0
            isExhausted = true
            return false
        }
        remaining -= max(0, steps)
        guard deadline != nil else { return true }
        untilCheck -= max(1, steps)
        guard untilCheck <= 0 else { return true }
        untilCheck = Self.stepsBetweenChecks
        return !isOver
    }

    /// Whether the deadline has passed or the task is cancelled; the budget is then exhausted. Always false for a
    /// budget without a deadline.
    public var isOver: Bool {
        guard let deadline else { return false }
        guard _Concurrency.Task.isCancelled || ContinuousClock.now >= deadline else { return false }
        remaining = 0
        isExhausted = true
        return true
    }

    /// Throws an error if the budget is exhausted.
    public func check() throws(StepBudgetError) {
        if isExhausted { throw StepBudgetError(limit: limit) }
    }
}

/// The work on a message takes more steps than its budget.
public struct StepBudgetError: CodedError, Hashable {
    /// Initial number of steps of the budget.
    public let limit: Int

    /// Creates the error for a budget with this limit.
    public init(limit: Int) { self.limit = limit }

    /// The stable code, `too-expensive`.
    public var code: String { "too-expensive" }

    /// A sentence that a person can act on.
    public var message: String {
        "Reading the message takes more than \(limit) steps: send its resources in several smaller messages."
    }
}
