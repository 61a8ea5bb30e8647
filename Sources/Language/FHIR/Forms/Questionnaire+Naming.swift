extension Questionnaire {
    /// Whether a response's `questionnaire` names this form, whatever version it asks for: by the form's canonical URL, or,
    /// as apps of older versions of FHIR do, by its id, alone or as a literal reference (`Questionnaire/mood`).
    public func isNamed(by name: CanonicalURL) -> Bool {
        if let url, name.url == url { return true }
        guard let id else { return false }
        return Self.id(in: name) == id
    }

    /// The id of a form that a name is or refers to; nil where it is a canonical URL.
    package static func id(in name: CanonicalURL) -> String? {
        if Resource.isID(name.url) { return name.url }
        guard let literal = Reference(name.url).literal, literal.type == resourceType else { return nil }
        return literal.id
    }
}
