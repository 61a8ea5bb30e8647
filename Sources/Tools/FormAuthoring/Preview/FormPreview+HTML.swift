import HealthReport
import Questionnaires

extension FormPreview {
    /// The preview as one HTML document that loads nothing and contains no scripts. It adapts to narrow screens, to dark
    /// mode and to paper.
    package var html: String {
        var html = HTML()
        html.verbatim("<!DOCTYPE html>\n")
        html.element("html", attributes: ["lang": language ?? "en"]) { html in
            html.element("head") { ReportStyle.writeHead(title, sheet: PreviewStyle.sheet, to: &$0) }
            html.line()
            html.element("body") { html in
                html.element("header") { writeHeader(to: &$0) }
                html.line()
                html.element("main") { html in
                    for (index, page) in pages.enumerated() { write(page, at: index, to: &html) }
                    writeHidden(to: &html)
                }
            }
        }
        html.line()
        return html.text
    }

    private func writeHeader(to html: inout HTML) {
        html.element("h1", title)
        if let description { html.element("p", description) }
        html.element("p", attributes: ["class": "quiet"], written("A preview of the form, with all questions."))
        html.element("dl", attributes: ["class": "facts"]) { html in
            func fact(_ name: Sentence, _ value: String?) {
                guard let value, !value.isEmpty else { return }
                html.element("div") { html in
                    html.element("dt", written(name))
                    html.element("dd", value)
                }
            }
            fact("Questions", String(questionCount))
            fact("Languages", languages.joined(separator: ", "))
            fact("Version", version)
        }
        let groups = pages.enumerated().compactMap { index, page in page.group.map { (index, $0) } }
        guard groups.count > 1 else { return }
        html.element("nav", attributes: ["aria-label": written("Contents")]) { html in
            html.element("ul") { html in
                for (index, group) in groups {
                    html.element("li") { html in
                        html.element("a", attributes: ["href": "#page-\(index)"], heading(of: group, at: index))
                    }
                }
            }
        }
    }

    private func heading(of group: Entry, at index: Int) -> String {
        group.text.isEmpty ? written("Page \(index + 1)") : group.text
    }

    private func write(_ page: Page, at index: Int, to html: inout HTML) {
        html.line()
        guard let group = page.group else {
            // Questions after a group do not belong to it.
            let isAfterGroup = index > 0 && pages[index - 1].group != nil
            guard isAfterGroup else { return write(page, to: &html) }
            html.element("section", attributes: ["class": "after"]) { write(page, to: &$0) }
            return
        }
        html.element("section", attributes: ["aria-labelledby": "page-\(index)"]) { html in
            html.element("h2", attributes: ["id": "page-\(index)"], heading(of: group, at: index))
            writeDetails(of: group, to: &html)
            write(page, to: &html)
        }
    }

    private func write(_ page: Page, to html: inout HTML) {
        for text in page.header { html.element("p", text) }
        for entry in page.entries { write(entry, to: &html) }
        for text in page.footer { html.element("p", text) }
    }

    private func write(_ entry: Entry, to html: inout HTML) {
        html.line()
        html.element("div", attributes: ["class": "entry \(entry.kind.rawValue) level-\(min(entry.level, 4))"]) {
            html in
            switch entry.kind {
            case .section: html.element("h3", entry.text)
            case .text: html.element("p", entry.text)
            case .question: writeHeading(of: entry, to: &html)
            }
            writeDetails(of: entry, to: &html)
        }
    }

    private func writeHeading(of question: Entry, to html: inout HTML) {
        html.element("h4") { html in
            html.text(question.text)
            if question.isRequired {
                html.text(" ")
                html.element("span", attributes: ["class": "mark"], written("required"))
            }
        }
    }

    private func writeDetails(of entry: Entry, to html: inout HTML) {
        if let condition = entry.condition { write(condition, to: &html) }
        for note in entry.notes { html.element("p", attributes: ["class": "note"], note) }
        if let answer = entry.answer { html.element("p", attributes: ["class": "quiet"], answer) }
        if !entry.options.isEmpty {
            html.element("ul", attributes: ["class": "options"]) { html in
                for option in entry.options {
                    html.element("li") { html in
                        html.text(option.text)
                        guard !option.notes.isEmpty else { return }
                        html.text(" ")
                        html.element(
                            "span", attributes: ["class": "quiet"], "(\(option.notes.joined(separator: ", ")))")
                    }
                }
            }
        }
        for fact in entry.facts { html.element("p", attributes: ["class": "quiet"], fact) }
        if entry.kind == .question { html.element("p", attributes: ["class": "id"], entry.linkID) }
    }

    private func write(_ condition: ConditionText, to html: inout HTML) {
        html.element("div", attributes: ["class": "condition"]) { html in
            html.element("p", condition.lead)
            guard !condition.parts.isEmpty else { return }
            html.element("ul") { html in for part in condition.parts { html.element("li", part) } }
        }
    }

    private func writeHidden(to html: inout HTML) {
        guard !hidden.isEmpty else { return }
        html.line()
        html.element("section", attributes: ["aria-labelledby": "hidden"]) { html in
            html.element("h2", attributes: ["id": "hidden"], written("Not shown to people"))
            for entry in hidden { write(entry, to: &html) }
        }
    }
}
