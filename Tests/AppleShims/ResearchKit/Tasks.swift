import Foundation

/// objc: ORKTask.h
public protocol ORKTask: NSObjectProtocol {
    var identifier: String { get }
    func step(after step: ORKStep?, with result: ORKTaskResult) -> ORKStep?
    func step(before step: ORKStep?, with result: ORKTaskResult) -> ORKStep?
}

/// objc: ORKOrderedTask.h
open class ORKOrderedTask: NSObject, ORKTask {
    public let identifier: String
    public let steps: [ORKStep]

    public init(identifier: String, steps: [ORKStep]?) {
        self.identifier = identifier
        self.steps = steps ?? []
        super.init()
        validateParameters()
    }

    open func validateParameters() {
        if Set(steps.map(\.identifier)).count != steps.count {
            raise("NSGenericException", "Each step should have a unique identifier")
        }
    }

    open func step(after step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
        guard let step else { return steps.first }
        guard let index = steps.firstIndex(where: { $0.identifier == step.identifier }) else { return nil }
        return steps.indices.contains(index + 1) ? steps[index + 1] : nil
    }

    open func step(before step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
        guard let step, let index = steps.firstIndex(where: { $0.identifier == step.identifier }), index > 0 else {
            return nil
        }
        return steps[index - 1]
    }

    open func step(withIdentifier identifier: String) -> ORKStep? { steps.first { $0.identifier == identifier } }
}

/// objc: ORKNavigableOrderedTask.h
///
/// The step after another is the next in order (or the destination of its navigation rule), and while its skip rule
/// decides so, the one after that. The step before another is the one whose result precedes its result.
open class ORKNavigableOrderedTask: ORKOrderedTask {
    private var skips: [String: ORKSkipStepNavigationRule] = [:]
    private var destinations: [String: ORKStepNavigationRule] = [:]
    open var shouldReportProgress = false

    open func setNavigationRule(_ rule: ORKStepNavigationRule, forTriggerStepIdentifier identifier: String) {
        destinations[identifier] = rule
    }
    open func setSkip(_ rule: ORKSkipStepNavigationRule, forStepIdentifier identifier: String) {
        skips[identifier] = rule
    }
    open func skipNavigationRule(forStepIdentifier identifier: String) -> ORKSkipStepNavigationRule? {
        skips[identifier]
    }

    /// A copied task copies its skip rules; the stand-in does so at the start of each presentation.
    func copyRules() { skips = skips.mapValues { $0.copy() as? ORKSkipStepNavigationRule ?? $0 } }

    open override func step(after step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
        var next = super.step(after: step, with: result)
        if let step, let rule = destinations[step.identifier] {
            next = self.step(withIdentifier: rule.identifierForDestinationStep(with: result)) ?? next
        }
        while let candidate = next, skips[candidate.identifier]?.stepShouldSkip(with: result) ?? false {
            next = super.step(after: candidate, with: result)
        }
        return next
    }

    open override func step(before step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
        guard let step else { return nil }
        let visited = (result.results ?? []).map(\.identifier)
        guard let index = visited.firstIndex(of: step.identifier) else {
            return visited.last.flatMap { self.step(withIdentifier: $0) }
        }
        return index > 0 ? self.step(withIdentifier: visited[index - 1]) : nil
    }
}
