import FHIR
import Questionnaires

/// Conditions that are never or always true, and items that are never enabled.
///
/// The least set of enabled items decides about reachability: items that enable each other in a cycle, and nothing
/// else, are never enabled. Expressions are treated as open.
struct ConditionReview {
    private let outline: FormOutline
    /// The first item with each linkId, as conditions are evaluated.
    private let targets: [String: Int]
    private var isReachable: [Bool]
    /// For each item the findings about its conditions.
    private var findings: [[FormProblem]]

    init(_ outline: FormOutline) {
        self.outline = outline
        var targets: [String: Int] = [:]
        for (index, node) in outline.nodes.enumerated() where targets[node.item.linkID] == nil {
            targets[node.item.linkID] = index
        }
        self.targets = targets
        isReachable = [Bool](repeating: false, count: outline.nodes.count)
        findings = [[FormProblem]](repeating: [], count: outline.nodes.count)
        let needs = outline.nodes.indices.map { review($0) }
        reach(needs)
    }

    /// Returns the problems of the item at an index.
    func problems(at index: Int) -> [FormProblem] {
        var problems = findings[index]
        let node = outline.nodes[index]
        let isParentReachable = node.parent.map { isReachable[$0] } ?? true
        guard !isReachable[index], isParentReachable else { return problems }
        let count = inside(index)
        let message: Sentence =
            switch count {
            case 0: "The item is never enabled."
            case 1: "The item is never enabled, nor is the item inside."
            default: "The item is never enabled, nor are the \(count) items inside."
            }
        problems.append(.warning("item-unreachable", node.item.linkID, message: message))
        return problems
    }

    private func inside(_ index: Int) -> Int {
        outline.nodes[index].children.reduce(0) { $0 + 1 + inside($1) }
    }

    // MARK: Conditions

    /// The needs of an item in order to be enabled.
    private struct Needs {
        /// Whether its conditions contradict each other or are never true.
        var isImpossible = false
        /// Whether one of several alternatives needs no answer.
        var isFree = false
        /// The items that must be answered: all of them, or one of them.
        var questions: [Int] = []
        var isAny = false
    }

    private mutating func review(_ index: Int) -> Needs {
        let item = outline.nodes[index].item
        guard !item.conditions.isEmpty else { return Needs(isFree: true) }
        var needs = Needs(isAny: item.enabledByAny && item.conditions.count > 1)
        var constant: [ConditionTruth] = []
        for condition in item.conditions {
            let target = targets[condition.question].flatMap { usable($0, by: index) }
            let question = target.map { outline.nodes[$0].item }
            let truth = question.map { ConditionTruth(of: condition, on: $0) } ?? .open
            constant.append(truth)
            report(truth, of: condition, at: index, on: question)
            let needsAnswer =
                switch condition.comparison {
                case .exists?: condition.expected?.json.bool ?? true
                case .notEqual?: false
                default: true
                }
            if truth == .never || needsAnswer && (question?.isQuestion != true || question?.cannotBeAnswered == true) {
                if !needs.isAny { needs.isImpossible = true }
            } else if !needsAnswer {
                needs.isFree = true
            } else if let target {
                needs.questions.append(target)
            }
        }
        reviewTogether(index, truths: constant, needs: &needs)
        if needs.isAny {
            needs.isImpossible = !needs.isFree && needs.questions.isEmpty
        } else {
            needs.isFree = needs.questions.isEmpty
        }
        return needs
    }

    /// Returns the index of a question if the engine uses it: not the item itself, and not one inside of it.
    private func usable(_ target: Int, by index: Int) -> Int? {
        var ancestor: Int? = target
        while let here = ancestor {
            if here == index { return nil }
            ancestor = outline.nodes[here].parent
        }
        return target
    }

    private mutating func report(
        _ truth: ConditionTruth, of condition: EnableCondition, at index: Int, on question: FormItem?
    ) {
        let linkID = outline.nodes[index].item.linkID
        let name = "\"\(condition.question.prefix(200))\""
        // A value of another type is reported as condition-type.
        guard let question, question.isQuestion, isOfType(condition.expected, question) else { return }
        switch truth {
        case .open:
            if question.cannotBeAnswered, condition.comparison != .notEqual, condition.comparison != .exists {
                findings[index].append(
                    .warning(
                        "condition-never-true", linkID,
                        message: "The condition on \(name) is never true: no answer to that question is valid."))
            }
        case .never:
            findings[index].append(
                .warning(
                    "condition-never-true", linkID,
                    message: "The condition on \(name) is never true: no valid answer to that question fulfils it."))
        case .always:
            findings[index].append(
                .warning(
                    "condition-always-true", linkID,
                    message: "The condition on \(name) is always true: no valid answer to that question is that value.")
            )
        }
    }

    private func isOfType(_ expected: AnswerValue?, _ question: FormItem) -> Bool {
        guard let expected else { return false }
        let families: [Set<String>] = [["Integer", "Decimal"], ["Date", "DateTime"], ["String", "Uri"]]
        let family = families.first { $0.contains(expected.type) } ?? [expected.type]
        let types = question.answerTypes + (question.options ?? []).map(\.value.type)
        return !family.isDisjoint(with: types)
    }

    /// Maximum number of conditions of an item that are compared with each other.
    private static let maximumPairs = 100

    private mutating func reviewTogether(_ index: Int, truths: [ConditionTruth], needs: inout Needs) {
        let item = outline.nodes[index].item
        let conditions = Array(item.conditions.prefix(Self.maximumPairs))
        guard conditions.count > 1 else { return }
        for (number, first) in conditions.enumerated() where truths[number] == .open {
            for (other, second) in conditions.enumerated().dropFirst(number + 1) {
                guard truths[other] == .open, first.question == second.question,
                    let target = targets[first.question].flatMap({ usable($0, by: index) })
                else { continue }
                let pair = ConditionPair(
                    first: first, second: second, isSingle: isSingle(target, seenFrom: index))
                let name = "\"\(first.question.prefix(200))\""
                if !item.enabledByAny, pair.contradicts {
                    needs.isImpossible = true
                    findings[index].append(
                        .warning(
                            "condition-never-true", item.linkID,
                            message: "The conditions on \(name) are never true together."))
                    return
                }
                if item.enabledByAny, pair.covers {
                    needs.isFree = true
                    findings[index].append(
                        .warning(
                            "condition-always-true", item.linkID,
                            message: "One of the conditions on \(name) is always true."))
                    return
                }
            }
        }
    }

    /// Whether an item sees no more than one answer of a question: neither the question nor an item around it repeats,
    /// except the items that contain both.
    private func isSingle(_ target: Int, seenFrom index: Int) -> Bool {
        var shared: Set<Int> = []
        var ancestor = outline.nodes[index].parent
        while let here = ancestor {
            shared.insert(here)
            ancestor = outline.nodes[here].parent
        }
        var here: Int? = target
        while let current = here, !shared.contains(current) {
            if outline.nodes[current].item.repeats { return false }
            here = outline.nodes[current].parent
        }
        return true
    }

    // MARK: Reachability

    /// Finds the items that can be enabled, each once all items that it needs are found.
    private mutating func reach(_ needs: [Needs]) {
        var missing = needs.map { $0.isAny ? min(1, $0.questions.count) : $0.questions.count }
        for (index, need) in needs.enumerated() where need.isFree { missing[index] = 0 }
        var followers = [[Int]](repeating: [], count: needs.count)
        for (index, need) in needs.enumerated() where !need.isImpossible && !need.isFree {
            for question in need.questions { followers[question].append(index) }
        }
        var open: [Int] = outline.roots
        while let index = open.popLast() {
            let node = outline.nodes[index]
            guard !isReachable[index], missing[index] <= 0, !needs[index].isImpossible,
                node.parent.map({ isReachable[$0] }) ?? true
            else { continue }
            isReachable[index] = true
            // Below a question without valid answers, nothing is enabled.
            if !node.item.cannotBeAnswered { open += node.children }
            for follower in followers[index] {
                missing[follower] -= 1
                if missing[follower] <= 0 { open.append(follower) }
            }
        }
    }
}
