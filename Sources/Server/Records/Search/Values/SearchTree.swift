import FHIR
import FHIRPath

/// The search parameters of one resource type, compiled: all ways that their expressions go, as one tree that is walked
/// once for each resource (<https://hl7.org/fhir/R4/searchparameter-registry.html>).
struct SearchTree: Sendable {
    /// A place in the resources of the type. An object, for it is passed at each step.
    final class Node: Sendable {
        /// The type of what stands there; `Resource` for any resource.
        let type: TypeModel.TypeID
        /// The number of the declaration, -1 for the resource itself.
        let declaration: Int32
        /// The ways on, by the names in JSON.
        let members: [String: [Edge]]
        /// The names in JSON, in the order in which they came: that of the members is another in each process.
        let names: [String]
        /// Further nodes for what stands here, where it is as they ask.
        let refinements: [Refinement]
        /// The parameters that select what stands here.
        let leaves: [Leaf]
        /// The composite parameters of which each value is made inside of what stands here.
        let composites: [Composite]

        init(_ draft: SearchTreeCompiler.Draft) {
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
        /// The one item of an array that is meant; nil for all.
        let place: Int?
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

    struct Leaf: Sendable {
        let kind: SearchParamType
        /// By their places in ``SearchTree/parameters``.
        var parameters: [Int] = []
        /// The components of composites whose values these are, by the numbers of their slots.
        var slots: [Int] = []
    }

    struct Composite: Sendable {
        let components: [Component]
        var parameters: [Int]
    }

    /// One of the values that a composite's value consists of. Two of the same element with the same expression and kind
    /// are one, and have one slot.
    struct Component: Sendable, Hashable {
        let kind: SearchParamType
        let expression: String
        /// Where its values are kept while what they stand in is walked.
        let slot: Int
        /// Where its own tree begins, of one that is looked for in the whole resource, as `%resource` says.
        let ofResource: Int?
    }

    /// A parameter whose expression is more than ways, and is evaluated.
    struct Evaluated: Sendable {
        let parameter: Int
        let kind: SearchParamType
        let expression: FHIRPathExpression
    }

    let type: String
    /// The type's own parameters and those of all resources; those that have no expression are not among them.
    let parameters: [SearchParameterTable.Parameter]
    let nodes: [Node]
    /// How many slots there are.
    let slotCount: Int
    let evaluated: [Evaluated]
    /// The parameter of the canonical URL that definitions have beside their version
    /// (<https://hl7.org/fhir/R4/search.html#uri>).
    let definitionURL: Int?
    /// The codes of the parameters of which an expression is not understood: a test rules it out.
    let unread: [String]
    private let places: [String: Int]

    /// The tree of a type; nil where R4 has no resources of the type.
    static func of(_ type: String) -> SearchTree? { all[type] }

    private static let all: [String: SearchTree] = {
        var expressions: [String: FHIRPathExpression] = [:]
        return Dictionary(
            uniqueKeysWithValues: TypeModel.r4.resourceTypes.map { ($0, SearchTree($0, &expressions)) })
    }()

    /// The place of a parameter by its code.
    func place(of code: String) -> Int? { places[code] }

    /// - Parameter expressions: those that are compiled already, by their texts: many types share one.
    private init(_ type: String, _ expressions: inout [String: FHIRPathExpression]) {
        self.type = type
        // Of two with one code, a type's own stands last.
        var byCode: [String: SearchParameterTable.Parameter] = [:]
        var codes: [String] = []
        for parameter in SearchParameterTable.r4.parameters(of: type) where SearchTree.isCompiled(parameter) {
            if byCode.updateValue(parameter, forKey: parameter.code) == nil { codes.append(parameter.code) }
        }
        parameters = codes.compactMap { byCode[$0] }
        places = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
        var compiler = SearchTreeCompiler(type, expressions)
        compiler.compile(parameters)
        expressions = compiler.expressions
        nodes = compiler.nodes.map(Node.init)
        slotCount = compiler.slotCount
        evaluated = compiler.evaluated
        let hasVersion = TypeModel.r4.type(type).flatMap { TypeModel.r4.element(named: "version", of: $0) } != nil
        if hasVersion, let url = places["url"], parameters[url].kind == .uri {
            definitionURL = url
        } else {
            definitionURL = nil
        }
        unread = compiler.unread
    }

    /// Parameters without expression, and those that are calculated by a rule of their own (`near`), are left out.
    private static func isCompiled(_ parameter: SearchParameterTable.Parameter) -> Bool {
        !parameter.expression.isEmpty && parameter.kind != .special
    }
}
