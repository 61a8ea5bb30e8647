import Core

/// One value of a search, with which values of a resource are compared (<https://hl7.org/fhir/R4/search.html#ptypes>).
package enum SearchComparand: Sendable, Hashable {
    /// The system of a token in a search.
    package enum System: Sendable, Hashable {
        /// `code`
        case any
        /// `|code`
        case none
        /// `system|code`
        case named(String)
    }

    /// A code, an identifier's value: `code`, `system|code`, `|code`, `system|`.
    package struct Token: Sendable, Hashable {
        package let system: System
        /// nil for any code of the system.
        package let code: String?
        /// The code as it is compared where case is ignored (``TokenCase``).
        package let lowercased: String?

        /// Creates the value from its parts.
        package init(system: System, code: String?, lowercased: String?) {
            self.system = system
            self.code = code
            self.lowercased = lowercased
        }
    }

    /// Codes of one system, in the form of ``SearchIndex/indexed(_:)``.
    package struct Codes: Sendable, Hashable {
        package let system: String
        package let codes: Set<String>
        /// The codes as they are compared where case is ignored (``TokenCase``).
        package let lowercased: Set<String>

        package init(system: String, codes: some Sequence<String>) {
            self.system = SearchIndex.indexed(system)
            self.codes = Set(codes.map(SearchIndex.indexed))
            lowercased = Set(codes.map { SearchIndex.indexed(TokenCase.folded($0)) })
        }
    }

    /// The unit of a quantity in a search.
    package enum Unit: Sendable, Hashable {
        /// `5.4`
        case any
        /// `5.4||mg`: the code or the text of the unit.
        case written(String)
        /// `5.4|http://unitsofmeasure.org|mg`
        case coded(system: String, code: String)
    }

    package struct Quantity: Sendable, Hashable {
        package let number: SearchNumber
        package let unit: Unit
        /// The quantity in UCUM's base units, where the unit is one of UCUM.
        package let canonical: SearchQuantity.Canonical?
    }

    package struct Reference: Sendable, Hashable {
        /// nil for any type.
        package let type: String?
        package let id: String?
        /// The base URL of the resource's server; nil for this one.
        package let base: String?
        /// A reference that is not `Type/id`: a URN or the URL of a definition.
        package let url: String?
        package let version: String?
        /// The server's own base URLs, with which absolute references to this server begin.
        package let ownBases: [String]
    }

    /// `:missing`
    case missing(Bool)
    case token(Token)
    /// `:of-type`, `system|code|value`; with the value as it is compared where case is ignored.
    case typed(SearchToken.Coding, value: String, lowercased: String)
    /// `:in` and `:not-in`: the URL of a value set.
    case valueSet(String)
    /// Any of several codes of a system: the expansion of a value set, or of a code with its hierarchy.
    case codes(Codes)
    /// A prefix, folded.
    case begin(String)
    /// `:contains`, folded.
    case part(String)
    /// `:exact`, in the form of ``SearchIndex/indexed(_:)``.
    case exact(String)
    /// `:text` of tokens: a prefix of the text, folded.
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
