import FHIR
import FHIRPath

/// Collects the values of one resource during its walk.
struct SearchValueBuilder: ParameterPathTrieVisitor {
    private(set) var entries: [SearchValues.Entry] = []
    private(set) var present: [Bool]
    private(set) var shortened: Set<Int> = []

    private let tree: ParameterPathTrie
    private let resource: JSONObject
    private let limits: SearchValues.Limits
    private var counts: [Int]
    /// The values of one element; the array is reused.
    private var values: [SearchValue] = []
    /// The values of the components of composites, by slot.
    private var slots: [[SearchValue]]
    /// The slots whose values exceeded the limit.
    private var cut: Set<Int> = []
    /// The slots of whole-resource components that are already filled.
    private var found: Set<Int> = []

    init(_ tree: ParameterPathTrie, resource: JSONObject, limits: SearchValues.Limits) {
        self.tree = tree
        self.resource = resource
        self.limits = limits
        present = Array(repeating: false, count: tree.parameters.count)
        counts = Array(repeating: 0, count: tree.parameters.count)
        slots = Array(repeating: [], count: tree.slotCount)
        entries.reserveCapacity(32)
    }

    mutating func build() {
        // 1. The elements on the paths.
        let tree = self.tree
        var walk = SearchWalk(tree, resource)
        walk.walk(from: 0, .object(resource), &self)
        // 2. The URL of a definition with its version, in the form of references to it.
        if let url = tree.definitionURL, let text = resource["url"]?.string, let version = resource["version"]?.string,
            let whole = SearchToken.indexed(CanonicalURL(url: text, version: version).text)
        {
            add(.uri(whole), url)
        }
        // 3. The evaluated expressions.
        for evaluated in tree.evaluated { evaluate(evaluated) }
    }

    mutating func visit(_ node: ParameterPathTrie.Node, _ value: JSON) {
        for leaf in node.leaves {
            values.removeAll(keepingCapacity: true)
            SearchValueReader.append(
                leaf.kind, value, type: node.type, declaration: node.declaration, to: &values)
            for parameter in leaf.parameters {
                present[parameter] = true
                for value in values { add(value, parameter) }
            }
            for slot in leaf.slots {
                let room = limits.perParameter - slots[slot].count
                slots[slot] += room < values.count ? values.prefix(max(0, room)) : values[...]
                if room < values.count { cut.insert(slot) }
            }
        }
    }

    /// Adds a value; false where the limits are reached.
    @discardableResult
    private mutating func add(_ value: SearchValue, _ parameter: Int) -> Bool {
        guard counts[parameter] < limits.perParameter, entries.count < limits.perResource else {
            shortened.insert(parameter)
            return false
        }
        counts[parameter] += 1
        entries.append(SearchValues.Entry(parameter: parameter, value: value))
        return true
    }

    private mutating func evaluate(_ evaluated: ParameterPathTrie.Evaluated) {
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

    mutating func leave(_ node: ParameterPathTrie.Node) {
        for composite in node.composites { add(composite) }
        // The next element forms other values.
        for composite in node.composites {
            for component in composite.components where component.ofResource == nil {
                slots[component.slot].removeAll(keepingCapacity: true)
                cut.remove(component.slot)
            }
        }
    }

    private mutating func add(_ composite: ParameterPathTrie.Composite) {
        // 1. The values of each component. A composite without one of them has no value.
        var parts: [[SearchValue]] = []
        for component in composite.components {
            if let start = component.ofResource { find(component, from: start) }
            guard !slots[component.slot].isEmpty else { return }
        }
        for component in composite.components {
            parts.append(slots[component.slot])
            if cut.contains(component.slot) { shortened.formUnion(composite.parameters) }
        }
        // 2. All combinations; the index of the last component changes fastest.
        var combination = Array(repeating: 0, count: parts.count)
        repeat {
            let whole = SearchValue.composite(zip(parts, combination).map { $0[$1] })
            var isKept = false
            for parameter in composite.parameters {
                present[parameter] = true
                if add(whole, parameter) { isKept = true }
            }
            guard isKept else { return }
        } while SearchValueBuilder.advance(&combination, in: parts)
    }

    /// Advances to the next indices; false after the last ones.
    private static func advance(_ combination: inout [Int], in parts: [[SearchValue]]) -> Bool {
        for index in combination.indices.reversed() {
            combination[index] += 1
            if combination[index] < parts[index].count { return true }
            combination[index] = 0
        }
        return false
    }

    /// Finds the values of a component in the whole resource, once.
    private mutating func find(_ component: ParameterPathTrie.Component, from start: Int) {
        guard found.insert(component.slot).inserted else { return }
        let tree = self.tree
        var walk = SearchWalk(tree, resource)
        walk.walk(from: start, .object(resource), &self)
    }
}
