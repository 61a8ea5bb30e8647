import FHIR

extension FHIRPathExpression {
    /// Checks the names in the expression against a type of R4, without data: an element that the type does not have is
    /// an error.
    ///
    /// - Parameter typeName: the type of the input; nil if it is not known.
    /// - Throws: ``FHIRPathError`` of kind semantic.
    public func check(on typeName: String?) throws(FHIRPathError) {
        var check = TypeCheck()
        let type = typeName.flatMap { TypeModel.r4.type($0) }
        _ = try check.type(
            of: node, focus: type.map { .elements([$0]) } ?? .unknown,
            this: type.map { .elements([$0]) } ?? .unknown)
    }
}

/// Infers the type of each part of an expression, as far as it is certain.
struct TypeCheck {
    /// Static knowledge about a collection.
    enum Knowledge {
        /// The type is not known.
        case unknown
        /// Elements of one of these types.
        case elements([TypeModel.TypeID])
        /// A value that is not an element.
        case system(String)
    }

    private let model = TypeModel.r4
    private var root: Knowledge?

    mutating func type(of node: ExpressionNode, focus: Knowledge, this: Knowledge)
        throws(FHIRPathError) -> Knowledge
    {
        if root == nil { root = focus }
        switch node {
        case .literal(let value): return .system(TypeMatch.systemName(value))
        case .pattern: return .system("String")
        case .empty, .total: return .unknown
        case .index: return .system("Integer")
        case .this: return this
        case .variable(let name, _):
            switch name {
            case "context": return root ?? .unknown
            case "ucum", "sct", "loinc": return .system("String")
            default: return .unknown
            }
        case .name(let element):
            let (name, location) = (element.text, element.location)
            if let first = name.utf8.first, (0x41...0x5A).contains(first), let type = model.type(name),
                case .elements(let types) = focus
            {
                if types.contains(where: { model.isSubtype($0, of: type) || model.isSubtype(type, of: $0) }) {
                    return .elements(types.count == 1 ? types : [type])
                }
                throw FHIRPathError(
                    .semantic, code: "wrong-context",
                    message: "The expression begins with \(name), but the input is another type.", at: location)
            }
            return try member(name, of: focus, location)
        case .member(let base, let name):
            return try member(name.text, of: try type(of: base, focus: focus, this: this), name.location)
        case .indexer(let base, let index):
            _ = try type(of: index, focus: focus, this: this)
            return try type(of: base, focus: focus, this: this)
        case .negation(let inner), .plus(let inner), .descending(let inner):
            return try type(of: inner, focus: focus, this: this)
        case .isType(let inner, _):
            _ = try type(of: inner, focus: focus, this: this)
            return .system("Boolean")
        case .asType(let inner, let type):
            return try narrowed(try self.type(of: inner, focus: focus, this: this), type)
        case .type: return .unknown
        case .binary(let sign, let left, let right, _):
            let a = try type(of: left, focus: focus, this: this)
            let b = try type(of: right, focus: focus, this: this)
            return try result(of: sign, a, b)
        case .call(let base, let function, let arguments, let location):
            let input =
                try base.map { node throws(FHIRPathError) in try type(of: node, focus: focus, this: this) }
                ?? focus
            if [.first, .last, .tail, .skip, .take].contains(function), let base,
                TypeCheck.isUnordered(base)
            {
                throw FHIRPathError(
                    .semantic, code: "unordered-input",
                    message:
                        "The order of children() and descendants() is undefined: remove \(function.rawValue)().",
                    at: location)
            }
            return try call(function, on: input, arguments: arguments, this: this, at: location)
        }
    }

    /// Whether the order of a node's result is undefined (<https://hl7.org/fhirpath/N1/#tree-navigation>).
    private static func isUnordered(_ node: ExpressionNode) -> Bool {
        switch node {
        case .call(_, .children, _, _), .call(_, .descendants, _, _): true
        case .call(let base?, .where, _, _), .call(let base?, .ofType, _, _),
            .call(let base?, .tail, _, _):
            isUnordered(base)
        default: false
        }
    }

    // MARK: Names

    private func member(_ name: String, of base: Knowledge, _ location: SourceLocation)
        throws(FHIRPathError) -> Knowledge
    {
        guard case .elements(let types) = base, !types.isEmpty else { return .unknown }
        var found: [TypeModel.TypeID] = []
        var isOpen = false
        for type in types {
            guard type.isKnown, type != model.elementType, type != model.resourceType,
                type != model.domainResourceType
            else {
                isOpen = true
                continue
            }
            if let element = model.element(named: name, of: type) {
                for target in element.types where !found.contains(target.type) { found.append(target.type) }
            }
        }
        if !found.isEmpty { return isOpen ? .unknown : .elements(found) }
        if isOpen { return .unknown }
        throw FHIRPathError(
            .semantic, code: "unknown-element",
            message: "\(names(types)) has no element \(name): correct the name.", at: location)
    }

    private func names(_ types: [TypeModel.TypeID]) -> String {
        types.count > 3
            ? "None of \(types.count) types" : types.map { model.name(of: $0) }.joined(separator: " or ")
    }

    private func narrowed(_ base: Knowledge, _ type: TypeSpecifier) throws(FHIRPathError) -> Knowledge {
        guard type.namespace != "System", let wanted = model.type(type.name) else { return .unknown }
        if case .elements(let types) = base, !types.isEmpty,
            !types.contains(where: {
                !$0.isKnown || model.isSubtype(wanted, of: $0) || model.isSubtype($0, of: wanted)
            }
            )
        {
            // No item can have the type, so the result is always empty. Access to an element of it is an error.
            return .elements([])
        }
        return .elements([wanted])
    }

    // MARK: Operators and functions

    private func result(of sign: FHIRPathOperator, _ a: Knowledge, _ b: Knowledge)
        throws(FHIRPathError) -> Knowledge
    {
        switch sign {
        case .equal, .notEqual, .equivalent, .notEquivalent, .less, .lessOrEqual, .greater,
            .greaterOrEqual, .in,
            .contains, .and, .or, .xor, .implies:
            return .system("Boolean")
        case .concatenate: return .system("String")
        case .union:
            if case .elements(let x) = a, case .elements(let y) = b {
                return .elements(x + y.filter { !x.contains($0) })
            }
            return .unknown
        default: return .unknown
        }
    }

    private mutating func call(
        _ function: FHIRPathFunction, on input: Knowledge, arguments: [ExpressionNode],
        this: Knowledge,
        at location: SourceLocation
    ) throws(FHIRPathError) -> Knowledge {
        switch function {
        case .where, .all, .exists, .select, .repeat, .repeatAll, .sort, .aggregate:
            var last = Knowledge.unknown
            // The results of repeat() are projected again, so only the first round has the input's type.
            for node in arguments { last = try type(of: node, focus: input, this: input) }
            switch function {
            case .where, .sort: return input
            case .select: return last
            case .all, .exists: return .system("Boolean")
            default: return .unknown
            }
        case .trace:
            if arguments.count == 2 { _ = try type(of: arguments[1], focus: input, this: input) }
            return input
        case .ofType, .as:
            guard case .type(let type)? = arguments.first else { return .unknown }
            return try narrowed(input, type)
        case .iif:
            var results: [Knowledge] = []
            for node in arguments { results.append(try type(of: node, focus: input, this: input)) }
            if case .system(let name)? = results.first, name != "Boolean" {
                throw FHIRPathError(
                    .semantic, code: "boolean-expected",
                    message: "The criterion of iif() is a boolean, not a \(name).",
                    at: location)
            }
            return .unknown
        case .defineVariable:
            if arguments.count == 2 { _ = try type(of: arguments[1], focus: input, this: input) }
            return input
        case .first, .last, .tail, .single, .distinct, .skip, .take:
            return input
        case .count, .length, .indexOf, .lastIndexOf: return .system("Integer")
        case .empty, .not, .allTrue, .anyTrue, .allFalse, .anyFalse, .startsWith, .endsWith, .matches,
            .hasValue, .is:
            return .system("Boolean")
        case .extension:
            return .elements([model.extensionType])
        default:
            return .unknown
        }
    }
}
