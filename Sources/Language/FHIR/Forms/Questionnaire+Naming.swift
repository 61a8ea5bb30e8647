extension Questionnaire {
    /// Whether a response's `questionnaire` names this form, ignoring the version: by the form's canonical URL or, as
    /// apps of older versions of FHIR do, by its id, alone or as a literal reference (`Questionnaire/mood`).
    public func isNamed(by name: CanonicalURL) -> Bool {
        if let url, name.url == url { return true }
        guard let id else { return false }
        return Self.id(in: name) == id
    }

    /// Returns the id of a form in a name, which may be the id or a reference; nil for a canonical URL.
    package static func id(in name: CanonicalURL) -> String? {
        if Resource.isID(name.url) { return name.url }
        guard let literal = Reference(name.url).literal, literal.type == resourceType else { return nil }
        return literal.id
    }
}
