import Core

/// How many steps the work on one message may take.
///
/// Conversion and validation count a step for each element that they look at and for each step of a constraint, so that
/// what a message costs is known by a number that is the same on every machine. One budget is handed to all the work on
/// a message; it belongs to one call at a time.
public final class StepBudget {
    /// The steps that there were at the beginning.
    public let limit: Int

    /// The steps that are left; never below zero.
    public private(set) var remaining: Int

    /// Whether more was asked for than there was. What was done since is not to be used.
    public private(set) var isExhausted = false

    /// The instant after which no step is taken; nil without one.
    public let deadline: ContinuousClock.Instant?

    /// Steps between two looks at the clock and at the task.
    public static let stepsBetweenChecks = 1_000
    private var untilCheck = StepBudget.stepsBetweenChecks

    /// Makes a budget of a number of steps.
    public init(steps limit: Int) {
        self.limit = max(0, limit)
        remaining = self.limit
        deadline = nil
    }

    /// Makes a budget for the work on a request, which no one needs after the deadline or once the task is
    /// cancelled: then it is used up.
    public init(steps limit: Int, deadline: ContinuousClock.Instant) {
        self.limit = max(0, limit)
        remaining = self.limit
        self.deadline = deadline
    }

    /// A budget that no message uses up.
    public static var unlimited: StepBudget { StepBudget(steps: .max) }

    /// The steps that were taken.
    public var spent: Int { limit - remaining }

    /// Takes steps.
    ///
    /// - Returns: false where there are not so many left: nothing more is to be done.
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

    /// Whether the deadline has passed or the task is cancelled; then the budget is used up. A budget without a deadline is
    /// never over.
    public var isOver: Bool {
        guard let deadline else { return false }
        guard _Concurrency.Task.isCancelled || ContinuousClock.now >= deadline else { return false }
        remaining = 0
        isExhausted = true
        return true
    }

    /// Throws where the budget is used up.
    public func check() throws(StepBudgetError) {
        if isExhausted { throw StepBudgetError(limit: limit) }
    }
}

/// The work on a message takes more steps than it may.
public struct StepBudgetError: CodedError, Hashable {
    /// The steps that there were.
    public let limit: Int

    /// Makes the error of a budget with this limit.
    public init(limit: Int) { self.limit = limit }

    /// The stable code, `too-expensive`.
    public var code: String { "too-expensive" }

    /// A sentence that a person can act on.
    public var message: String {
        "Reading the message takes more than \(limit) steps: send its resources in several smaller messages."
    }
}
