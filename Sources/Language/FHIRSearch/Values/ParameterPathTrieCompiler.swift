import FHIR
import FHIRPath

/// Compiles the expressions of a resource type's parameters to a tree.
struct ParameterPathTrieCompiler {
    /// A node under construction.
    struct Draft {
        let type: TypeModel.TypeID
        let declaration: Int32
        var members: [String: [ParameterPathTrie.Edge]] = [:]
        var names: [String] = []
        var refinements: [ParameterPathTrie.Refinement] = []
        var leaves: [ParameterPathTrie.Leaf] = []
        var composites: [ParameterPathTrie.Composite] = []

        init(type: TypeModel.TypeID, declaration: Int32) {
            self.type = type
            self.declaration = declaration
        }

        /// Creates a node for the same element.
        init(like other: Draft) { self.init(type: other.type, declaration: other.declaration) }
    }

    /// The use of the values at the end of a path.
    private enum Target {
        case parameter(Int)
        case slot(Int)
    }

    private(set) var nodes: [Draft]
    private(set) var slotCount = 0
    private(set) var evaluated: [ParameterPathTrie.Evaluated] = []
    private(set) var unread: [String] = []
    /// The compiled expressions, by their texts.
    private(set) var expressions: [String: FHIRPathExpression]

    init(_ type: String, _ expressions: [String: FHIRPathExpression]) {
        nodes = [Draft(type: TypeModel.r4.type(type) ?? .unknown, declaration: -1)]
        self.expressions = expressions
    }

    mutating func compile(_ parameters: [SearchParameterTable.Parameter]) {
        for (index, parameter) in parameters.enumerated() where !compile(parameter, index) {
            unread.append(parameter.code)
        }
    }

    private mutating func compile(_ parameter: SearchParameterTable.Parameter, _ index: Int) -> Bool {
        guard let expression = compiled(parameter.expression) else { return false }
        guard let paths = expression.selectionPaths else {
            guard parameter.kind != .composite else { return false }
            evaluated.append(
                ParameterPathTrie.Evaluated(parameter: index, kind: parameter.kind, expression: expression))
            return true
        }
        for path in paths {
            guard let found = follow(path, from: 0) else { return false }
            for node in found {
                if parameter.kind == .composite {
                    guard addComposite(parameter, index, at: node) else { return false }
                } else {
                    for leaf in leaves(of: parameter, at: node) { addLeaf(parameter.kind, .parameter(index), at: leaf) }
                }
            }
        }
        return true
    }

    /// Compiles a published expression. Two of its forms are not FHIRPath and are replaced.
    private mutating func compiled(_ expression: String) -> FHIRPathExpression? {
        if let known = expressions[expression] { return known }
        var text = expression.replacing("as(DateTime)", with: "as(dateTime)")
        if let call = text.firstRange(of: "hasExtension("), let end = text[call.upperBound...].firstIndex(of: ")") {
            let argument = text[call.upperBound..<end]
            text.replaceSubrange(call.lowerBound...end, with: "extension(\(argument)).exists()")
        }
        let made = try? FHIRPathExpression(text)
        expressions[expression] = made
        return made
    }

    // MARK: Parameters

    /// Returns the nodes of a parameter's values. An inline resource is selected only where it has one of the
    /// parameter's target types. The first resource of a Bundle is its `composition` or its `message`
    /// (<https://hl7.org/fhir/R4/bundle.html#search>).
    private mutating func leaves(of parameter: SearchParameterTable.Parameter, at node: Int) -> [Int] {
        guard nodes[node].type == TypeModel.r4.resourceType, !parameter.targets.isEmpty else { return [node] }
        return parameter.targets.map { refine(node, .member("resourceType", text: $0)) }
    }

    private mutating func addLeaf(_ kind: SearchParamType, _ target: Target, at node: Int) {
        var index = nodes[node].leaves.firstIndex { $0.kind == kind }
        if index == nil {
            index = nodes[node].leaves.count
            nodes[node].leaves.append(ParameterPathTrie.Leaf(kind: kind))
        }
        guard let index else { return }
        switch target {
        case .parameter(let parameter):
            if !nodes[node].leaves[index].parameters.contains(parameter) {
                nodes[node].leaves[index].parameters.append(parameter)
            }
        case .slot(let slot):
            if !nodes[node].leaves[index].slots.contains(slot) { nodes[node].leaves[index].slots.append(slot) }
        }
    }

    private mutating func addComposite(
        _ parameter: SearchParameterTable.Parameter, _ index: Int, at node: Int
    ) -> Bool {
        var components: [ParameterPathTrie.Component] = []
        for part in parameter.components {
            guard let kind = SearchParameterTable.r4.parameter(id: part.id)?.kind,
                let component = component(kind, part.expression, at: node)
            else { return false }
            components.append(component)
        }
        guard !components.isEmpty else { return false }
        // Several parameters with the same components share their values.
        if let same = nodes[node].composites.firstIndex(where: { $0.components == components }) {
            nodes[node].composites[same].parameters.append(index)
        } else {
            nodes[node].composites.append(ParameterPathTrie.Composite(components: components, parameters: [index]))
        }
        return true
    }

    private mutating func component(
        _ kind: SearchParamType, _ expression: String, at node: Int
    ) -> ParameterPathTrie.Component? {
        for known in nodes[node].composites.flatMap(\.components)
        where known.kind == kind && known.expression == expression {
            return known
        }
        guard let paths = compiled(expression)?.selectionPaths else { return nil }
        let slot = slotCount
        slotCount += 1
        let isOfResource = paths.allSatisfy { $0.steps.first == .wholeResource }
        if isOfResource { nodes.append(Draft(like: nodes[0])) }
        let start = isOfResource ? nodes.count - 1 : node
        for path in paths {
            guard let found = follow(path, from: start) else { return nil }
            for leaf in found { addLeaf(kind, .slot(slot), at: leaf) }
        }
        return ParameterPathTrie.Component(
            kind: kind, expression: expression, slot: slot, ofResource: isOfResource ? start : nil)
    }

    // MARK: Paths

    /// Returns the nodes at the end of a path; nil where the path contains an element that R4 does not have. A path of
    /// another type ends at no node.
    private mutating func follow(_ path: SelectionPath, from start: Int) -> [Int]? {
        var ends = [start]
        for (index, step) in path.steps.enumerated() {
            var next: [Int] = []
            for end in ends {
                switch step {
                case .resource(let name):
                    guard let type = TypeModel.r4.type(name) else { return nil }
                    if TypeModel.r4.isSubtype(nodes[end].type, of: type) { next.append(end) }
                case .wholeResource: next.append(end)
                case .member(let name):
                    var item: Int?
                    if index + 1 < path.steps.count, case .item(let number) = path.steps[index + 1] { item = number }
                    guard let found = children(named: name, of: end, item) else { return nil }
                    next += found
                case .item: next.append(end)
                case .ofType(let name):
                    guard let type = TypeModel.r4.type(name) else { return nil }
                    if ParameterPathTrieCompiler.isOf(nodes[end].type, type) { next.append(end) }
                case .resolving(let type): next.append(refine(end, .resolves(toType: type)))
                case .having(let member, let text): next.append(refine(end, .member(member, text: text)))
                case .havingExtension(let url): next.append(refine(end, .hasExtension(url: url)))
                }
            }
            ends = next
        }
        return ends
    }

    /// Whether an element has a type, as `ofType()` defines it: a primitive type has no subtypes.
    private static func isOf(_ type: TypeModel.TypeID, _ wanted: TypeModel.TypeID) -> Bool {
        TypeModel.r4.isPrimitive(wanted) ? type == wanted : TypeModel.r4.isSubtype(type, of: wanted)
    }

    /// Returns the nodes of a child element: a choice has one for each of its types.
    private mutating func children(named name: String, of node: Int, _ item: Int?) -> [Int]? {
        let model = TypeModel.r4
        let inside = nodes[node].type
        guard let number = model.elementIndex(named: name, of: inside) else { return nil }
        let declared = model.declaration(number)
        guard declared.isChoice else {
            guard let type = model.memberIndex(name, of: inside)?.type else { return nil }
            return [child(of: node, name, type: type, declaration: number, item: item)]
        }
        return declared.types.map { target in
            let type = model.name(of: target.type)
            return child(
                of: node, name + type.prefix(1).uppercased() + type.dropFirst(), type: target.type, declaration: number,
                item: item)
        }
    }

    private mutating func child(
        of node: Int, _ name: String, type: TypeModel.TypeID, declaration: Int32, item: Int?
    ) -> Int {
        if let edge = nodes[node].members[name]?.first(where: { $0.index == item }) { return edge.node }
        let child = nodes.count
        nodes.append(Draft(type: type, declaration: declaration))
        if nodes[node].members[name] == nil { nodes[node].names.append(name) }
        nodes[node].members[name, default: []].append(ParameterPathTrie.Edge(node: child, index: item))
        return child
    }

    private mutating func refine(_ node: Int, _ condition: ParameterPathTrie.Refinement.Condition) -> Int {
        if let same = nodes[node].refinements.first(where: { $0.condition == condition }) { return same.node }
        let refined = nodes.count
        nodes.append(Draft(like: nodes[node]))
        nodes[node].refinements.append(ParameterPathTrie.Refinement(condition: condition, node: refined))
        return refined
    }
}
