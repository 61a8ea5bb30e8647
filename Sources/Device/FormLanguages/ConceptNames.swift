import FHIR

/// All texts of one code: its display texts and designations in every language.
///
/// Two texts are equal if they differ only in case and in white space
/// (<https://hl7.org/fhir/R4/datatypes.html#Coding>).
package struct ConceptNames: Sendable, Hashable {
    private var texts: Set<String> = []

    /// Returns whether a text is one of the texts of the code.
    package func contains(_ text: String) -> Bool { texts.contains(Self.normalized(text)) }

    fileprivate mutating func insert(_ text: String?) {
        if let text { texts.insert(Self.normalized(text)) }
    }

    private static func normalized(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension ConceptTexts {
    /// Returns the texts that an answer with a coding can have as its display; nil if no value set or code system that
    /// is available has a display text of the code. FHIR R4's own value sets are not used without their designations.
    ///
    /// - Parameter set: the value set of the question; nil if it has options of its own.
    package func names(of coding: Coding, inSet set: String?) -> ConceptNames? {
        guard let code = coding.code else { return nil }
        var entries = coding.system.flatMap { self.entries(ofSystem: $0)[code] } ?? []
        if let set { entries += self.entries(ofSet: set)[Key(system: coding.system, code: code)] ?? [] }
        // A supplement can have designations of a code, and not its display text.
        guard entries.contains(where: { $0.display != nil }) else { return nil }
        var names = ConceptNames()
        names.insert(coding.display)
        for translation in coding.displayElement?.translations ?? [] { names.insert(translation.content) }
        for entry in entries {
            names.insert(entry.display)
            for translation in entry.translations { names.insert(translation.content) }
            for designation in entry.designations { names.insert(designation.content) }
        }
        return names
    }
}
