import FHIR
import FHIRPath

/// Collects the values of one resource while it is walked.
struct SearchValueBuilder: SearchTreeVisitor {
    private(set) var entries: [SearchValues.Entry] = []
    private(set) var present: [Bool]
    private(set) var shortened: Set<Int> = []

    private let tree: SearchTree
    private let resource: JSONObject
    private let limits: SearchValues.Limits
    private var counts: [Int]
    /// The values of one element, kept for its memory.
    private var values: [SearchValue] = []
    /// The values that composites have of the whole resource, by the component's node: each is found once.
    private var ofResource: [Int: [SearchValue]] = [:]

    init(_ tree: SearchTree, _ resource: JSONObject, _ limits: SearchValues.Limits) {
        self.tree = tree
        self.resource = resource
        self.limits = limits
        present = Array(repeating: false, count: tree.parameters.count)
        counts = Array(repeating: 0, count: tree.parameters.count)
        entries.reserveCapacity(32)
    }

    mutating func build() {
        // 1. What lies on the ways.
        let tree = self.tree
        var walk = SearchWalk(tree, resource)
        walk.walk(from: 0, .object(resource), &self)
        // 2. What is calculated.
        for evaluated in tree.evaluated { evaluate(evaluated) }
    }

    mutating func visit(_ node: SearchTree.Node, _ value: JSON) {
        for leaf in node.leaves {
            values.removeAll(keepingCapacity: true)
            SearchValueReader.append(leaf.kind, value, of: node, to: &values)
            for parameter in leaf.parameters {
                present[parameter] = true
                for value in values { add(value, parameter) }
            }
        }
        for composite in node.composites { visit(composite, value) }
    }

    private mutating func add(_ value: SearchValue, _ parameter: Int) {
        guard counts[parameter] < limits.perParameter, entries.count < limits.perResource else {
            shortened.insert(parameter)
            return
        }
        counts[parameter] += 1
        entries.append(SearchValues.Entry(parameter: parameter, value: value))
    }

    private mutating func evaluate(_ evaluated: SearchTree.Evaluated) {
        let element = TypedElement(resource: resource)
        guard let found = try? evaluated.expression.evaluate(element) else { return }
        values.removeAll(keepingCapacity: true)
        for item in found {
            switch item {
            case .element(let element):
                SearchValueReader.append(
                    evaluated.kind, element.value, type: element.type, declaration: element.declaration, to: &values)
            case .boolean(let truth):
                SearchValueReader.append(evaluated.kind, .bool(truth), type: SearchValueBuilder.boolean, to: &values)
            case .string(let text):
                SearchValueReader.append(evaluated.kind, .string(text), type: SearchValueBuilder.string, to: &values)
            default: break
            }
        }
        if !found.isEmpty { present[evaluated.parameter] = true }
        for value in values { add(value, evaluated.parameter) }
    }

    private static let boolean = TypeModel.r4.type("boolean") ?? .unknown
    private static let string = TypeModel.r4.type("string") ?? .unknown

    // MARK: Composites

    private mutating func visit(_ composite: SearchTree.Composite, _ value: JSON) {
        // 1. The values of each component; without one of them there is no value of the whole.
        var parts: [[SearchValue]] = []
        // The value is mostly the one that is missing, and it stands behind the code.
        for component in composite.components.reversed() {
            let found = self.values(of: component, in: value)
            if found.isEmpty { return }
            parts.append(found)
        }
        // 2. Each with each, the last component's turning fastest.
        parts.reverse()
        var places = Array(repeating: 0, count: parts.count)
        while true {
            let whole = SearchValue.composite(zip(parts, places).map { $0[$1] })
            for parameter in composite.parameters {
                present[parameter] = true
                add(whole, parameter)
            }
            if composite.parameters.allSatisfy({ shortened.contains($0) }) { return }
            var turning = parts.count - 1
            while turning >= 0 {
                places[turning] += 1
                if places[turning] < parts[turning].count { break }
                places[turning] = 0
                turning -= 1
            }
            if turning < 0 { return }
        }
    }

    private mutating func values(of component: SearchTree.Component, in value: JSON) -> [SearchValue] {
        if component.isOfResource, let known = ofResource[component.node] { return known }
        var collector = ComponentCollector(limit: limits.perParameter)
        var walk = SearchWalk(tree, resource)
        walk.walk(from: component.node, component.isOfResource ? .object(resource) : value, &collector)
        if component.isOfResource { ofResource[component.node] = collector.values }
        return collector.values
    }
}

/// Collects the values of one component of a composite.
private struct ComponentCollector: SearchTreeVisitor {
    let limit: Int
    var values: [SearchValue] = []

    mutating func visit(_ node: SearchTree.Node, _ value: JSON) {
        guard values.count < limit else { return }
        for leaf in node.leaves { SearchValueReader.append(leaf.kind, value, of: node, to: &values) }
    }
}

extension SearchValueReader {
    /// Appends the values of an element that stands at a node; of a resource, its own type counts.
    static func append(
        _ kind: SearchParamType, _ value: JSON, of node: SearchTree.Node, to output: inout [SearchValue]
    ) {
        append(kind, value, type: node.type, declaration: node.declaration, to: &output)
    }
}
