import FHIR

extension Questionnaire {
    /// The form's own language, `Questionnaire.language`
    /// (<https://hl7.org/fhir/R4/resource-definitions.html#Resource.language>); nil if it has none.
    public var ownLanguage: LanguageTag? { self["language"]?.string.flatMap { LanguageTag($0) } }
}
