/// A value of a token parameter (<https://hl7.org/fhir/R4/search.html#token>).
package struct SearchToken: Sendable, Hashable {
    /// A code with its system, in the form of ``SearchIndex/indexed(_:)``.
    package struct Coding: Sendable, Hashable {
        package let system: String?
        package let code: String?
    }

    /// The system; for a `code` the one that its binding implies; nil where there is none.
    package var system: String?
    /// nil where there is only a text or a system.
    package var code: String?
    /// The folded text for `:text`: the text of a CodeableConcept or of an Identifier's type, or the display of a
    /// Coding.
    package var text: String?
    /// The types of an Identifier, for `:of-type`.
    package var types: [Coding] = []
    /// Whether case is ignored; the code is in lower case then (``TokenCase``).
    package var ignoresCase = false

    /// Creates a token in the form of the index; nil where it cannot be searched for.
    ///
    /// - Parameter ignoresCase: whether the case of the code is ignored.
    package init?(
        system: String? = nil, code: String?, text: String? = nil, types: [Coding] = [], ignoresCase: Bool = false
    ) {
        self.system = SearchToken.indexed(system)
        self.code = SearchToken.indexed(ignoresCase ? code.map(TokenCase.folded) : code)
        self.ignoresCase = ignoresCase
        self.text = text.flatMap { SearchString($0)?.folded }
        self.types = types
        if self.system == nil, self.code == nil, self.text == nil { return nil }
        // Without its system the code would have another meaning.
        if system != nil, self.system == nil { return nil }
    }

    /// Returns a text in the form of the index; nil where it cannot be searched for.
    package static func indexed(_ text: String?) -> String? {
        guard let text, !text.isEmpty, !hasZero(text) else { return nil }
        return SearchIndex.indexed(text)
    }

    /// Whether a text has a zero byte, which JSON permits and columns do not.
    package static func hasZero(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(0) }
    }
}
