/// The forms that a study has published, looked up by the names in responses
/// (<https://hl7.org/fhir/R4/questionnaireresponse-definitions.html#QuestionnaireResponse.questionnaire>).
///
/// A name with a version means only that version. A name without one means the newest: active forms precede drafts and
/// retired ones, then the greater version is newer (`1.10` is greater than `1.9`, and `1.0` than `1.0-beta`), then the
/// later date.
public struct PublishedForms<Form: Sendable>: Sendable {
    private struct Entry: Sendable {
        let version: String?
        let form: Form
    }

    /// The entries of each URL, the newest first.
    private var byURL: [String: [Entry]] = [:]
    private var byID: [String: [Entry]] = [:]

    /// Creates the collection from published forms. Of two with the same rank, the first is used.
    ///
    /// - Parameter forms: each questionnaire with the value that is returned for it.
    public init(_ forms: [(questionnaire: Questionnaire, form: Form)]) {
        let ranks: [PublishedRank] = forms.map { PublishedRank($0.questionnaire.resource) }
        let order: [Int] = forms.indices.sorted { left, right in
            ranks[left] == ranks[right] ? left < right : ranks[left] > ranks[right]
        }
        for (questionnaire, form) in order.map({ forms[$0] }) {
            let entry = Entry(version: questionnaire.version, form: form)
            if let url = questionnaire.url { byURL[url, default: []].append(entry) }
            if let id = questionnaire.id { byID[id, default: []].append(entry) }
        }
    }

    /// Returns the form for a name: a canonical (`url|version`), a reference (`Questionnaire/id`) or a bare id; nil if
    /// no such form, or no such version of it, is published.
    public func form(_ name: String) -> Form? {
        let name = CanonicalURL(name)
        let found = byURL[name.url] ?? Questionnaire.id(in: name).flatMap { byID[$0] } ?? []
        guard let version = name.version else { return found.first?.form }
        return found.first { $0.version == version }?.form
    }
}
