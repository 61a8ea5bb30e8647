import FHIR
import FHIRSearch
import HealthTypes

extension SearchValues {
    /// Creates the values of a resource as the records' index has them: with those of its health type.
    ///
    /// - Returns: nil for a type that R4 does not define.
    package init?(indexing resource: Resource) {
        self.init(of: resource) { Self.healthTypeEntries($0, with: $1, in: $2) }
    }

    /// Returns the values with which searches find an Observation under HealthKit's code of its health type, where
    /// another code determines the type (``HealthTypes/HealthTypeTable/match(_:)``). A search by type and the summary
    /// of streams then include it.
    ///
    /// - Parameter entries: the values of the resource itself.
    private static func healthTypeEntries(
        _ resource: Resource, with entries: [Entry], in tree: ParameterPathTrie
    ) -> [Entry] {
        guard let observation = resource.as(Observation.self) else { return [] }
        let whole = Aliases(of: observation.code.map { [$0] } ?? [])
        let parts = Aliases(of: observation.component.compactMap(\.code))
        guard !whole.isEmpty || !parts.isEmpty else { return [] }
        var added: [Entry] = []
        var seen: Set<Entry> = []
        func add(_ value: SearchValue, _ parameter: Int) {
            let entry = Entry(parameter: parameter, value: value)
            if seen.insert(entry).inserted { added.append(entry) }
        }
        for entry in entries {
            let aliases: [Aliases]
            switch parameters[tree.parameters[entry.parameter].code] {
            case .whole: aliases = [whole]
            case .parts: aliases = [parts]
            case .both: aliases = [whole, parts]
            case nil: continue
            }
            for alias in aliases {
                switch entry.value {
                case .token(let token):
                    if let type = alias[token] { add(.token(type), entry.parameter) }
                case .composite(var values):
                    guard case .token(let token)? = values.first, let type = alias[token] else { continue }
                    values[0] = .token(type)
                    add(.composite(values), entry.parameter)
                default: continue
                }
            }
        }
        return added
    }

    /// The codes that a parameter of Observation searches: the Observation's own, its components', or all.
    private enum Scope { case whole, parts, both }

    private static let parameters: [String: Scope] = [
        "code": .whole, "code-value-concept": .whole, "code-value-date": .whole, "code-value-quantity": .whole,
        "code-value-string": .whole, "component-code": .parts, "component-code-value-concept": .parts,
        "component-code-value-quantity": .parts, "combo-code": .both, "combo-code-value-concept": .both,
        "combo-code-value-quantity": .both,
    ]

    /// HealthKit's codes, by the codes that determine the type.
    private struct Aliases {
        private struct Key: Hashable {
            let system: String?
            let code: String?

            init(_ token: SearchToken) { (system, code) = (token.system, token.code) }
        }

        private var types: [Key: SearchToken] = [:]

        init(of concepts: [CodeableConcept]) {
            for concept in concepts {
                let codings = concept.coding
                guard let (type, index) = HealthTypeTable.standard.match(codings),
                    !codings.contains(where: { $0.system == HealthCodeSystem.healthKit && $0.code == type.identifier }),
                    let token = SearchValueReader.token(system: codings[index].system, code: codings[index].code)
                else { continue }
                types[Key(token)] = SearchToken(system: HealthCodeSystem.healthKit, code: type.identifier)
            }
        }

        var isEmpty: Bool { types.isEmpty }

        subscript(_ token: SearchToken) -> SearchToken? { types[Key(token)] }
    }
}
