import FHIR
import FHIRPath

/// The compiled expressions of a form, with the items and variables that each of them reads.
struct FormProgram: Sendable {
    /// A variable that an expression reads.
    enum Variable: Sendable {
        /// The result of an expression of the item, or of the form if the index of the item is nil.
        case expression(Int, owner: Int?)
        /// The element of which a repetition of the group was made.
        case population(owner: Int)
        /// A value that the caller supplies. The form declares it, or SDC defines the name.
        case supplied
        /// `%questionnaire`
        case questionnaire
        /// `%qitem`
        case item
        case unknown
    }

    /// One FHIRPath expression: a whole expression, or a part of a query.
    struct Part: Sendable {
        let inputs: ExpressionInputs
        /// The lookups with the item of each; without an item it finds nothing.
        let lookups: [(name: String, isInContext: Bool, item: FormItem?)]
        let variables: [(name: String, variable: Variable)]
        /// The names of the variables whose values are unknown.
        let unknown: [String]
    }

    /// One compiled expression.
    struct Entry: Sendable {
        let expression: FormExpression
        /// The name of the extension.
        let kind: String
        /// The index of its item; nil for the form.
        let owner: Int?
        var parts: [Part] = []
        /// Whether it or a variable that it reads depends on the time.
        var readsClock = false
        /// Whether it or a variable that it reads depends on the weights of options.
        var readsWeights = false
    }

    /// The names that SDC defines for launch contexts, and those that apps use without a declaration
    /// (<https://hl7.org/fhir/uv/sdc/ValueSet-launchContext.html>).
    static let usualContexts: Set<String> = [
        "patient", "user", "encounter", "location", "client", "clinical", "study", "source", "practitioner", "subject",
    ]

    private(set) var entries: [Entry] = []
    /// The expressions of the form as a whole.
    let root: ItemExpressions
    /// The names of the launch contexts that the form declares.
    let contexts: Set<String>
    /// Whether any expression depends on the time.
    private(set) var readsClock = false
    /// The expressions that read the variable of each expression.
    private(set) var readers: [[Int]] = []
    /// The names of variables that lead from an expression to itself, by its index.
    private(set) var cycles: [Int: [String]] = [:]
    /// The expressions of variables by name, of the form (-1) and of the items by index.
    private var definitions: [Int: [String: [Int]]] = [:]

    init(_ questionnaire: Questionnaire, items: [FormItem], indexes: [String: Int], builder: FormBuilder) {
        var expressions = builder.expressions
        root = ItemExpressions(of: questionnaire.extension) { expression in
            expressions.append(expression)
            return expressions.count - 1
        }
        contexts = Set(
            questionnaire.extensions(FormExtension.launchContext).compactMap { given in
                let name = given.extension("name")?.value?.json
                return name?["code"]?.string ?? name?.string
            })
        guard !expressions.isEmpty else { return }
        var owners = [(kind: String, owner: Int?)?](repeating: nil, count: expressions.count)
        for (kind, index) in root.all { owners[index] = (kind, nil) }
        for item in items {
            for (kind, index) in item.expressions?.all ?? [] { owners[index] = (kind, item.index) }
        }
        entries = expressions.indices.map { index in
            Entry(expression: expressions[index], kind: owners[index]?.kind ?? "", owner: owners[index]?.owner ?? nil)
        }
        define(root.variables, owner: -1)
        for item in items { define(item.expressions?.variables ?? [], owner: item.index) }
        for index in entries.indices {
            let owner = entries[index].owner
            entries[index].parts = entries[index].expression.inputs.map { inputs in
                part(inputs, of: index, owner: owner.map { items[$0] }, items: items, indexes: indexes)
            }
        }
        relate()
        readsClock = entries.contains(where: \.readsClock)
    }

    private mutating func define(_ variables: [(name: String, expression: Int)], owner: Int) {
        for (name, index) in variables { definitions[owner, default: [:]][name, default: []].append(index) }
    }

    /// Finds what expressions read through variables, and the variables that depend on themselves.
    private mutating func relate() {
        readers = [[Int]](repeating: [], count: entries.count)
        let reads = entries.indices.map { variables(of: $0) }
        for (index, read) in reads.enumerated() {
            for variable in read { readers[variable.expression].append(index) }
        }
        func reading(_ isDirect: (ExpressionInputs) -> Bool) -> [Bool] {
            let starts = entries.indices.filter { entries[$0].parts.contains { isDirect($0.inputs) } }
            return GraphSearch.reached(from: starts, along: readers)
        }
        let (clock, weights) = (reading(\.readsClock), reading(\.readsWeights))
        for index in entries.indices {
            entries[index].readsClock = clock[index]
            entries[index].readsWeights = weights[index]
        }
        let names = Dictionary(reads.joined().map { ($0.expression, $0.name) }) { first, _ in first }
        cycles = GraphSearch.cycles(along: reads.map { $0.map(\.expression) }, limit: Self.maximumCycle)
            .mapValues { $0.compactMap { names[$0] } }
    }

    /// Maximum number of variables in the path of a cycle.
    private static let maximumCycle = 100

    /// Returns the variables that an expression itself reads.
    private func variables(of index: Int) -> [(name: String, expression: Int)] {
        entries[index].parts.flatMap(\.variables).compactMap { name, variable in
            if case .expression(let other, _) = variable { (name, other) } else { nil }
        }
    }

    private func part(
        _ inputs: ExpressionInputs, of index: Int, owner: FormItem?, items: [FormItem], indexes: [String: Int]
    ) -> Part {
        let lookups = inputs.lookups.map { lookup in
            let start = lookup.start == .context ? owner : nil
            return (
                name: lookup.variable, isInContext: lookup.start == .context,
                item: Self.item(of: lookup.steps, below: start, items: items, indexes: indexes)
            )
        }
        let variables = inputs.variables.map { name in
            (name: name, variable: variable(name, at: owner, excluding: index, items: items))
        }
        return Part(
            inputs: inputs, lookups: lookups, variables: variables,
            unknown: variables.compactMap { if case .unknown = $0.variable { $0.name } else { nil } })
    }

    /// Returns the item that a lookup finds; nil if the form has no such item there.
    private static func item(
        of steps: [ResponseLookup.Step], below start: FormItem?, items: [FormItem], indexes: [String: Int]
    ) -> FormItem? {
        guard let linkID = steps.last?.linkID, let target = indexes[linkID].map({ items[$0] }) else { return nil }
        let chain = target.ancestors + [target.index]
        var depth = start.map { $0.depth + 1 } ?? 0
        guard chain.count > depth, start.map({ chain[depth - 1] == $0.index }) ?? true else { return nil }
        for step in steps {
            func fits(_ depth: Int) -> Bool { step.linkID == nil || items[chain[depth]].linkID == step.linkID }
            func isBelowQuestion(_ depth: Int) -> Bool { depth > 0 && items[chain[depth - 1]].isQuestion }
            switch step.way {
            case .items: guard depth < chain.count, !isBelowQuestion(depth), fits(depth) else { return nil }
            case .answerItems: guard depth < chain.count, isBelowQuestion(depth), fits(depth) else { return nil }
            case .itemsOfGroups, .anyItems:
                while depth < chain.count, !fits(depth) {
                    if step.way == .itemsOfGroups, isBelowQuestion(depth) { return nil }
                    depth += 1
                }
                guard depth < chain.count, step.way == .anyItems || !isBelowQuestion(depth) else { return nil }
            }
            depth += 1
        }
        return depth == chain.count ? target : nil
    }

    /// Returns the meaning of a name at an item: the nearest definition in the item and its ancestors.
    private func variable(_ name: String, at item: FormItem?, excluding index: Int, items: [FormItem]) -> Variable {
        switch name {
        case "questionnaire": return .questionnaire
        case "qitem": return .item
        default: break
        }
        let owners = item.map { [$0] + $0.ancestors.reversed().map { items[$0] } } ?? []
        for owner in owners {
            guard let expressions = owner.expressions else { continue }
            if let found = definitions[owner.index]?[name]?.first(where: { $0 != index }) {
                return .expression(found, owner: owner.index)
            }
            if expressions.population?.name == name, owner !== item { return .population(owner: owner.index) }
        }
        if let found = definitions[-1]?[name]?.first(where: { $0 != index }) {
            return .expression(found, owner: nil)
        }
        return contexts.contains(name) || Self.usualContexts.contains(name) ? .supplied : .unknown
    }

    /// Returns the expression with all expressions whose variables it reads, each once.
    func reached(from index: Int) -> [Int] {
        var found = [index]
        var known: Set<Int> = [index]
        var next = 0
        while next < found.count {
            for (_, other) in variables(of: found[next]) where known.insert(other).inserted { found.append(other) }
            next += 1
        }
        return found
    }
}
