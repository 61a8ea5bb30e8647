import FHIR
import FHIRPath

/// Where the index has what each search parameter of a resource type finds.
///
/// What the row of the record says, and what other parameters find already, has no entries of its own: `combo-code` is
/// `code` or `component-code`, and `code-value-quantity` of an Observation is `code` and `value-quantity` of the same one.
struct SearchLayout: Sendable {
    /// The place of one parameter's values.
    enum Place: Sendable, Hashable {
        /// The record's id.
        case id
        /// When the record was last changed.
        case lastUpdated
        /// The record's subject where that Patient is the one value; else entries, and a mark that they differ.
        case subject
        /// The record's time where the resource has one value; else entries.
        case time
        /// Entries of its own.
        case entries
        /// What any of these parameters finds, by their places in the tree.
        case union([Int])
        /// A composite: any of the ways.
        case composite([Way])
    }

    /// How the values of a composite are found.
    enum Way: Sendable, Hashable {
        /// The components are of the whole resource: any value of one goes with any of another.
        case together([Component])
        /// Entries that say which values belong together, under this parameter.
        case parts(Int)
    }

    /// Where the values of a component of the whole resource are.
    enum Component: Sendable, Hashable {
        /// Those of a parameter.
        case parameter(Int)
        /// Entries of its own, under the name of a parameter's component (``SearchTerm/component(_:of:)``).
        case entries(Int, of: Int)
    }

    let tree: SearchTree
    /// By the parameters' places in the tree.
    let places: [Place]

    /// The layout of a type; nil where R4 has no resources of the type.
    static func of(_ type: String) -> SearchLayout? { all[type] }

    private static let all: [String: SearchLayout] = Dictionary(
        uniqueKeysWithValues: TypeModel.r4.resourceTypes.compactMap { type in
            SearchTree.of(type).map { (type, SearchLayout($0)) }
        })

    /// The parameter whose value is the record's own time.
    static func timeParameter(of type: String) -> String {
        switch type {
        case "QuestionnaireResponse": "authored"
        case "Contract": "issued"
        default: "date"
        }
    }

    private init(_ tree: SearchTree) {
        self.tree = tree
        let selections = Selections(tree)
        places = tree.parameters.indices.map { selections.place(of: $0) }
    }

    /// The entries' parameters whose values are each another one, and which are found by their prints.
    static func isOfItsOwn(_ parameter: String) -> Bool { parameter == "identifier" }

    /// What a parameter selects, as places in the tree.
    private struct Selections {
        struct Selection: Hashable {
            let node: Int
            let kind: SearchParamType
        }

        let tree: SearchTree
        var ofParameters: [Set<Selection>]
        var ofSlots: [Set<Selection>]

        init(_ tree: SearchTree) {
            self.tree = tree
            ofParameters = Array(repeating: [], count: tree.parameters.count)
            ofSlots = Array(repeating: [], count: tree.slotCount)
            for (number, node) in tree.nodes.enumerated() {
                for leaf in node.leaves {
                    let selection = Selection(node: number, kind: leaf.kind)
                    for parameter in leaf.parameters { ofParameters[parameter].insert(selection) }
                    for slot in leaf.slots { ofSlots[slot].insert(selection) }
                }
            }
        }

        func place(of number: Int) -> Place {
            let parameter = tree.parameters[number]
            switch parameter.code {
            case "_id": return .id
            case "_lastUpdated": return .lastUpdated
            case "subject", "patient":
                if parameter.kind == .reference, tree.type != Patient.resourceType,
                    parameter.targets.contains(Patient.resourceType)
                {
                    return .subject
                }
            case SearchLayout.timeParameter(of: tree.type) where parameter.kind == .date: return .time
            default: break
            }
            if parameter.kind == .composite { return .composite(ways(of: number)) }
            return union(of: number).map { .union($0) } ?? .entries
        }

        /// The parameters that together select just what this one does; nil where there are none.
        private func union(of number: Int) -> [Int]? {
            let own = ofParameters[number]
            guard !own.isEmpty else { return nil }
            let code = tree.parameters[number].code
            if let same = ofParameters.firstIndex(of: own), same < number { return [same] }
            // Of two that select the same, the first has the entries.
            let parts = ofParameters.indices.filter { part in
                ofParameters[part].isStrictSubset(of: own) && !ofParameters[part].isEmpty
                    && ofParameters.firstIndex(of: ofParameters[part]) == part
                    && SearchLayout.isOfItsOwn(tree.parameters[part].code) == SearchLayout.isOfItsOwn(code)
            }
            let union = parts.reduce(into: Set<Selection>()) { $0.formUnion(ofParameters[$1]) }
            guard union == own else { return nil }
            // Those that lie within another one add nothing.
            return parts.filter { part in
                !parts.contains { ofParameters[part].isStrictSubset(of: ofParameters[$0]) }
            }
        }

        private func ways(of number: Int) -> [Way] {
            var ways: [Way] = []
            for (node, place) in tree.nodes.enumerated() {
                for composite in place.composites where composite.parameters.contains(number) {
                    if node == 0, let together = together(composite) {
                        ways.append(.together(together))
                    } else if let first = composite.parameters.first {
                        ways.append(.parts(first))
                    }
                }
            }
            return ways
        }

        private func together(_ composite: SearchTree.Composite) -> [Component]? {
            guard let first = composite.parameters.first,
                composite.components.allSatisfy({ $0.ofResource == nil })
            else { return nil }
            return composite.components.enumerated().map { place, component in
                let searched = withValues(ofSlots[component.slot])
                let same = ofParameters.firstIndex { withValues($0) == searched }
                return same.map { .parameter($0) } ?? .entries(place, of: first)
            }
        }

        /// Without what has no values that could be looked for, such as SampledData.
        private func withValues(_ selections: Set<Selection>) -> Set<Selection> {
            selections.filter { SearchedForm.of(tree.nodes[$0.node].type) != .other }
        }
    }
}
