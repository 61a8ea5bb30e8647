import FHIR
import FHIRPath

/// The locations in the index of the values of each search parameter of a resource type.
///
/// Values in the record's row, and values that other parameters find already, have no entries of their own:
/// `combo-code` is `code` or `component-code`, and `code-value-quantity` of an Observation is `code` and
/// `value-quantity` of the same one.
package struct SearchLayout: Sendable {
    /// The location of one parameter's values.
    package enum Location: Sendable, Hashable {
        /// The record's id.
        case id
        /// The record's time of update.
        case lastUpdated
        /// The record's subject where that Patient is the only value; otherwise entries, and a mark that they differ
        /// from the subject.
        case subject
        /// The record's time where the resource has one value; otherwise entries.
        case time
        /// Entries of its own.
        case entries
        /// The values of any of these parameters, by their indices in the tree.
        case union([Int])
        /// A composite: its values are found in any of these ways.
        case composite([Way])
    }

    /// A way to find the values of a composite.
    package enum Way: Sendable, Hashable {
        /// The components belong to the whole resource: any value of one combines with any of another.
        case together([Component])
        /// Entries under this parameter that record which values belong together.
        case parts(Int)
    }

    /// The location of the values of a component of the whole resource.
    package enum Component: Sendable, Hashable {
        /// The values of a parameter.
        case parameter(Int)
        /// Entries of its own, with the name of a parameter's component (``SearchTerm/component(_:of:)``).
        case entries(Int, of: Int)
    }

    package let tree: ParameterPathTrie
    /// By the parameters' indices in the tree.
    package let locations: [Location]

    /// Returns the layout of a type; nil where R4 has no resources of the type.
    package static func of(_ type: String) -> SearchLayout? { all[type] }

    private static let all: [String: SearchLayout] = Dictionary(
        uniqueKeysWithValues: TypeModel.r4.resourceTypes.compactMap { type in
            ParameterPathTrie.of(type).map { (type, SearchLayout($0)) }
        })

    /// Returns the parameter whose value is the time in the record's row.
    static func timeParameter(of type: String) -> String {
        switch type {
        case "QuestionnaireResponse": "authored"
        case "Contract": "issued"
        default: "date"
        }
    }

    private init(_ tree: ParameterPathTrie) {
        self.tree = tree
        let selections = Selections(tree)
        locations = tree.parameters.indices.map { selections.location(of: $0) }
    }

    /// Whether the values of a parameter are nearly all different, and are found by their digests.
    package static func isOfItsOwn(_ parameter: String) -> Bool { parameter == "identifier" }

    /// The selections of each parameter, as nodes of the tree.
    private struct Selections {
        struct Selection: Hashable {
            let node: Int
            let kind: SearchParamType
        }

        let tree: ParameterPathTrie
        var ofParameters: [Set<Selection>]
        var ofSlots: [Set<Selection>]

        init(_ tree: ParameterPathTrie) {
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

        func location(of number: Int) -> Location {
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

        /// Returns the parameters that together select exactly the same values; nil where there are none.
        private func union(of number: Int) -> [Int]? {
            let own = ofParameters[number]
            guard !own.isEmpty else { return nil }
            let code = tree.parameters[number].code
            if let same = ofParameters.firstIndex(of: own), same < number { return [same] }
            // Of two parameters with the same selection, the first has the entries.
            let parts = ofParameters.indices.filter { part in
                ofParameters[part].isStrictSubset(of: own) && !ofParameters[part].isEmpty
                    && ofParameters.firstIndex(of: ofParameters[part]) == part
                    && SearchLayout.isOfItsOwn(tree.parameters[part].code) == SearchLayout.isOfItsOwn(code)
            }
            let union = parts.reduce(into: Set<Selection>()) { $0.formUnion(ofParameters[$1]) }
            guard union == own else { return nil }
            // A selection within another one adds nothing.
            return parts.filter { part in
                !parts.contains { ofParameters[part].isStrictSubset(of: ofParameters[$0]) }
            }
        }

        private func ways(of number: Int) -> [Way] {
            var ways: [Way] = []
            for (index, node) in tree.nodes.enumerated() {
                for composite in node.composites where composite.parameters.contains(number) {
                    if index == 0, let together = together(composite) {
                        ways.append(.together(together))
                    } else if let first = composite.parameters.first {
                        ways.append(.parts(first))
                    }
                }
            }
            return ways
        }

        private func together(_ composite: ParameterPathTrie.Composite) -> [Component]? {
            guard let first = composite.parameters.first,
                composite.components.allSatisfy({ $0.ofResource == nil })
            else { return nil }
            return composite.components.enumerated().map { index, component in
                let searched = withValues(ofSlots[component.slot])
                let same = ofParameters.firstIndex { withValues($0) == searched }
                return same.map { .parameter($0) } ?? .entries(index, of: first)
            }
        }

        /// Removes selections without searchable values, such as SampledData.
        private func withValues(_ selections: Set<Selection>) -> Set<Selection> {
            selections.filter { SearchValueType.of(tree.nodes[$0.node].type) != .other }
        }
    }
}
