import FHIRPath

/// The parts of a response that an expression finds by linkId: `%resource.item.where(linkId = 'a')`.
struct ResponseLookup: Sendable, Hashable {
    /// The element from which the items are found.
    enum Start: Sendable, Hashable {
        /// `%resource`: the whole response.
        case response
        /// `%context`: the item of the expression.
        case context
    }

    /// One step down.
    struct Step: Sendable, Hashable {
        enum Way: Sendable, Hashable {
            /// `.item`: the items of a group or of the response.
            case items
            /// `.answer.item`: the items below answers.
            case answerItems
            /// `.repeat(item)`: the items of groups at any depth.
            case itemsOfGroups
            /// `.descendants()`: the items at any depth.
            case anyItems
        }

        let way: Way
        /// The linkId of the items; nil for all of them.
        var linkID: String?
    }

    let start: Start
    var steps: [Step] = []
    /// Whether it reads no items below the answers, as `.answer.value` and `.answer.exists()` do.
    var readsOnlyAnswers = false
    /// The variable that has the items.
    var variable: String { "lookup \(start) \(steps)" }
}

/// The values that a compiled expression depends on.
struct ExpressionInputs: Sendable {
    /// The expression with its lookups replaced by variables.
    private(set) var expression: FHIRPathExpression
    private(set) var lookups: [ResponseLookup] = []
    /// Whether it reads the response in another way than by lookups.
    private(set) var readsWholeResponse = false
    /// Whether it reads elements of the response other than items.
    private(set) var readsHeader = false
    /// Whether it reads the linkId or the text of its own item, which do not change.
    private(set) var readsContextHeader = false
    /// Whether it reads its own item in another way than by lookups.
    private(set) var readsContext = false
    /// The other variables.
    private(set) var variables: [String] = []
    /// Whether the result depends on the time.
    private(set) var readsClock = false
    /// Whether the result depends on the weights of options.
    private(set) var readsWeights = false

    private static let standard: Set<String> = ["ucum", "sct", "loinc"]
    /// Functions that do not read their input.
    private static let constant: Set<String> = ["today", "now", "timeOfDay", "iif"]

    init(_ source: FHIRPathExpression) {
        expression = source
        var found = Self.Reading()
        let replaced = source.replacing { tree, isInArgument in found.replacement(of: tree, isInArgument) }
        expression = replaced
        lookups = found.lookups
        visit(replaced.tree, isInArgument: false)
    }

    private mutating func visit(_ tree: FHIRPathTree, isInArgument: Bool) {
        switch tree.kind {
        case .variable(let name): add(variable: name)
        case .name(let name) where Self.constantElements.contains(name): if !isInArgument { readsContextHeader = true }
        case .name, .this: if !isInArgument { readsContext = true }
        case .member(let base, let name):
            if case .variable("resource") = base.kind, !["item", "children", "descendants"].contains(name) {
                readsHeader = true
            } else if case .variable("context") = base.kind, Self.constantElements.contains(name) {
                readsContextHeader = true
            } else {
                visit(base, isInArgument: isInArgument)
            }
        case .call(let base, let function, let arguments):
            if Self.clock.contains(function) { readsClock = true }
            if function == "weight" || function == "ordinal" { readsWeights = true }
            if base == nil, !isInArgument, !Self.constant.contains(function) { readsContext = true }
            if let base { visit(base, isInArgument: isInArgument) }
            let isOnInput = isInArgument || base != nil || function != "iif"
            for argument in arguments { visit(argument, isInArgument: isOnInput) }
        default: for child in tree.children { visit(child, isInArgument: isInArgument) }
        }
    }

    /// The elements of an item of a response that answers do not change.
    private static let constantElements: Set<String> = ["linkId", "text", "definition"]
    private static let clock: Set<String> = ["today", "now", "timeOfDay"]

    private mutating func add(variable name: String) {
        switch name {
        case "resource", "rootResource": readsWholeResponse = true
        case "context": readsContext = true
        default:
            guard !Self.standard.contains(name), !name.hasPrefix("vs-"), !name.hasPrefix("ext-"),
                !lookups.contains(where: { $0.variable == name }), !variables.contains(name)
            else { return }
            variables.append(name)
        }
    }

    /// Finds the lookups of a tree.
    private struct Reading {
        var lookups: [ResponseLookup] = []
        /// Whether the next node down is only the input of `value` or `answer.value`.
        private var (isOfAnswer, isOfItem) = (false, false)

        mutating func replacement(of tree: FHIRPathTree, _ isInArgument: Bool) -> FHIRPathReplacement? {
            let (wasOfAnswer, readsOnlyAnswers) = (isOfAnswer, isOfItem)
            (isOfAnswer, isOfItem) = (false, false)
            switch tree.kind {
            case .member(_, "value"), .call(_?, "exists", _), .call(_?, "empty", _), .call(_?, "count", _):
                isOfAnswer = tree.children.count == 1
            case .member(_, "answer"): isOfItem = wasOfAnswer
            case .call(_?, "first", _), .call(_?, "last", _), .indexer: isOfAnswer = wasOfAnswer
            default: break
            }
            guard case .call(let base?, "where", let arguments) = tree.kind, arguments.count == 1 else {
                return nil
            }
            guard let (linkID, isWhole) = Self.linkID(in: arguments[0]),
                var lookup = Self.path(base, isInArgument), let last = lookup.steps.indices.last
            else { return nil }
            lookup.steps[last].linkID = linkID
            lookup.readsOnlyAnswers = readsOnlyAnswers && isWhole
            if !lookups.contains(lookup) { lookups.append(lookup) }
            return isWhole ? .node(lookup.variable) : .input(lookup.variable)
        }

        /// Returns the linkId that a criterion requires, and whether it requires nothing else.
        private static func linkID(in criterion: FHIRPathTree) -> (String, isWhole: Bool)? {
            guard case .binary(let sign, let left, let right) = criterion.kind else { return nil }
            switch sign {
            case "=":
                if isLinkID(left), case .literal(.string(let text)) = right.kind { return (text, true) }
                if isLinkID(right), case .literal(.string(let text)) = left.kind { return (text, true) }
                return nil
            case "and": return (linkID(in: left) ?? linkID(in: right)).map { ($0.0, false) }
            default: return nil
            }
        }

        private static func isLinkID(_ tree: FHIRPathTree) -> Bool {
            switch tree.kind {
            case .name("linkId"): return true
            case .member(let base, "linkId"): if case .this = base.kind { return true } else { return false }
            default: return false
            }
        }

        /// Returns a collection of items as a path from the response or the context. The last step has no linkId.
        private static func path(_ tree: FHIRPathTree, _ isInArgument: Bool) -> ResponseLookup? {
            switch tree.kind {
            case .name("item"): return isInArgument ? nil : step(.items, from: ResponseLookup(start: .context))
            case .member(let base, "item"):
                if case .member(let inner, "answer") = base.kind {
                    return step(.answerItems, from: from(inner, isInArgument))
                }
                if case .name("answer") = base.kind {
                    return isInArgument ? nil : step(.answerItems, from: ResponseLookup(start: .context))
                }
                return step(.items, from: from(base, isInArgument))
            case .call(let base, "descendants", let arguments) where arguments.isEmpty:
                return step(.anyItems, from: from(base, isInArgument))
            case .call(let base, "repeat", let arguments) where arguments.count == 1:
                guard let way = repeated(arguments[0]) else { return nil }
                return step(way, from: from(base, isInArgument))
            default: return nil
            }
        }

        private static func step(_ way: ResponseLookup.Step.Way, from start: ResponseLookup?) -> ResponseLookup? {
            start.map { start in
                var path = start
                path.steps.append(ResponseLookup.Step(way: way))
                return path
            }
        }

        /// Returns the start of a path, or a path with a linkId at its last step or with a plain `item`.
        private static func from(_ tree: FHIRPathTree?, _ isInArgument: Bool) -> ResponseLookup? {
            guard let tree else { return isInArgument ? nil : ResponseLookup(start: .context) }
            switch tree.kind {
            case .variable("resource"), .variable("rootResource"): return ResponseLookup(start: .response)
            case .variable("context"): return ResponseLookup(start: .context)
            case .call(let base?, "where", let arguments) where arguments.count == 1:
                guard let (linkID, isWhole) = linkID(in: arguments[0]), isWhole, var found = path(base, isInArgument),
                    let last = found.steps.indices.last
                else { return nil }
                found.steps[last].linkID = linkID
                return found
            case .member(_, "item"), .name("item"): return path(tree, isInArgument)
            default: return nil
            }
        }

        private static func repeated(_ argument: FHIRPathTree) -> ResponseLookup.Step.Way? {
            switch argument.kind {
            case .name("item"): return .itemsOfGroups
            case .binary("|", let left, let right):
                let sides = [left, right]
                let hasItem = sides.contains { if case .name("item") = $0.kind { true } else { false } }
                let hasAnswer = sides.contains { side in
                    switch side.kind {
                    case .name("answer"): return true
                    case .member(let base, "item"):
                        if case .name("answer") = base.kind { return true } else { return false }
                    default: return false
                    }
                }
                return hasItem && hasAnswer ? .anyItems : nil
            default: return nil
            }
        }
    }
}
