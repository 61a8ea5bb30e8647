import FHIR

/// The tables of a study's responses, one for each form.
package struct ResponseTables: Sendable {
    /// Maximum number of forms with a table of their own. The responses to others are in the last table.
    package static let maximumForms = 200

    /// A table, and whether its form is published now.
    package struct Entry: Sendable {
        package let table: ResponseTable
        package let isPublished: Bool
    }

    /// The tables in the order of their forms; the last one is for responses without a known form.
    package let entries: [Entry]
    private let byURL: [String: Int]
    private let byID: [String: Int]

    /// - Parameters:
    ///   - published: the forms that the study publishes.
    ///   - former: all versions that it published before, the newest ones of a form first.
    ///   - valueSet: returns a published value set by its name in a question.
    package init(
        published: [Questionnaire], former: [Questionnaire], valueSet: @escaping (String) -> ValueSet? = { _ in nil }
    ) {
        var versions: [String: [Questionnaire]] = [:]
        for form in published + former {
            guard let name = Self.name(of: form) else { continue }
            versions[name, default: []].append(form)
        }
        let names = Set(published.compactMap(Self.name))
        // Published forms first, so that they have tables if there are too many forms.
        let kept = versions.keys.sorted { left, right in
            names.contains(left) == names.contains(right) ? left < right : names.contains(left)
        }.prefix(Self.maximumForms)
        var byURL: [String: Int] = [:]
        var byID: [String: Int] = [:]
        var entries: [Entry] = []
        for name in kept.sorted() {
            let own = versions[name] ?? []
            for form in own {
                if let url = form.url { byURL[url] = entries.count }
                if let id = form.id, byID[id] == nil { byID[id] = entries.count }
            }
            entries.append(
                Entry(
                    table: ResponseTable(form: name, versions: own, valueSet: valueSet),
                    isPublished: names.contains(name)))
        }
        self.entries = entries + [Entry(table: .withoutForm, isPublished: false)]
        (self.byURL, self.byID) = (byURL, byID)
    }

    private static func name(of form: Questionnaire) -> String? {
        form.url ?? form.id.map { Questionnaire.resourceType + "/" + $0 }
    }

    /// Returns the index of the table of a response.
    package func index(of response: Resource) -> Int {
        guard let name = response.object["questionnaire"]?.string.map({ CanonicalURL($0) }) else {
            return entries.count - 1
        }
        return byURL[name.url] ?? Questionnaire.id(in: name).flatMap { byID[$0] } ?? entries.count - 1
    }
}
