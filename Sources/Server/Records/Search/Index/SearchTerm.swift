/// What is numbered once in the store (`search_term`), so that an entry has a number for it: a system and a code that
/// resources of a type are found by, with the text that people read; of values that are no codes, the parameter alone.
///
/// It is a class, as thousands of entries that are made together have one and are moved from hand to hand.
final class SearchTerm: Hashable, Sendable {
    /// What entries of a parameter are apart from its plain values.
    enum Aspect: String, Sendable, CaseIterable {
        case plain = ""
        /// A code that is found without regard to case, in lower case (``TokenCase``).
        case lowercase = ":lowercase"
        /// The type of an identifier, with the print of its value.
        case ofType = ":of-type"
        /// A reference by an identifier.
        case identifier = ":identifier"
        /// A reference that is a URL; the system is its version.
        case url = ":url"
        /// A reference to another server: the system is its base, the code `Type/id`.
        case remote = ":remote"
        /// A quantity in UCUM's base units, where the unit is no ratio of them; the code is the base unit.
        case canonical = ":canonical"
        /// There is an element with a value, of which nothing can be looked for.
        case present = ":present"
        /// The values are not the record's subject, or not that alone.
        case differing = ":differing"
    }

    let type: String
    /// The parameter's code with the aspect behind it.
    let parameter: String
    /// Empty where there is none.
    let system: String
    /// Empty where there is none.
    let code: String
    /// Empty where there is none.
    let text: String
    /// Computed where the term is made, beside the transaction that looks it up.
    private let hash: Int

    init(
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

    /// The name of a composite's component among the parameters.
    static func component(_ place: Int, of parameter: String) -> String { "\(parameter)$\(place)" }

    /// As much of a text as is kept: a key of PostgreSQL's index holds it beside a system and a code.
    static func shortened(_ text: String) -> String { SearchString.shortened(text, to: longestText) }

    private static let longestText = 500

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// By their bytes, as the store compares them: texts that only look the same have numbers of their own.
    static func == (left: SearchTerm, right: SearchTerm) -> Bool {
        left === right
            || left.hash == right.hash && left.code.utf8.elementsEqual(right.code.utf8)
                && left.system.utf8.elementsEqual(right.system.utf8) && left.text.utf8.elementsEqual(right.text.utf8)
                && left.parameter == right.parameter && left.type == right.type
    }
}
