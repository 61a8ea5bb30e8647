import FHIRPath

/// The reason why an expression has no value.
struct ExpressionFailure: Sendable, Hashable {
    /// Whether data that the expression reads are not available; otherwise the expression fails.
    let isUndecided: Bool
    /// A sentence for people, which contains no answer.
    let message: Sentence

    static func undecided(_ message: Sentence) -> ExpressionFailure {
        ExpressionFailure(isUndecided: true, message: message)
    }

    static func failed(_ message: Sentence) -> ExpressionFailure {
        ExpressionFailure(isUndecided: false, message: message)
    }

    init(isUndecided: Bool, message: Sentence) {
        self.isUndecided = isUndecided
        self.message = message
    }

    init(_ error: FHIRPathError) {
        isUndecided = error.code == FHIRPathError.undecidedCode
        message = Sentence(error.description)
    }
}

/// The outcome of an expression: a value, which can be empty, or the reason why it has none.
typealias ExpressionOutcome = Result<[FHIRPathValue], ExpressionFailure>

extension ExpressionFailure: Error {}

/// Results that are kept between evaluations until an answer that they read changes.
struct EvaluationCache: Sendable {
    /// A variable in one instance.
    struct VariableKey: Sendable, Hashable {
        let node: Int
        let slot: Int?
    }

    private var variables: [Int: [VariableKey: ExpressionOutcome]] = [:]
    /// The items of nodes in the response; with the weights of options, too.
    private var items: [Int: [RenderedItem]] = [:]
    private var weighted: [Int: [RenderedItem]] = [:]
    /// The results of queries.
    var queries: [String: [FHIRPathValue]?] = [:]

    func variable(_ index: Int, _ key: VariableKey) -> ExpressionOutcome? { variables[index]?[key] }

    mutating func keep(_ outcome: ExpressionOutcome, variable index: Int, _ key: VariableKey) {
        variables[index, default: [:]][key] = outcome
    }

    /// Removes the values of a variable, and those of the variables that read it. A variable without values has not
    /// been read.
    mutating func forget(variable index: Int, in program: FormProgram) {
        guard !variables.isEmpty else { return }
        var open = [index]
        while let index = open.popLast() {
            if variables.removeValue(forKey: index) != nil { open += program.readers[index] }
        }
    }

    /// Removes all values of variables.
    mutating func forgetVariables() { variables.removeAll() }

    func items(of node: Int, weighted isWeighted: Bool) -> [RenderedItem]? {
        isWeighted ? weighted[node] : items[node]
    }

    mutating func keep(_ rendered: [RenderedItem], of node: Int, weighted isWeighted: Bool) {
        if isWeighted { weighted[node] = rendered } else { items[node] = rendered }
    }

    /// Removes the items of a node and of the nodes above.
    mutating func forget(_ node: Int, in nodes: [SessionNode]) {
        guard !items.isEmpty || !weighted.isEmpty else { return }
        var node = node
        while node >= 0 {
            items[node] = nil
            weighted[node] = nil
            node = nodes[node].parent
        }
    }
}
