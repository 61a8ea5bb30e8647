import FHIR
import Foundation

/// One evaluation of an expression.
struct Evaluator {
    /// The scope of a node, in addition to its focus.
    struct Scope {
        var this: Items
        var index: Int?
        var total: Items?
    }

    /// The visible variables of `defineVariable()`. A branch drops its own definitions at its end.
    private(set) var variables: [(name: String, value: Items)] = []

    let context: FHIRPathContext
    /// The input of the whole expression.
    let root: Items
    private var steps: Int
    /// The budget of the steps, for its deadline; nil without one.
    let budget: StepBudget?
    private var untilCheck = StepBudget.stepsBetweenChecks
    private var depth = 0
    private let maximumDepth: Int

    init(_ context: FHIRPathContext, root: Items, budget: StepBudget? = nil) {
        self.context = context
        self.root = root
        self.budget = budget?.deadline == nil ? nil : budget
        steps = context.limits.steps
        maximumDepth = context.limits.depth + Parser.maximumHeight
    }

    /// Number of steps that were taken.
    var spent: Int { context.limits.steps - steps }

    /// Number of steps that remain.
    var stepsLeft: Int { max(0, steps) }

    mutating func spend(_ count: Int = 1) throws(FHIRPathError) {
        steps -= count
        guard steps >= 0 else {
            throw .limit(
                "too-many-steps", "The evaluation takes more than \(context.limits.steps) steps.")
        }
        guard let budget else { return }
        untilCheck -= max(1, count)
        guard untilCheck <= 0 else { return }
        untilCheck = StepBudget.stepsBetweenChecks
        try check(budget)
    }

    /// - Throws: ``FHIRPathError`` if the deadline of the budget has passed or the task is cancelled.
    private func check(_ budget: StepBudget) throws(FHIRPathError) {
        guard budget.isOver else { return }
        throw .limit("evaluation-time", "The evaluation takes longer than allowed.")
    }

    /// Spends steps for work on texts, one step for each 16 bytes.
    mutating func spend(bytes: Int) throws(FHIRPathError) { try spend(1 + bytes / Evaluator.bytesPerStep) }

    /// Number of bytes of text that are compared or copied in one step.
    static let bytesPerStep = 16

    func bounded(_ values: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        guard values.count <= context.limits.items else {
            throw .limit(
                "too-many-items", "A collection would have more than \(context.limits.items) items.")
        }
        return values
    }

    /// Returns a new text. Long texts cost steps, because otherwise many of them could use any amount of time and
    /// memory.
    mutating func bounded(_ text: String) throws(FHIRPathError) -> Items {
        try spend(text.utf8.count / 16)
        guard text.utf8.count <= context.limits.characters else {
            throw .limit(
                "text-too-long", "A text would have more than \(context.limits.characters) characters.")
        }
        return .one(.string(text))
    }

    // MARK: Nodes

    /// Returns the value of a node for a focus.
    mutating func evaluate(
        _ node: ExpressionNode, on focus: Items, in scope: Scope
    ) throws(FHIRPathError) -> Items {
        try spend()
        depth += 1
        defer { depth -= 1 }
        guard depth <= maximumDepth else {
            throw .limit("evaluation-depth", "The evaluation is nested deeper than allowed.")
        }
        switch node {
        case .literal(let value): return .one(value)
        case .pattern(let text, _): return .one(.string(text))
        case .empty: return .empty
        case .this: return scope.this
        case .index: return scope.index.map { .one(.integer($0)) } ?? .empty
        case .total: return scope.total ?? .empty
        case .variable(let name, let location): return try variable(name, at: location, in: scope)
        case .name(let name):
            if name.type.isKnown, case .one(.element(let element)) = focus, element.type.isKnown,
                NameIndex.shared.isSubtype(element.type, of: name.type)
            {
                return focus
            }
            return try members(name, of: focus)
        case .member(let base, let name): return try members(name, of: try evaluate(base, on: focus, in: scope))
        case .call(let base, let function, let arguments, let location):
            let input: Items
            if let base { input = try evaluate(base, on: focus, in: scope) } else { input = focus }
            return try call(function, on: input, arguments: arguments, in: scope, at: location)
        case .indexer(let base, let indexNode):
            let items = try evaluate(base, on: focus, in: scope)
            guard let index = try integer(try branch(indexNode, on: focus, in: scope), "[ ]") else { return .empty }
            switch items {
            case .empty: return .empty
            case .one: return index == 0 ? items : .empty
            case .many(let values): return values.indices.contains(index) ? .one(values[index]) : .empty
            }
        case .descending(let inner): return try evaluate(inner, on: focus, in: scope)
        case .negation(let inner): return try negated(try branch(inner, on: focus, in: scope))
        case .plus(let inner):
            let value = try branch(inner, on: focus, in: scope)
            guard !value.isSeveral else { throw .several("+") }
            return value
        case .binary(let sign, let left, let right, _):
            return try binary(sign, left: left, right: right, on: focus, in: scope)
        case .isType(let inner, let type):
            return try isOf(try branch(inner, on: focus, in: scope), type: type, name: "is")
        case .asType(let inner, let type): return try cast(try branch(inner, on: focus, in: scope), type)
        case .type(let type): return .one(.string(type.text))
        }
    }

    /// Evaluates a node whose variables are local to it.
    mutating func branch(_ node: ExpressionNode, on focus: Items, in scope: Scope) throws(FHIRPathError) -> Items {
        let seen = variables.count
        let value = try evaluate(node, on: focus, in: scope)
        if variables.count > seen { variables.removeLast(variables.count - seen) }
        return value
    }

    mutating func define(_ name: String, _ value: Items) { variables.append((name, value)) }

    func defined(_ name: String) -> Items? { variables.last { $0.name == name }?.value }

    func isOf(_ value: Items, type: TypeSpecifier, name: String) throws(FHIRPathError) -> Items {
        guard !value.isSeveral else { throw .several(name) }
        try TypeMatch.require(type)
        guard case .one(let item) = value else { return .empty }
        return .truth(try TypeMatch.matches(item, type))
    }

    func cast(_ value: Items, _ type: TypeSpecifier) throws(FHIRPathError) -> Items {
        guard !value.isSeveral else { throw .several("as") }
        try TypeMatch.require(type)
        guard case .one(let item) = value, try TypeMatch.matches(item, type, isExact: true) else {
            return .empty
        }
        return value
    }

    // MARK: Names

    mutating func members(_ name: MemberName, of items: Items) throws(FHIRPathError) -> Items {
        var output = Items.empty
        switch items {
        case .empty: break
        case .one(let item):
            try spend()
            Evaluator.append(name, of: item, to: &output)
        case .many(let values):
            try spend(values.count)
            for item in values { Evaluator.append(name, of: item, to: &output) }
        }
        if case .many(let values) = output { _ = try bounded(values) }
        return output
    }

    private static func append(_ name: MemberName, of item: FHIRPathValue, to output: inout Items) {
        switch item {
        case .element(let element): Navigation.append(name, of: element, to: &output)
        case .typeInfo(let namespace, let typeName):
            if name.text == "namespace" { output.append(.string(namespace)) }
            if name.text == "name" { output.append(.string(typeName)) }
        case .quantity(let quantity):
            if name.text == "value" { output.append(.decimal(quantity.value)) }
            if name.text == "unit" || name.text == "code" { output.append(.string(quantity.unit)) }
        default: break
        }
    }

    /// `%name` (<https://hl7.org/fhir/R4/fhirpath.html#variables>).
    private func variable(
        _ name: String, at location: SourceLocation, in scope: Scope
    ) throws(FHIRPathError) -> Items {
        if let value = defined(name) { return value }
        if let value = context.variables[name] { return Items(value) }
        if !context.undecided.isEmpty, context.undecided.contains(name) {
            throw FHIRPathError(
                .semantic, code: FHIRPathError.undecidedCode,
                message: "The value of the variable is not available.", at: location)
        }
        switch name {
        case "context": return context.context.map { .one(.element($0)) } ?? root
        case "resource": return (context.resource ?? context.context).map { .one(.element($0)) } ?? root
        case "rootResource":
            return (context.rootResource ?? context.resource ?? context.context).map {
                .one(.element($0))
            } ?? root
        case "ucum": return .one(.string("http://unitsofmeasure.org"))
        case "sct": return .one(.string("http://snomed.info/sct"))
        case "loinc": return .one(.string("http://loinc.org"))
        default:
            if name.hasPrefix("vs-") {
                return .one(.string("http://hl7.org/fhir/ValueSet/" + name.dropFirst(3)))
            }
            if name.hasPrefix("ext-") {
                return .one(.string("http://hl7.org/fhir/StructureDefinition/" + name.dropFirst(4)))
            }
            throw FHIRPathError(
                .semantic, code: "unknown-variable",
                message: "No variable has this name: supply it or correct the name.",
                at: location)
        }
    }

    // MARK: Single items

    /// Returns the only item of a collection as a system value; nil for an empty collection.
    func single(_ values: Items, _ name: @autoclosure () -> String) throws(FHIRPathError) -> FHIRPathValue? {
        switch values {
        case .empty: return nil
        case .one(let value): return value.system
        case .many: throw .several(name())
        }
    }

    func integer(_ values: Items, _ name: @autoclosure () -> String) throws(FHIRPathError) -> Int? {
        guard let value = try single(values, name()) else { return nil }
        switch value {
        case .integer(let number), .long(let number): return number
        default: throw .execution("integer-expected", "\(name()) takes an integer.")
        }
    }

    /// Returns a text. An element of another primitive type is a semantic error.
    func string(_ values: Items, _ name: @autoclosure () -> String) throws(FHIRPathError) -> String? {
        guard let value = try single(values, name()) else { return nil }
        switch value {
        case .string(let text): return text
        case .element(let element) where element.isPrimitive && element.value.isNull: return nil
        case .element:
            throw .semantic("text-expected", "\(name()) takes a text, not a \(value.typeName).")
        default: throw .execution("text-expected", "\(name()) takes a text, not a \(value.typeName).")
        }
    }

    /// Evaluates a collection as a boolean: nil for an empty collection, and true for any single item that is not a
    /// boolean (<https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections>).
    func boolean(_ values: Items, _ name: @autoclosure () -> String) throws(FHIRPathError) -> Bool? {
        switch values {
        case .empty: return nil
        case .one(.boolean(let truth)): return truth
        case .one(let value):
            if case .boolean(let truth) = value.system { return truth }
            return true
        case .many: throw .several(name())
        }
    }

    /// Evaluates a criterion of `where()`, `all()` and similar functions; a single item that is not a boolean counts as
    /// true.
    mutating func criterion(
        _ node: ExpressionNode, on item: FHIRPathValue, index: Int, in scope: Scope,
        name: @autoclosure () -> String
    ) throws(FHIRPathError) -> Bool {
        let focus = Items.one(item)
        return try boolean(
            try branch(node, on: focus, in: Scope(this: focus, index: index, total: scope.total)), name())
            ?? false
    }
}
