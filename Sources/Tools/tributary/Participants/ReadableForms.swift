import FHIR
import HealthReport

/// The forms of a study by their canonical URLs, for showing answers.
struct ReadableForms {
    private var forms: [String: Questionnaire] = [:]

    init(_ questionnaires: [Questionnaire]) {
        for form in questionnaires {
            for name in [form.url, form.id.map { "Questionnaire/\($0)" }].compactMap({ $0 }) where forms[name] == nil {
                forms[name] = form
            }
        }
    }

    /// Returns a response with the title of its form and the texts of its questions.
    func answers(of response: Resource) -> ParticipantPage.Block {
        let object = response.object
        let name = object["questionnaire"]?.string.map { String($0.split(separator: "|").first ?? "") } ?? ""
        let form = forms[name]
        var texts: [String: String] = [:]
        if let form { Self.collect(form.object["item"], into: &texts) }
        var rows: [ParticipantPage.Answer] = []
        Self.append(object["item"], texts, level: 0, to: &rows)
        let title = form?.object["title"]?.string ?? form?.object["name"]?.string ?? "Answers"
        let when = object["authored"]?.string.map { "Answered on \(ReadableResource.time($0))." } ?? ""
        let status = object["status"]?.string == "in-progress" ? " The answers are not complete." : ""
        return .answers(title: title, note: when + status, rows: rows)
    }

    private static func collect(_ items: JSON?, into texts: inout [String: String]) {
        for item in items?.array ?? [] {
            if let link = item["linkId"]?.string, let text = item["text"]?.string { texts[link] = text }
            collect(item["item"], into: &texts)
        }
    }

    private static func append(
        _ items: JSON?, _ texts: [String: String], level: Int, to rows: inout [ParticipantPage.Answer]
    ) {
        for item in items?.array ?? [] {
            let link = item["linkId"]?.string ?? "?"
            let question = item["text"]?.string ?? texts[link] ?? link
            let answers = item["answer"]?.array ?? []
            let values = answers.compactMap { answer in
                answer.object?.members.first { $0.key.hasPrefix("value") }.map { ReadableResource.text($0.value) }
            }
            let nested = answers.map { $0["item"] } + [item["item"]]
            let hasNested = nested.contains { !($0?.array ?? []).isEmpty }
            if !values.isEmpty {
                rows.append(.init(question: question, answer: values.joined(separator: ", "), level: level))
            } else if hasNested {
                rows.append(.init(question: question, answer: nil, level: level))
            }
            for inner in nested { append(inner, texts, level: level + 1, to: &rows) }
        }
    }
}
