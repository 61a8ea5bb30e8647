/// The forms that a study has published, found by the names that responses give them
/// (<https://hl7.org/fhir/R4/questionnaireresponse-definitions.html#QuestionnaireResponse.questionnaire>).
///
/// A name with a version means that version alone. One without means the newest: the forms that are active come before
/// drafts and retired ones, then the greater version counts (`1.10` is greater than `1.9`,
/// and `1.0` than `1.0-beta`), then the later date.
public struct PublishedForms<Form: Sendable>: Sendable {
    private struct Entry: Sendable {
        let version: String?
        let form: Form
    }

    /// The newest first.
    private var byURL: [String: [Entry]] = [:]
    private var byID: [String: [Entry]] = [:]

    /// Makes the forms of those that are published; of two alike the first counts.
    ///
    /// - Parameter forms: each with what is to be found by it.
    public init(_ forms: [(questionnaire: Questionnaire, form: Form)]) {
        let ranks: [PublishedRank] = forms.map { PublishedRank($0.questionnaire.resource) }
        let places: [Int] = forms.indices.sorted { left, right in
            ranks[left] == ranks[right] ? left < right : ranks[left] > ranks[right]
        }
        for (questionnaire, form) in places.map({ forms[$0] }) {
            let entry = Entry(version: questionnaire.version, form: form)
            if let url = questionnaire.url { byURL[url, default: []].append(entry) }
            if let id = questionnaire.id { byID[id, default: []].append(entry) }
        }
    }

    /// Returns the form of a name: a canonical (`url|version`), a reference (`Questionnaire/id`) or a bare id; nil where no
    /// such form, or no such version of it, is published.
    public func form(_ name: String) -> Form? {
        let name = CanonicalURL(name)
        let found = byURL[name.url] ?? Questionnaire.id(in: name).flatMap { byID[$0] } ?? []
        guard let version = name.version else { return found.first?.form }
        return found.first { $0.version == version }?.form
    }
}
