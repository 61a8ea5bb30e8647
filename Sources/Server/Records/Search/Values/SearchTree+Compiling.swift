import FHIR
import FHIRPath

extension SearchTree {
    /// Compiles the expressions of all parameters.
    mutating func compile() {
        guard let type = TypeModel.r4.type(type) else { return }
        nodes = [Node(type: type, declaration: -1)]
        for (place, parameter) in parameters.enumerated() where !compile(parameter, place) {
            unread.append(parameter.code)
        }
    }

    private mutating func compile(_ parameter: SearchParameterTable.Parameter, _ place: Int) -> Bool {
        guard let expression = SearchTree.compiled(parameter.expression) else { return false }
        guard let paths = expression.selectionPaths else {
            guard parameter.kind != .composite else { return false }
            evaluated.append(Evaluated(parameter: place, kind: parameter.kind, expression: expression))
            return true
        }
        for path in paths {
            guard let found = follow(path, from: 0) else { return false }
            for node in found {
                if parameter.kind == .composite {
                    guard addComposite(parameter, place, at: node) else { return false }
                } else {
                    addLeaf(parameter.kind, place, at: node)
                }
            }
        }
        return true
    }

    /// An expression as it is published, but for two ways of saying that FHIRPath has no more, or never had.
    static func compiled(_ expression: String) -> FHIRPathExpression? {
        var text = expression.replacing("as(DateTime)", with: "as(dateTime)")
        if let call = text.firstRange(of: "hasExtension("), let end = text[call.upperBound...].firstIndex(of: ")") {
            let argument = text[call.upperBound..<end]
            text.replaceSubrange(call.lowerBound...end, with: "extension(\(argument)).exists()")
        }
        return try? FHIRPathExpression(text)
    }

    // MARK: Parameters

    mutating func addLeaf(_ kind: SearchParamType, _ parameter: Int, at node: Int) {
        guard let place = nodes[node].leaves.firstIndex(where: { $0.kind == kind }) else {
            nodes[node].leaves.append(Leaf(kind: kind, parameters: [parameter]))
            return
        }
        if !nodes[node].leaves[place].parameters.contains(parameter) {
            nodes[node].leaves[place].parameters.append(parameter)
        }
    }

    private mutating func addComposite(
        _ parameter: SearchParameterTable.Parameter, _ place: Int, at node: Int
    ) -> Bool {
        let parts = parameter.components.compactMap { part in
            SearchParameterTable.r4.parameter(id: part.id).map { (kind: $0.kind, expression: part.expression) }
        }
        guard parts.count == parameter.components.count, !parts.isEmpty else { return false }
        // 1. Several parameters of the same parts share their values.
        let same = nodes[node].composites.firstIndex { composite in
            composite.components.count == parts.count
                && zip(composite.components, parts).allSatisfy { $0.kind == $1.kind && $0.expression == $1.expression }
        }
        if let same {
            nodes[node].composites[same].parameters.append(place)
            return true
        }
        // 2. Each part has a tree of its own, which begins at the node's type.
        var components: [Component] = []
        for part in parts {
            guard let paths = SearchTree.compiled(part.expression)?.selectionPaths else { return false }
            let isOfResource = paths.allSatisfy { $0.steps.first == .wholeResource }
            let start = nodes.count
            nodes.append(isOfResource ? Node(like: nodes[0]) : Node(like: nodes[node]))
            for path in paths {
                guard let found = follow(path, from: start) else { return false }
                for leaf in found { addLeaf(part.kind, components.count, at: leaf) }
            }
            components.append(
                Component(node: start, kind: part.kind, isOfResource: isOfResource, expression: part.expression))
        }
        nodes[node].composites.append(Composite(components: components, parameters: [place]))
        return true
    }

    // MARK: Ways

    /// The nodes where a way ends; nil where it leads to what R4 does not have. A way of another type has no end here.
    private mutating func follow(_ path: SelectionPath, from start: Int) -> [Int]? {
        var ends = [start]
        for (place, step) in path.steps.enumerated() {
            var next: [Int] = []
            for end in ends {
                switch step {
                case .resource(let name):
                    guard let type = TypeModel.r4.type(name) else { return nil }
                    if TypeModel.r4.isSubtype(nodes[end].type, of: type) { next.append(end) }
                case .wholeResource: next.append(end)
                case .member(let name):
                    var item: Int?
                    if place + 1 < path.steps.count, case .item(let number) = path.steps[place + 1] { item = number }
                    guard let found = children(named: name, of: end, item) else { return nil }
                    next += found
                case .item: next.append(end)
                case .ofType(let name):
                    guard let type = TypeModel.r4.type(name) else { return nil }
                    if SearchTree.isOf(nodes[end].type, type) { next.append(end) }
                case .resolving(let type): next.append(refine(end, .resolves(toType: type)))
                case .having(let member, let text): next.append(refine(end, .member(member, text: text)))
                case .havingExtension(let url): next.append(refine(end, .hasExtension(url: url)))
                }
            }
            ends = next
        }
        return ends
    }

    /// Whether an element of one type is of another, as `ofType()` says: of primitives, none is another one.
    private static func isOf(_ type: TypeModel.TypeID, _ wanted: TypeModel.TypeID) -> Bool {
        TypeModel.r4.isPrimitive(wanted) ? type == wanted : TypeModel.r4.isSubtype(type, of: wanted)
    }

    /// The nodes of an element: a choice has one for each of its types.
    private mutating func children(named name: String, of node: Int, _ item: Int?) -> [Int]? {
        let model = TypeModel.r4
        let inside = nodes[node].type
        guard let number = model.elementIndex(named: name, of: inside) else { return nil }
        let declared = model.declaration(number)
        guard declared.isChoice else {
            guard let type = model.memberIndex(name, of: inside)?.type else { return nil }
            return [child(of: node, name, type, number, item)]
        }
        return declared.types.map { target in
            let type = model.name(of: target.type)
            return child(of: node, name + type.prefix(1).uppercased() + type.dropFirst(), target.type, number, item)
        }
    }

    private mutating func child(
        of node: Int, _ key: String, _ type: TypeModel.TypeID, _ declaration: Int32, _ item: Int?
    ) -> Int {
        if let edge = nodes[node].members[key]?.first(where: { $0.place == item }) { return edge.node }
        nodes.append(Node(type: type, declaration: declaration))
        nodes[node].add(Edge(node: nodes.count - 1, place: item), key)
        return nodes.count - 1
    }

    private mutating func refine(_ node: Int, _ condition: Refinement.Condition) -> Int {
        if let same = nodes[node].refinements.first(where: { $0.condition == condition }) { return same.node }
        nodes.append(Node(like: nodes[node]))
        nodes[node].refinements.append(Refinement(condition: condition, node: nodes.count - 1))
        return nodes.count - 1
    }
}

extension SearchTree.Node {
    /// A node for the same element.
    fileprivate init(like other: SearchTree.Node) {
        self.init(type: other.type, declaration: other.declaration)
    }
}
