import Foundation

/// A person's way through a task, in the manner of ORKTaskViewController: it asks the task for steps, validates each
/// step that it shows, and has the results of the visited steps in their order.
public final class TaskWalk {
    /// The task.
    public let task: any ORKTask
    /// The step on the screen; nil before the first and after the last.
    public private(set) var currentStep: ORKStep?
    private let taskRun = UUID()
    private var visited: [ORKStepResult] = []
    private let defaults: (any ORKTaskResultSource)?

    /// Presents the first step.
    public init(_ task: any ORKTask, defaultResultSource: (any ORKTaskResultSource)? = nil) {
        self.task = task
        defaults = defaultResultSource
        (task as? ORKOrderedTask)?.validateParameters()
        (task as? ORKNavigableOrderedTask)?.copyRules()
        show(task.step(after: nil, with: result))
    }

    /// The results of the visited steps.
    public var result: ORKTaskResult {
        let result = ORKTaskResult(taskIdentifier: task.identifier, taskRun: taskRun, outputDirectory: nil)
        result.results = visited
        return result
    }

    /// The results that the current step shows at first.
    public var defaultResults: [ORKResult] {
        currentStep.flatMap { defaults?.stepResult(forStepIdentifier: $0.identifier)?.results } ?? []
    }

    /// The items of the current form step that are visible with the present results.
    public var visibleItems: [ORKFormItem] {
        ((currentStep as? ORKFormStep)?.formItems ?? []).filter {
            $0.visibilityRule?.formItemVisibility(for: result) ?? true
        }
    }

    /// Sets the result of an item of the current step.
    public func answer(_ answer: ORKResult) {
        guard let last = visited.last else { return }
        last.results = (last.results ?? []).filter { $0.identifier != answer.identifier } + [answer]
    }

    /// Shows the next step; results of items that are not visible are removed first.
    public func goForward() {
        guard let step = currentStep else { return }
        if step is ORKFormStep {
            let visible = Set(visibleItems.map(\.identifier))
            visited.last?.results = visited.last?.results?.filter { visible.contains($0.identifier) }
        }
        show(task.step(after: step, with: result))
    }

    /// Shows the step before, and forgets the results after it.
    ///
    /// - Returns: false if the task has none.
    @discardableResult
    public func goBackward() -> Bool {
        guard let step = currentStep, let before = task.step(before: step, with: result) else { return false }
        while let last = visited.last, last.identifier != before.identifier { visited.removeLast() }
        currentStep = before
        return true
    }

    private func show(_ step: ORKStep?) {
        currentStep = step
        guard let step else { return }
        step.validateParameters()
        visited.append(ORKStepResult(stepIdentifier: step.identifier, results: defaultResults))
    }
}
