import Core

/// One value that is asked for: what values of a resource are compared with (<https://hl7.org/fhir/R4/search.html#ptypes>).
enum SearchComparand: Sendable, Hashable {
    /// How the system of a token is asked for.
    enum System: Sendable, Hashable {
        /// `code`
        case any
        /// `|code`
        case none
        /// `system|code`
        case named(String)
    }

    /// A code, an identifier's value: `code`, `system|code`, `|code`, `system|`.
    struct Token: Sendable, Hashable {
        let system: System
        /// nil for any code of the system.
        let code: String?
        /// The code as codes without case are compared (``TokenCase``).
        let lowercased: String?
    }

    /// Codes of one system, as ``SearchIndex/indexed(_:)`` has them.
    struct Codes: Sendable, Hashable {
        let system: String
        let codes: Set<String>
        /// The codes as codes without case are compared (``TokenCase``).
        let lowercased: Set<String>

        init(system: String, codes: some Sequence<String>) {
            self.system = SearchIndex.indexed(system)
            self.codes = Set(codes.map(SearchIndex.indexed))
            lowercased = Set(codes.map { SearchIndex.indexed(TokenCase.folded($0)) })
        }
    }

    /// How the unit of a quantity is asked for.
    enum Unit: Sendable, Hashable {
        /// `5.4`
        case any
        /// `5.4||mg`: the code or the text of the unit.
        case written(String)
        /// `5.4|http://unitsofmeasure.org|mg`
        case coded(system: String, code: String)
    }

    struct Quantity: Sendable, Hashable {
        let number: SearchNumber
        let unit: Unit
        /// The same in UCUM's base units, where the unit is one of UCUM.
        let canonical: SearchQuantity.Canonical?
    }

    struct Reference: Sendable, Hashable {
        /// nil where any type is asked for.
        let type: String?
        let id: String?
        /// The server where the resource is; nil for this one.
        let base: String?
        /// What is no `Type/id`: an URN or the URL of a definition.
        let url: String?
        let version: String?
        /// Our own base URLs, which absolute references to this server begin with.
        let ownBases: [String]
    }

    /// `:missing`
    case missing(Bool)
    case token(Token)
    /// `:of-type`, `system|code|value`; the value also as values without case are compared.
    case typed(SearchToken.Coding, value: String, lowercased: String)
    /// `:in` and `:not-in`: the URL of a value set.
    case valueSet(String)
    /// Codes of a system, any of them: what a value set or a code's place in its system came to.
    case codes(Codes)
    /// A begin, folded.
    case begin(String)
    /// `:contains`, folded.
    case part(String)
    /// `:exact`, as ``SearchIndex/indexed(_:)`` has it.
    case exact(String)
    /// `:text` of tokens: a begin of the text, folded.
    case tokenText(String)
    case date(SearchPrefix, SearchPeriod)
    case number(SearchPrefix, SearchNumber)
    case quantity(SearchPrefix, Quantity)
    case reference(Reference)
    /// `:identifier`
    case identifier(Token)
    case uri(String)
    case composite([SearchComparand])
}
