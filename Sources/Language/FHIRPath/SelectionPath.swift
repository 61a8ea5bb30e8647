/// A path from a resource to elements of it, the form of nearly all expressions of search parameters: names, types, and
/// a few kinds of `where()` (<https://hl7.org/fhir/R4/searchparameter-registry.html>).
///
/// A client that evaluates many paths on the same resource can combine them instead of evaluating each expression.
package struct SelectionPath: Sendable, Hashable {
    /// One step of the path.
    package enum Step: Sendable, Hashable {
        /// At the beginning: the resource, if it has the type.
        case resource(type: String)
        /// At the beginning: `%resource`.
        case wholeResource
        /// The elements with the name.
        case member(String)
        /// One element by its index.
        case item(Int)
        /// The elements of the type.
        case ofType(String)
        /// The references to a resource of the type: `where(resolve() is Patient)`.
        case resolving(toType: String)
        /// The elements that have a member with the text: `where(system = 'phone')`.
        case having(member: String, text: String)
        /// The elements that have an extension: `where(extension('...').exists())`.
        case havingExtension(url: String)
    }

    /// The steps in order.
    package let steps: [Step]
}

extension FHIRPathExpression {
    /// The paths whose union is the expression; nil if the expression contains anything else.
    ///
    /// A cast is treated as a filter, `(Observation.component.value as Quantity)` as `.ofType(Quantity)`: search
    /// parameters use it in this sense, although FHIRPath does not allow a cast of several items.
    package var selectionPaths: [SelectionPath]? { SelectionPath.paths(of: node) }
}

extension SelectionPath {
    fileprivate static func paths(of node: ExpressionNode) -> [SelectionPath]? {
        if case .binary(.union, let left, let right, _) = node {
            guard let first = paths(of: left), let second = paths(of: right) else { return nil }
            return first + second
        }
        return steps(of: node).map { [SelectionPath(steps: $0)] }
    }

    private static func steps(of node: ExpressionNode) -> [Step]? {
        switch node {
        case .name(let name): return [name.type.isKnown ? .resource(type: name.text) : .member(name.text)]
        case .variable("resource", _): return [.wholeResource]
        case .member(let base, let name): return steps(of: base, then: .member(name.text))
        case .asType(let base, let type): return steps(of: base, then: .ofType(type.name))
        case .indexer(let base, .literal(.integer(let index))): return steps(of: base, then: .item(index))
        case .call(let base, let function, let arguments, _):
            guard let last = arguments.first, arguments.count == 1 else { return nil }
            switch (function, last) {
            case (.as, .type(let type)), (.ofType, .type(let type)):
                return base.flatMap { steps(of: $0, then: .ofType(type.name)) }
            case (.extension, .literal(.string(let url))):
                let before = base.map { steps(of: $0) } ?? []
                return before.map { $0 + [.member("extension"), .having(member: "url", text: url)] }
            case (.where, _):
                guard let base, let step = criterion(last) else { return nil }
                return steps(of: base, then: step)
            default: return nil
            }
        default: return nil
        }
    }

    private static func steps(of base: ExpressionNode, then step: Step) -> [Step]? {
        steps(of: base).map { $0 + [step] }
    }

    private static func criterion(_ node: ExpressionNode) -> Step? {
        switch node {
        case .isType(.call(nil, .resolve, _, _), let type): .resolving(toType: type.name)
        case .binary(.equal, .name(let name), .literal(.string(let text)), _): .having(member: name.text, text: text)
        case .call(.call(nil, .extension, let arguments, _)?, .exists, let criteria, _) where criteria.isEmpty:
            if case .literal(.string(let url))? = arguments.first { .havingExtension(url: url) } else { nil }
        default: nil
        }
    }
}
