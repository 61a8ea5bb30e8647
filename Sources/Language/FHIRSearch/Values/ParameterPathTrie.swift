import FHIR
import FHIRPath

/// The compiled search parameters of one resource type: the paths of all expressions, as one tree that is walked once
/// for each resource (<https://hl7.org/fhir/R4/searchparameter-registry.html>).
package struct ParameterPathTrie: Sendable {
    /// An element path in the resources of the type. A class, because it is passed at each step.
    package final class Node: Sendable {
        /// The type of the element; `Resource` for any resource.
        package let type: TypeModel.TypeID
        /// The number of the element's declaration; -1 for the resource itself.
        let declaration: Int32
        /// The child nodes, by JSON name.
        let members: [String: [Edge]]
        /// The JSON names in the order of their addition. The order of a dictionary's keys differs in each process.
        let names: [String]
        /// Further nodes for the element where it meets their conditions.
        let refinements: [Refinement]
        /// The parameters that select the element.
        package let leaves: [Leaf]
        /// The composite parameters whose values are formed inside the element.
        let composites: [Composite]

        init(_ draft: ParameterPathTrieCompiler.Draft) {
            type = draft.type
            declaration = draft.declaration
            members = draft.members
            names = draft.names
            refinements = draft.refinements
            leaves = draft.leaves
            composites = draft.composites
        }
    }

    struct Edge: Sendable {
        let node: Int
        /// The index of the only selected item of an array; nil for all items.
        let index: Int?
    }

    struct Refinement: Sendable, Hashable {
        enum Condition: Sendable, Hashable {
            case member(String, text: String)
            case hasExtension(url: String)
            case resolves(toType: String)
        }

        let condition: Condition
        let node: Int
    }

    package struct Leaf: Sendable {
        package let kind: SearchParamType
        /// By their indices in ``ParameterPathTrie/parameters``.
        package var parameters: [Int] = []
        /// The slots of the composite components that these values belong to.
        var slots: [Int] = []
    }

    struct Composite: Sendable {
        let components: [Component]
        var parameters: [Int]
    }

    /// A component of a composite's value. Two components of the same element with the same expression and kind are
    /// one, and have one slot.
    package struct Component: Sendable, Hashable {
        package let kind: SearchParamType
        package let expression: String
        /// The slot of its values during the walk of its element.
        package let slot: Int
        /// The root of its own tree where it is searched in the whole resource (`%resource`); nil otherwise.
        package let ofResource: Int?
    }

    /// A parameter whose expression is not only paths, and is evaluated.
    package struct Evaluated: Sendable {
        let parameter: Int
        let kind: SearchParamType
        let expression: FHIRPathExpression
    }

    package let type: String
    /// The type's own parameters and those of all resources, except parameters without an expression.
    package let parameters: [SearchParameterTable.Parameter]
    package let nodes: [Node]
    /// The number of slots.
    let slotCount: Int
    package let evaluated: [Evaluated]
    /// The parameter of the canonical URL, in types whose definitions have a version
    /// (<https://hl7.org/fhir/R4/search.html#uri>).
    let definitionURL: Int?
    /// The codes of the parameters with an expression that is not supported. A test checks that there are none.
    package let unread: [String]
    private let indices: [String: Int]

    /// Returns the tree of a type; nil where R4 has no resources of the type.
    package static func of(_ type: String) -> ParameterPathTrie? { all[type] }

    private static let all: [String: ParameterPathTrie] = {
        var expressions: [String: FHIRPathExpression] = [:]
        return Dictionary(
            uniqueKeysWithValues: TypeModel.r4.resourceTypes.map { ($0, ParameterPathTrie($0, &expressions)) })
    }()

    /// Returns the index of a parameter by its code.
    package func index(of code: String) -> Int? { indices[code] }

    /// - Parameter expressions: the compiled expressions by their texts, which many types share.
    private init(_ type: String, _ expressions: inout [String: FHIRPathExpression]) {
        self.type = type
        // Of two parameters with one code, the type's own is the last.
        var byCode: [String: SearchParameterTable.Parameter] = [:]
        var codes: [String] = []
        for parameter in SearchParameterTable.r4.parameters(of: type) where ParameterPathTrie.isCompiled(parameter) {
            if byCode.updateValue(parameter, forKey: parameter.code) == nil { codes.append(parameter.code) }
        }
        parameters = codes.compactMap { byCode[$0] }
        indices = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
        var compiler = ParameterPathTrieCompiler(type, expressions)
        compiler.compile(parameters)
        expressions = compiler.expressions
        nodes = compiler.nodes.map(Node.init)
        slotCount = compiler.slotCount
        evaluated = compiler.evaluated
        let hasVersion = TypeModel.r4.type(type).flatMap { TypeModel.r4.element(named: "version", of: $0) } != nil
        if hasVersion, let url = indices["url"], parameters[url].kind == .uri {
            definitionURL = url
        } else {
            definitionURL = nil
        }
        unread = compiler.unread
    }

    /// Whether a parameter is compiled. Parameters without an expression, and those with an algorithm of their own
    /// (`near`), are not.
    private static func isCompiled(_ parameter: SearchParameterTable.Parameter) -> Bool {
        !parameter.expression.isEmpty && parameter.kind != .special
    }
}
