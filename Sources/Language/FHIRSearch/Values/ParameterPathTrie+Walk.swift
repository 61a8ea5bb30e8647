import FHIR

/// A visitor of the elements that search parameters select.
protocol ParameterPathTrieVisitor {
    /// Visits an element, before its children.
    ///
    /// - Parameter value: the element; never an array and never null.
    mutating func visit(_ node: ParameterPathTrie.Node, _ value: JSON)

    /// Leaves an element with composites, after its children.
    mutating func leave(_ node: ParameterPathTrie.Node)
}

/// A walk through a resource. Its time is proportional to the size of the resource and to the number of paths through
/// it.
struct SearchWalk {
    let tree: ParameterPathTrie
    let resource: JSONObject
    /// The types of the contained resources by id; nil until a reference needs one.
    private var contained: [String: String]?

    init(_ tree: ParameterPathTrie, _ resource: JSONObject) {
        self.tree = tree
        self.resource = resource
    }

    /// Visits the elements that are selected at a node and below it.
    mutating func walk(from node: Int, _ value: JSON, _ visitor: inout some ParameterPathTrieVisitor) {
        let here = tree.nodes[node]
        visitor.visit(here, value)
        for refinement in here.refinements where holds(refinement.condition, of: value) {
            walk(from: refinement.node, value, &visitor)
        }
        if !here.names.isEmpty, case .object(let object) = value { walk(members: object, of: here, &visitor) }
        if !here.composites.isEmpty { visitor.leave(here) }
    }

    private mutating func walk(
        members object: JSONObject, of here: ParameterPathTrie.Node, _ visitor: inout some ParameterPathTrieVisitor
    ) {
        if here.names.count < 4 {
            for name in here.names {
                guard let value = object[name], let edges = here.members[name] else { continue }
                for edge in edges { follow(edge, to: value, with: &visitor) }
            }
            return
        }
        for member in object.members {
            guard let edges = here.members[member.key] else { continue }
            for edge in edges { follow(edge, to: member.value, with: &visitor) }
        }
    }

    private mutating func follow(
        _ edge: ParameterPathTrie.Edge, to value: JSON, with visitor: inout some ParameterPathTrieVisitor
    ) {
        switch value {
        case .null: break
        case .array(let items):
            if let index = edge.index {
                if items.indices.contains(index), !items[index].isNull {
                    walk(from: edge.node, items[index], &visitor)
                }
                return
            }
            for item in items {
                // FHIR has no arrays of arrays.
                switch item {
                case .null, .array: break
                default: walk(from: edge.node, item, &visitor)
                }
            }
        default:
            if edge.index ?? 0 == 0 { walk(from: edge.node, value, &visitor) }
        }
    }

    private mutating func holds(_ condition: ParameterPathTrie.Refinement.Condition, of value: JSON) -> Bool {
        guard case .object(let object) = value else { return false }
        switch condition {
        case .member(let name, let text): return object[name]?.string == text
        case .hasExtension(let url):
            return object["extension"]?.array?.contains { $0["url"]?.string == url } ?? false
        case .resolves(let type): return typeName(ofTarget: object) == type
        }
    }

    // MARK: References

    /// Returns the type of a reference's target: from its text, or from the contained resource, otherwise from its
    /// `type` (<https://hl7.org/fhir/R4/references.html#Reference>).
    private mutating func typeName(ofTarget reference: JSONObject) -> String? {
        if let text = reference["reference"]?.string {
            if text.hasPrefix("#") { return text == "#" ? tree.type : containedTypes()[String(text.dropFirst())] }
            if let literal = LiteralReference(text) { return literal.type }
        }
        return reference["type"]?.string.map(Reference.typeName(stated:))
    }

    private mutating func containedTypes() -> [String: String] {
        if let contained { return contained }
        var types: [String: String] = [:]
        for item in resource["contained"]?.array ?? [] {
            guard let id = item["id"]?.string, let type = item["resourceType"]?.string else { continue }
            if types[id] == nil { types[id] = type }
        }
        contained = types
        return types
    }
}
