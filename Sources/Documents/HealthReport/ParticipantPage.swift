/// A page that shows a person all data that a study stores about them: one HTML document that loads nothing and
/// contains no scripts.
///
/// The caller determines the content. Text is escaped here.
public struct ParticipantPage: Sendable {
    /// A part of a section.
    public enum Block: Sendable {
        /// A paragraph.
        case paragraph(String)
        /// Names with their values.
        case facts([(name: String, value: String)])
        /// A table with text in all columns; each row is as long as the header.
        case table(header: [String], rows: [[String]])
        /// A text with a heading, facts about it, and its paragraphs under their own headings.
        case document(
            title: String, facts: [(name: String, value: String)], sections: [(title: String, paragraphs: [String])])
        /// A form with its questions and answers in two columns. A question of a group is indented by its level.
        case answers(title: String, note: String, rows: [Answer])
        /// Measurements by type, with plots and daily summaries.
        case measurements(MeasurementReport)
    }

    /// A question with its answer.
    public struct Answer: Sendable, Hashable {
        /// The question, or the heading of a group.
        public let question: String
        /// The answer; nil for the heading of a group.
        public let answer: String?
        /// The number of enclosing groups.
        public let level: Int

        /// Creates a question with its answer.
        public init(question: String, answer: String?, level: Int) {
            self.question = question
            self.answer = answer
            self.level = level
        }
    }

    /// A part of the page with a heading.
    public struct Section: Sendable {
        let id: String
        let title: String
        let blocks: [Block]

        /// - Parameters:
        ///   - id: the fragment identifier of the section in the page's URL: letters, digits and `-`.
        ///   - blocks: the content; an empty section shows "Nothing."
        public init(id: String, title: String, blocks: [Block]) {
            self.id = id
            self.title = title
            self.blocks = blocks
        }
    }

    private let title: String
    private let lead: String
    private let summary: [(name: String, value: String)]
    private let sections: [Section]

    /// - Parameters:
    ///   - lead: a sentence below the title.
    ///   - summary: facts above all sections.
    public init(title: String, lead: String, summary: [(name: String, value: String)], sections: [Section]) {
        self.title = title
        self.lead = lead
        self.summary = summary
        self.sections = sections
    }

    /// The HTML of the page.
    public var html: String {
        var html = HTML()
        html.verbatim("<!DOCTYPE html>\n")
        html.element("html", attributes: ["lang": "en"]) { html in
            html.element("head") { ReportStyle.writeHead(title, to: &$0) }
            html.line()
            html.element("body") { html in
                html.element("header") { writeHeader(to: &$0) }
                html.line()
                html.element("main") { html in
                    for section in sections { Self.write(section, to: &html) }
                }
            }
        }
        html.line()
        return html.text
    }

    private func writeHeader(to html: inout HTML) {
        html.element("h1", title)
        html.element("p", lead)
        Self.write(facts: summary, to: &html)
        html.element("nav", attributes: ["aria-label": "Contents"]) { html in
            html.element("ul") { html in
                for section in sections {
                    html.element("li") { $0.element("a", attributes: ["href": "#" + section.id], section.title) }
                }
            }
        }
    }

    private static func write(_ section: Section, to html: inout HTML) {
        html.line()
        html.element("section", attributes: ["aria-labelledby": section.id]) { html in
            html.element("h2", attributes: ["id": section.id], section.title)
            if section.blocks.isEmpty { html.element("p", "Nothing.") }
            for (index, block) in section.blocks.enumerated() {
                write(block, in: section, at: index, to: &html)
            }
        }
    }

    private static func write(_ block: Block, in section: Section, at index: Int, to html: inout HTML) {
        switch block {
        case .paragraph(let text): html.element("p", text)
        case .facts(let facts): write(facts: facts, to: &html)
        case .table(let header, let rows):
            scroll(section.title, to: &html) { html in
                ReportTable(
                    caption: section.title, names: .words, isCaptionHidden: true, header: header,
                    rows: rows.map { row in (row.first ?? "", row.dropFirst().map { .words($0) }) }
                ).write(to: &html)
            }
        case .document(let title, let facts, let parts):
            html.element("h3", title)
            write(facts: facts, to: &html)
            guard !parts.isEmpty else { break }
            html.element("div", attributes: ["class": "document"]) { html in
                for part in parts {
                    if !part.title.isEmpty { html.element("h4", part.title) }
                    for paragraph in part.paragraphs { html.element("p", paragraph) }
                }
            }
        case .answers(let title, let note, let rows):
            html.element("h3", title)
            html.element("p", note)
            write(answers: rows, title: title, to: &html)
        case .measurements(var report): report.write(id: "\(section.id)-\(index)", to: &html)
        }
        html.line()
    }

    private static func write(facts: [(name: String, value: String)], to html: inout HTML) {
        guard !facts.isEmpty else { return }
        html.element("dl", attributes: ["class": "facts"]) { html in
            for fact in facts {
                html.element("div") { html in
                    html.element("dt", fact.name)
                    html.element("dd", fact.value)
                }
            }
        }
    }

    private static func write(answers: [Answer], title: String, to html: inout HTML) {
        html.element("table", attributes: ["class": "answers"]) { html in
            html.element("caption", attributes: ["class": "unseen"], title)
            html.element("thead") { html in
                html.element("tr") { html in
                    html.element("th", attributes: ["scope": "col", "class": "words"], "Question")
                    html.element("th", attributes: ["scope": "col", "class": "words"], "Answer")
                }
            }
            html.element("tbody") { html in
                for row in answers {
                    html.line()
                    html.element("tr") { html in
                        let level = "words level-\(min(row.level, 4))"
                        guard let answer = row.answer else {
                            html.element(
                                "th", attributes: ["scope": "colgroup", "colspan": "2", "class": level], row.question)
                            return
                        }
                        html.element("th", attributes: ["scope": "row", "class": level], row.question)
                        html.element("td", attributes: ["class": "words"], answer)
                    }
                }
            }
        }
    }

    /// Writes a scrolling region. It must be reachable by the keyboard, and needs a name for that.
    private static func scroll(_ name: String, to html: inout HTML, _ body: (inout HTML) -> Void) {
        html.element(
            "div", attributes: ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": name], body)
    }
}

extension MeasurementReport {
    /// Writes the sections of all types, ordered by title.
    mutating func write(id: String, to html: inout HTML) {
        let ordered = contents.sorted { ($0.value.title, $0.key) < ($1.value.title, $1.key) }
        if ordered.count > 3 {
            html.element("ul", attributes: ["class": "types"]) { html in
                for (index, entry) in ordered.enumerated() {
                    html.element("li") { html in
                        html.element("a", attributes: ["href": "#\(id)-\(index)"], entry.value.title)
                        html.text(" \(ReportNumber.grouped(entry.value.count))")
                    }
                }
            }
        }
        for (index, entry) in ordered.enumerated() {
            let type = entry.value.type
            let isSleep = type?.identifier == "HKCategoryTypeIdentifierSleepAnalysis"
            MeasurementView(
                id: "\(id)-\(index)", content: entry.value,
                totals: type.map { $0.aggregation == .cumulative ? totals(of: $0) : [] } ?? [],
                nights: isSleep ? sleepNights() : []
            ).write(to: &html)
        }
    }
}
