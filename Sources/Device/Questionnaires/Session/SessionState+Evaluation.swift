import FHIR
import FHIRPath

/// The part of a response for which an expression is evaluated.
struct ExpressionScope: Sendable, Hashable {
    /// The node of the item; -1 for the form.
    let node: Int
    /// The instance of the item; nil for all.
    var slot: Int?

    static let form = ExpressionScope(node: -1)
}

extension SessionState {
    /// Maximum number of steps of one expression.
    private static let maximumExpressionSteps = 2_000_000
    /// Maximum number of variables that one expression reads one through the other.
    private static let maximumOpenVariables = 100

    /// Returns the outcome of an expression at a node of its item.
    ///
    /// - Parameter budget: its steps are taken from it.
    func outcome(
        of index: Int, at scope: ExpressionScope, budget: StepBudget, cache: inout EvaluationCache
    ) -> ExpressionOutcome {
        if let path = form.dependencies.cyclic[index] {
            return .failure(.failed("The expression depends on itself: \(path.joined(separator: " -> "))."))
        }
        return outcome(of: index, at: scope, open: [], budget: budget, cache: &cache)
    }

    /// - Parameter open: the variables that are being evaluated.
    private func outcome(
        of index: Int, at scope: ExpressionScope, open: Set<Int>, budget: StepBudget, cache: inout EvaluationCache
    ) -> ExpressionOutcome {
        let entry = form.program.entries[index]
        guard !open.contains(index) else { return .failure(.failed("A variable depends on itself.")) }
        guard open.count < Self.maximumOpenVariables else {
            return .failure(
                .failed("More than \(Self.maximumOpenVariables) variables are read one through the other."))
        }
        switch entry.expression.body {
        case .invalid(let error): return .failure(ExpressionFailure(error))
        case .unsupported(let language):
            return .failure(.undecided("The language \(language.prefix(100)) is not evaluated."))
        case .path:
            guard let part = entry.parts.first else { return .success([]) }
            return evaluate(part, of: entry, at: scope, open: open.union([index]), budget: budget, cache: &cache)
        case .query(let template):
            return queried(template, entry, at: scope, open: open.union([index]), budget: budget, cache: &cache)
        }
    }

    /// Executes a query after replacing its expressions by their results.
    private func queried(
        _ template: QueryTemplate, _ entry: FormProgram.Entry, at scope: ExpressionScope, open: Set<Int>,
        budget: StepBudget, cache: inout EvaluationCache
    ) -> ExpressionOutcome {
        guard let query = context.query else { return .failure(.undecided("Queries are not available here.")) }
        var text = ""
        var parts = entry.parts.makeIterator()
        for piece in template.parts {
            switch piece {
            case .text(let given): text += given
            case .path:
                guard let part = parts.next() else { continue }
                switch evaluate(part, of: entry, at: scope, open: open, budget: budget, cache: &cache) {
                case .success(let values): text += values.map(Self.text).joined(separator: ",")
                case .failure(let failure): return .failure(failure)
                }
            }
        }
        let found: [FHIRPathValue]?
        if let known = cache.queries[text] {
            found = known
        } else {
            found = query(text)
            if cache.queries.count < 1_000 { cache.queries[text] = .some(found) }
        }
        return found.map { .success($0) } ?? .failure(.undecided("A query cannot be executed."))
    }

    /// Returns a value as a part of a query, percent-encoded.
    private static func text(_ value: FHIRPathValue) -> String {
        let text = value.json.string ?? value.json.number?.text ?? value.json.bool.map { $0 ? "true" : "false" } ?? ""
        // References, and codes with their systems, remain as they are.
        return PercentEncoding.encode(text).replacing("%2F", with: "/").replacing("%3A", with: ":")
            .replacing("%7C", with: "|")
    }

    private func evaluate(
        _ part: FormProgram.Part, of entry: FormProgram.Entry, at scope: ExpressionScope, open: Set<Int>,
        budget: StepBudget, cache: inout EvaluationCache
    ) -> ExpressionOutcome {
        let weights = entry.readsWeights
        var path = FHIRPathContext(now: moment.start())
        path.offsetMinutes = moment.offsetMinutes ?? 0
        path.limits.steps = Self.maximumExpressionSteps
        for lookup in part.lookups {
            path.variables[lookup.name] = elements(of: lookup, at: scope, weights: weights, cache: &cache)
        }
        for (name, variable) in part.variables {
            if let given = context.values[name] {
                path.variables[name] = given
                continue
            }
            switch variable {
            case .questionnaire:
                path.variables[name] = [.element(TypedElement(resource: form.questionnaire.object))]
            case .item: path.variables[name] = questionnaireItem(at: scope)
            case .population(let owner):
                let above = self.scope(of: owner, from: scope)
                let block = above.flatMap { above in above.slot.map { nodes[above.node].blocks[$0] } } ?? -1
                path.variables[name] = populations[block] ?? []
            case .supplied: path.undecided.insert(name)
            case .unknown: break
            case .expression(let index, let owner):
                let above = owner.map { self.scope(of: $0, from: scope) } ?? .form
                guard let above else { continue }
                switch self.variable(index, at: above, open: open, budget: budget, cache: &cache) {
                case .success(let values): path.variables[name] = values
                case .failure(let failure):
                    guard failure.isUndecided else {
                        return .failure(.failed("The variable %\(name.prefix(100)) fails: \(failure.message)"))
                    }
                    path.undecided.insert(name)
                }
            }
        }
        if part.inputs.readsWholeResponse || part.inputs.readsHeader {
            let whole =
                part.inputs.readsWholeResponse ? response(weights: weights, cache: &cache) : header
            if part.inputs.readsWholeResponse { budget.spend(nodes.count / 64) }
            path.resource = TypedElement(resource: whole)
        }
        let input = focus(of: part, at: scope, weights: weights, resource: path.resource, cache: &cache)
        path.context =
            input.count == 1 ? input.first.flatMap { if case .element(let element) = $0 { element } else { nil } } : nil
        do throws(FHIRPathError) {
            return .success(try part.inputs.expression.evaluate(on: input, in: path, budget: budget))
        } catch {
            return .failure(ExpressionFailure(error))
        }
    }

    /// Returns the value of a variable, computed once until it is affected.
    private func variable(
        _ index: Int, at scope: ExpressionScope, open: Set<Int>, budget: StepBudget, cache: inout EvaluationCache
    ) -> ExpressionOutcome {
        let key = EvaluationCache.VariableKey(node: scope.node, slot: scope.slot)
        if let known = cache.variable(index, key) { return known }
        let found = outcome(of: index, at: scope, open: open, budget: budget, cache: &cache)
        cache.keep(found, variable: index, key)
        return found
    }

    /// Returns the scope of an item above a scope, or of its own item.
    private func scope(of owner: Int, from scope: ExpressionScope) -> ExpressionScope? {
        guard scope.node >= 0 else { return nil }
        if nodes[scope.node].item.index == owner { return scope }
        var below = scope.node
        while nodes[below].parent >= 0 {
            let parent = nodes[below].parent
            if nodes[parent].item.index == owner { return ExpressionScope(node: parent, slot: nodes[below].slot) }
            below = parent
        }
        return nil
    }

    // MARK: Elements

    /// The type of `QuestionnaireResponse.item`.
    private static let itemType: TypedElement? =
        container("QuestionnaireResponse", item: .object(JSONObject())).children("item").first

    /// Returns a resource with one item.
    private static func container(_ type: String, item: JSON) -> TypedElement {
        var object = JSONObject(resourceType: type)
        object["item"] = .array([item])
        return TypedElement(resource: object)
    }

    private static func element(_ item: JSON) -> FHIRPathValue {
        .element(TypedElement(item, type: itemType?.type ?? .unknown, declaration: itemType?.declaration ?? -1))
    }

    private func elements(
        of lookup: (name: String, isInContext: Bool, item: FormItem?), at scope: ExpressionScope, weights: Bool,
        cache: inout EvaluationCache
    ) -> [FHIRPathValue] {
        guard let target = lookup.item else { return [] }
        let found =
            lookup.isInContext
            ? nodes(of: target, from: scope.node, slot: scope.slot)
            : nodes(of: target, from: -1, slot: nil)
        var output: [FHIRPathValue] = []
        for node in found {
            for item in rendered(node, weights: weights, cache: &cache) { output.append(Self.element(item.json)) }
        }
        return output
    }

    /// Returns `%context`: the items of the node, or the response. A question without answers is an item with only its
    /// linkId and text, so that an expression can read them.
    private func focus(
        of part: FormProgram.Part, at scope: ExpressionScope, weights: Bool, resource: TypedElement?,
        cache: inout EvaluationCache
    ) -> [FHIRPathValue] {
        guard part.inputs.readsContext || part.inputs.readsContextHeader else { return [] }
        guard scope.node >= 0 else {
            let whole = resource ?? TypedElement(resource: response(weights: weights, cache: &cache))
            return [.element(whole)]
        }
        let items = rendered(scope.node, weights: weights, cache: &cache)
            .filter { scope.slot == nil || $0.slot == scope.slot || !(nodes[scope.node].item.type == .group) }
        guard items.isEmpty else { return items.map { Self.element($0.json) } }
        var object = JSONObject()
        object["linkId"] = .string(nodes[scope.node].item.linkID)
        if let text = nodes[scope.node].item.text { object["text"] = .string(text) }
        return [Self.element(.object(object))]
    }

    private func questionnaireItem(at scope: ExpressionScope) -> [FHIRPathValue] {
        guard scope.node >= 0 else { return [] }
        let json = nodes[scope.node].item.source.json
        return Self.container("Questionnaire", item: json).children("item").map { .element($0) }
    }
}
