import FHIR

/// A visitor of the elements that search parameters select.
protocol SearchTreeVisitor {
    /// Visits an element, before its children.
    ///
    /// - Parameter value: the element; never an array and never null.
    mutating func visit(_ node: SearchTree.Node, _ value: JSON)

    /// Leaves an element with composites, after its children.
    mutating func leave(_ node: SearchTree.Node)
}

/// A walk through a resource. Its time is proportional to the size of the resource and to the number of paths through
/// it.
struct SearchWalk {
    let tree: SearchTree
    let resource: JSONObject
    /// The types of the contained resources by id; nil until a reference needs one.
    private var contained: [String: String]?

    init(_ tree: SearchTree, _ resource: JSONObject) {
        self.tree = tree
        self.resource = resource
    }

    /// Visits the elements that are selected at a node and below it.
    mutating func walk(from node: Int, _ value: JSON, _ visitor: inout some SearchTreeVisitor) {
        let here = tree.nodes[node]
        visitor.visit(here, value)
        for refinement in here.refinements where holds(refinement.condition, of: value) {
            walk(from: refinement.node, value, &visitor)
        }
        if !here.names.isEmpty, case .object(let object) = value { walk(members: object, of: here, &visitor) }
        if !here.composites.isEmpty { visitor.leave(here) }
    }

    private mutating func walk(
        members object: JSONObject, of here: SearchTree.Node, _ visitor: inout some SearchTreeVisitor
    ) {
        if here.names.count < 4 {
            for name in here.names {
                guard let value = object[name], let edges = here.members[name] else { continue }
                for edge in edges { follow(edge, value, &visitor) }
            }
            return
        }
        for member in object.members {
            guard let edges = here.members[member.key] else { continue }
            for edge in edges { follow(edge, member.value, &visitor) }
        }
    }

    private mutating func follow(_ edge: SearchTree.Edge, _ value: JSON, _ visitor: inout some SearchTreeVisitor) {
        switch value {
        case .null: break
        case .array(let items):
            if let place = edge.place {
                if items.indices.contains(place), !items[place].isNull {
                    walk(from: edge.node, items[place], &visitor)
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
            if edge.place ?? 0 == 0 { walk(from: edge.node, value, &visitor) }
        }
    }

    private mutating func holds(_ condition: SearchTree.Refinement.Condition, of value: JSON) -> Bool {
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
