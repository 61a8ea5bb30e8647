import FHIRSearch

/// A row of `search_term`, which has a number in the store so that entries refer to it: a system and a code by which
/// resources of a type are found, with the display text. For values that are not codes it contains only the parameter.
///
/// A class, because thousands of entries that are made together share an instance and are passed on without copies.
package final class SearchTerm: Hashable, Sendable {
    /// The kind of an entry of a parameter, apart from its plain values.
    package enum Aspect: String, Sendable, CaseIterable {
        case plain = ""
        /// A code that is not case-sensitive, in lower case (``TokenCase``).
        case lowercase = ":lowercase"
        /// The type of an identifier, with the digest of its value.
        case ofType = ":of-type"
        /// A reference by an identifier.
        case identifier = ":identifier"
        /// A reference by a URL; the system is its version.
        case url = ":url"
        /// A reference to another server: the system is its base, the code `Type/id`.
        case remote = ":remote"
        /// A quantity in UCUM's base units, where the unit is not a ratio of them; the code is the base unit.
        case canonical = ":canonical"
        /// An element has a value that cannot be searched for.
        case present = ":present"
        /// The values are not the record's subject, or not only it.
        case differing = ":differing"
    }

    package let type: String
    /// The parameter's code, followed by the aspect.
    package let parameter: String
    /// Empty where there is none.
    package let system: String
    /// Empty where there is none.
    package let code: String
    /// Empty where there is none.
    package let text: String
    /// Computed at creation, outside the transaction that looks up the term.
    private let hash: Int

    package init(
        type: String, parameter: String, _ aspect: Aspect = .plain, system: String? = nil, code: String? = nil,
        text: String? = nil
    ) {
        self.type = type
        self.parameter = aspect == .plain ? parameter : parameter + aspect.rawValue
        self.system = system ?? ""
        self.code = code ?? ""
        self.text = text.map(SearchTerm.shortened) ?? ""
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(self.parameter)
        hasher.combine(self.system)
        hasher.combine(self.code)
        hasher.combine(self.text)
        hash = hasher.finalize()
    }

    /// Returns the parameter name of a composite's component.
    package static func component(_ index: Int, of parameter: String) -> String { "\(parameter)$\(index)" }

    /// Shortens a text to its indexed length: a key of PostgreSQL's index contains it with a system and a code.
    package static func shortened(_ text: String) -> String { SearchString.shortened(text, to: longestText) }

    private static let longestText = 500

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Compares the bytes, as the store does: texts that only look the same have numbers of their own.
    package static func == (left: SearchTerm, right: SearchTerm) -> Bool {
        left === right
            || left.hash == right.hash && left.code.utf8.elementsEqual(right.code.utf8)
                && left.system.utf8.elementsEqual(right.system.utf8) && left.text.utf8.elementsEqual(right.text.utf8)
                && left.parameter == right.parameter && left.type == right.type
    }
}
