import FHIR
import Foundation

/// One evaluation of an expression.
struct Evaluator {
    /// What a part of an expression sees beside its focus.
    struct Scope {
        var this: [FHIRPathValue]
        var index: Int?
        var total: [FHIRPathValue]?
        /// What `defineVariable()` named so far in this chain.
        var variables: [String: [FHIRPathValue]] = [:]
    }

    let context: FHIRPathContext
    /// What the expression as a whole was asked of.
    let root: [FHIRPathValue]
    private var steps: Int
    private var depth = 0

    init(_ context: FHIRPathContext, root: [FHIRPathValue]) {
        self.context = context
        self.root = root
        steps = context.limits.steps
    }

    mutating func spend(_ count: Int = 1) throws(FHIRPathError) {
        steps -= count
        guard steps >= 0 else {
            throw .limit("too-many-steps", "The evaluation takes more than \(context.limits.steps) steps.")
        }
    }

    func bounded(_ values: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        guard values.count <= context.limits.items else {
            throw .limit("too-many-items", "A collection would have more than \(context.limits.items) items.")
        }
        return values
    }

    func bounded(_ text: String) throws(FHIRPathError) -> [FHIRPathValue] {
        guard text.utf8.count <= context.limits.characters else {
            throw .limit("text-too-long", "A text would have more than \(context.limits.characters) characters.")
        }
        return [.string(text)]
    }

    // MARK: Nodes

    /// The value of a node for a focus. The scope is changed only by `defineVariable()` in the chain itself.
    mutating func evaluate(
        _ node: ExpressionNode, _ focus: [FHIRPathValue], _ scope: inout Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        try spend()
        depth += 1
        defer { depth -= 1 }
        guard depth <= context.limits.depth + Parser.maximumChain else {
            throw .limit("evaluation-depth", "The evaluation nests deeper than is allowed.")
        }
        switch node {
        case .literal(let value): return [value]
        case .empty: return []
        case .this: return scope.this
        case .index: return scope.index.map { [.integer($0)] } ?? []
        case .total: return scope.total ?? []
        case .variable(let name, let place): return try variable(name, place, scope)
        case .name(let name, _): return try self.name(name, focus)
        case .member(let base, let name, _):
            return try members(name, of: try evaluate(base, focus, &scope))
        case .call(let base, let function, let arguments, let place):
            let input: [FHIRPathValue]
            if let base { input = try evaluate(base, focus, &scope) } else { input = focus }
            return try call(function, input, arguments, focus, &scope, place)
        case .indexer(let base, let index):
            let items = try evaluate(base, focus, &scope)
            guard let place = try integer(try branch(index, focus, scope), "[ ]") else { return [] }
            return items.indices.contains(place) ? [items[place]] : []
        case .descending(let inner): return try evaluate(inner, focus, &scope)
        case .negation(let inner): return try negated(try branch(inner, focus, scope))
        case .plus(let inner):
            let value = try branch(inner, focus, scope)
            guard value.isEmpty || value.count == 1 else { throw .several("+") }
            return value
        case .binary(let sign, let left, let right, _):
            return try binary(sign, left, right, focus, scope)
        case .isType(let inner, let type):
            let value = try branch(inner, focus, scope)
            guard let item = value.first else { return [] }
            guard value.count == 1 else { throw .several("is") }
            return [.boolean(try TypeMatch.matches(item, type))]
        case .asType(let inner, let type):
            return try cast(try branch(inner, focus, scope), type)
        case .type(let type): return [.string(type.text)]
        }
    }

    /// A part whose variables stay in it.
    mutating func branch(
        _ node: ExpressionNode, _ focus: [FHIRPathValue], _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var inner = scope
        return try evaluate(node, focus, &inner)
    }

    func cast(_ value: [FHIRPathValue], _ type: TypeSpecifier) throws(FHIRPathError) -> [FHIRPathValue] {
        guard value.count <= 1 else { throw .several("as") }
        try TypeMatch.require(type)
        guard let item = value.first, try TypeMatch.matches(item, type, isExact: true) else { return [] }
        return [item]
    }

    // MARK: Names

    /// A name at the begin of a path: the type of the focus, or one of its elements.
    private mutating func name(_ name: String, _ focus: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        if let first = name.utf8.first, (0x41...0x5A).contains(first), focus.count == 1,
            case .element(let element) = focus[0], let type = TypeModel.r4.type(name), element.type.isKnown,
            TypeModel.r4.isSubtype(element.type, of: type)
        {
            return focus
        }
        return try members(name, of: focus)
    }

    mutating func members(_ name: String, of items: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        try spend(items.count)
        var found: [TypedElement] = []
        var output: [FHIRPathValue] = []
        for item in items {
            switch item {
            case .element(let element):
                element.appendChildren(name, to: &found)
            case .typeInfo(let namespace, let typeName):
                if name == "namespace" { output.append(.string(namespace)) }
                if name == "name" { output.append(.string(typeName)) }
            case .quantity(let quantity):
                if name == "value" { output.append(.decimal(quantity.value)) }
                if name == "unit" || name == "code" { output.append(.string(quantity.unit)) }
            default: break
            }
        }
        if output.isEmpty {
            output.reserveCapacity(found.count)
        }
        for element in found { output.append(.element(element)) }
        return try bounded(output)
    }

    /// `%name` (<https://hl7.org/fhir/R4/fhirpath.html#variables>).
    private func variable(
        _ name: String, _ place: FHIRPathPlace, _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        if let value = scope.variables[name] ?? context.variables[name] { return value }
        switch name {
        case "context": return context.context.map { [.element($0)] } ?? root
        case "resource": return (context.resource ?? context.context).map { [.element($0)] } ?? root
        case "rootResource":
            return (context.rootResource ?? context.resource ?? context.context).map { [.element($0)] } ?? root
        case "ucum": return [.string("http://unitsofmeasure.org")]
        case "sct": return [.string("http://snomed.info/sct")]
        case "loinc": return [.string("http://loinc.org")]
        default:
            if name.hasPrefix("vs-") { return [.string("http://hl7.org/fhir/ValueSet/" + name.dropFirst(3))] }
            if name.hasPrefix("ext-") {
                return [.string("http://hl7.org/fhir/StructureDefinition/" + name.dropFirst(4))]
            }
            throw FHIRPathError(
                .semantic, code: "unknown-variable",
                message: "No variable has this name: supply it or correct the name.",
                at: place)
        }
    }

    // MARK: Single items

    /// The one item of a collection as an operator sees it; nil for none.
    func single(_ values: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> FHIRPathValue? {
        guard values.count <= 1 else { throw .several(name) }
        return values.first?.system
    }

    func integer(_ values: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> Int? {
        guard let value = try single(values, name) else { return nil }
        switch value {
        case .integer(let number), .long(let number): return number
        default: throw .execution("integer-expected", "\(name) takes an integer.")
        }
    }

    /// A text; an element of another primitive type that is no text is refused as a matter of types.
    func string(_ values: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> String? {
        guard let value = try single(values, name) else { return nil }
        switch value {
        case .string(let text): return text
        case .element(let element) where element.isPrimitive && element.value.isNull: return nil
        case .element: throw .semantic("text-expected", "\(name) takes a text, not a \(value.typeName).")
        default: throw .execution("text-expected", "\(name) takes a text, not a \(value.typeName).")
        }
    }

    /// The singleton evaluation of a boolean: nil for none, any single item that is no boolean counts as true
    /// (<https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections>).
    func boolean(_ values: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> Bool? {
        guard values.count <= 1 else { throw .several(name) }
        guard let value = values.first else { return nil }
        if case .boolean(let truth) = value.system { return truth }
        return true
    }

    /// A criterion of `where()`, `all()` and their like: an item that is no boolean is an error only where it is
    /// certain to be a mistake.
    mutating func criterion(
        _ node: ExpressionNode, _ item: FHIRPathValue, _ index: Int, _ scope: Scope, _ name: String
    ) throws(FHIRPathError) -> Bool {
        var inner = scope
        inner.this = [item]
        inner.index = index
        return try boolean(try evaluate(node, [item], &inner), name) ?? false
    }
}
