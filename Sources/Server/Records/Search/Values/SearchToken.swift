/// A value of a token parameter (<https://hl7.org/fhir/R4/search.html#token>).
struct SearchToken: Sendable, Hashable {
    /// A code with its system, as ``SearchIndex/indexed(_:)`` has them.
    struct Coding: Sendable, Hashable {
        let system: String?
        let code: String?
    }

    /// The system, of a `code` the one that its binding implies; nil where there is none.
    var system: String?
    /// nil where there is a text or a system alone.
    var code: String?
    /// What `:text` looks into, folded: the text of a CodeableConcept or of an Identifier's type, the display of a
    /// Coding.
    var text: String?
    /// The types of an Identifier, for `:of-type`.
    var types: [Coding] = []
    /// Whether upper and lower case are the same; the code is in lower case then (``TokenCase``).
    var ignoresCase = false

    /// A code with its system, each as the index has it; nil where neither can be looked for.
    ///
    /// - Parameter ignoresCase: whether upper and lower case of the code are the same.
    init?(
        system: String? = nil, code: String?, text: String? = nil, types: [Coding] = [], ignoresCase: Bool = false
    ) {
        self.system = SearchToken.indexed(system)
        self.code = SearchToken.indexed(ignoresCase ? code.map(TokenCase.folded) : code)
        self.ignoresCase = ignoresCase
        self.text = text.flatMap { SearchString($0)?.folded }
        self.types = types
        if self.system == nil, self.code == nil, self.text == nil { return nil }
        // Without its system a code would be another one.
        if system != nil, self.system == nil { return nil }
    }

    /// A text as the index has it; nil for one that nobody can ask for.
    static func indexed(_ text: String?) -> String? {
        guard let text, !text.isEmpty, !hasZero(text) else { return nil }
        return SearchIndex.indexed(text)
    }

    /// Whether a text has a zero byte, which JSON permits and no column holds.
    static func hasZero(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(0) }
    }
}
