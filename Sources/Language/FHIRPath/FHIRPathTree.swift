import FHIR

/// A node of a compiled expression, read-only.
///
/// A caller that evaluates many expressions on one resource reads from the tree the elements that each of them depends
/// on:
///
/// ```swift
/// let tree = try FHIRPathExpression("%resource.item.where(linkId = 'a')").tree
/// if case .call(_, "where", let arguments) = tree.kind { print(arguments.count) }
/// ```
public struct FHIRPathTree: Sendable {
    let node: ExpressionNode

    /// The kind of a node, with the nodes below it.
    public enum Kind: Sendable {
        /// A literal value; a text if it is the pattern of `matches()` or a similar function.
        case literal(FHIRPathValue)
        /// `{}`
        case empty
        /// `$this`
        case this
        /// `$index`
        case index
        /// `$total`
        case total
        /// A variable, without its `%`.
        case variable(String)
        /// A name at the beginning of an expression or of an argument: an element of the focus, or its type.
        case name(String)
        /// An element of the result of a node.
        case member(FHIRPathTree, String)
        /// A function with its input, which is nil for the focus, its name and its arguments.
        case call(FHIRPathTree?, String, [FHIRPathTree])
        /// `input[index]`
        case indexer(FHIRPathTree, FHIRPathTree)
        /// A binary operator with its operands.
        case binary(String, FHIRPathTree, FHIRPathTree)
        /// A sign, `is`, `as` or `desc` with its operand.
        case unary(FHIRPathTree)
        /// The name of a type as an argument.
        case type(String)
    }

    /// The kind of the node.
    public var kind: Kind {
        switch node {
        case .literal(let value): .literal(value)
        case .pattern(let text, _): .literal(.string(text))
        case .empty: .empty
        case .this: .this
        case .index: .index
        case .total: .total
        case .variable(let name, _): .variable(name)
        case .name(let name): .name(name.text)
        case .member(let base, let name): .member(FHIRPathTree(node: base), name.text)
        case .call(let base, let function, let arguments, _):
            .call(base.map(FHIRPathTree.init), function.rawValue, arguments.map(FHIRPathTree.init))
        case .indexer(let base, let index): .indexer(FHIRPathTree(node: base), FHIRPathTree(node: index))
        case .binary(let sign, let left, let right, _):
            .binary(sign.rawValue, FHIRPathTree(node: left), FHIRPathTree(node: right))
        case .negation(let inner), .plus(let inner), .descending(let inner), .isType(let inner, _),
            .asType(let inner, _):
            .unary(FHIRPathTree(node: inner))
        case .type(let type): .type(type.text)
        }
    }

    /// The nodes directly below.
    public var children: [FHIRPathTree] {
        switch kind {
        case .literal, .empty, .this, .index, .total, .variable, .name, .type: []
        case .member(let base, _): [base]
        case .call(let base, _, let arguments): (base.map { [$0] } ?? []) + arguments
        case .indexer(let left, let right), .binary(_, let left, let right): [left, right]
        case .unary(let inner): [inner]
        }
    }
}

/// A change of one node of an expression (``FHIRPathExpression/replacing(_:)``).
package enum FHIRPathReplacement: Sendable {
    /// The variable with the name replaces the node with all nodes below it.
    case node(String)
    /// The variable with the name replaces the input of the function.
    case input(String)
}

extension FHIRPathExpression {
    /// The tree of the expression.
    public var tree: FHIRPathTree { FHIRPathTree(node: node) }

    /// Returns the expression with parts replaced by variables, for a caller that knows their values.
    ///
    /// - Parameter replacement: returns the change of a node; nil to keep it. It is called from the top down, with
    ///   whether the node is inside an argument of a function, where names are those of the function's input.
    package func replacing(
        _ replacement: (FHIRPathTree, _ isInArgument: Bool) -> FHIRPathReplacement?
    ) -> FHIRPathExpression {
        FHIRPathExpression(source: source, node: Self.replaced(node, isInArgument: false, by: replacement))
    }

    private static func replaced(
        _ node: ExpressionNode, isInArgument: Bool, by replacement: (FHIRPathTree, Bool) -> FHIRPathReplacement?
    ) -> ExpressionNode {
        func variable(_ name: String) -> ExpressionNode { .variable(name, SourceLocation(line: 1, column: 1)) }
        func inner(_ node: ExpressionNode) -> ExpressionNode {
            replaced(node, isInArgument: isInArgument, by: replacement)
        }
        let change = replacement(FHIRPathTree(node: node), isInArgument)
        if case .node(let name) = change { return variable(name) }
        switch node {
        case .literal, .pattern, .empty, .this, .index, .total, .variable, .name, .type: return node
        case .member(let base, let member): return .member(inner(base), member)
        case .call(let base, let function, let arguments, let location):
            // `iif()` without an input evaluates its arguments on the focus.
            let isOnInput = isInArgument || base != nil || function != .iif
            let replacedArguments = arguments.map { replaced($0, isInArgument: isOnInput, by: replacement) }
            if case .input(let name) = change { return .call(variable(name), function, replacedArguments, location) }
            return .call(base.map(inner), function, replacedArguments, location)
        case .indexer(let base, let index): return .indexer(inner(base), inner(index))
        case .negation(let operand): return .negation(inner(operand))
        case .descending(let operand): return .descending(inner(operand))
        case .plus(let operand): return .plus(inner(operand))
        case .binary(let sign, let left, let right, let location):
            return .binary(sign, inner(left), inner(right), location)
        case .isType(let operand, let type): return .isType(inner(operand), type)
        case .asType(let operand, let type): return .asType(inner(operand), type)
        }
    }
}
