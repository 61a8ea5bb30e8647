/// A page that shows a person all that is held of them: one HTML document that loads nothing and runs nothing.
///
/// Whoever makes it says what stands in it; text is escaped here.
public struct ParticipantPage: Sendable {
    /// A table with a heading.
    public struct Section: Sendable {
        let id: String
        let title: String
        let note: String?
        let header: [String]
        let rows: [[String]]

        /// - Parameters:
        ///   - id: the section's name in the page's address: letters, digits and `-`.
        ///   - note: a sentence above the table.
        ///   - header: the columns' names.
        ///   - rows: each as long as the header.
        public init(id: String, title: String, note: String? = nil, header: [String], rows: [[String]]) {
            self.id = id
            self.title = title
            self.note = note
            self.header = header
            self.rows = rows
        }
    }

    private let title: String
    private let summary: [(name: String, value: String)]
    private let sections: [Section]

    /// - Parameters:
    ///   - summary: what stands above all, name by name.
    public init(title: String, summary: [(name: String, value: String)], sections: [Section]) {
        self.title = title
        self.summary = summary
        self.sections = sections
    }

    /// The page.
    public var html: String {
        var html = HTML()
        html.verbatim("<!DOCTYPE html>\n")
        html.element("html", ["lang": "en"]) { html in
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
        html.element("dl", ["class": "facts"]) { html in
            for fact in summary {
                html.element("div") { html in
                    html.element("dt", fact.name)
                    html.element("dd", fact.value)
                }
            }
        }
        html.element("nav", ["aria-label": "Contents"]) { html in
            html.element("ul") { html in
                for section in sections {
                    html.element("li") { $0.element("a", ["href": "#" + section.id], section.title) }
                }
            }
        }
    }

    private static func write(_ section: Section, to html: inout HTML) {
        html.line()
        html.element("section", ["aria-labelledby": section.id]) { html in
            html.element("h2", ["id": section.id], section.title)
            if let note = section.note { html.element("p", note) }
            guard !section.rows.isEmpty else {
                html.element("p", "Nothing.")
                return
            }
            html.element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": section.title]) {
                html in
                ReportTable(
                    caption: section.title, names: .words, isCaptionHidden: true, header: section.header,
                    rows: section.rows.map { row in
                        (name: row.first ?? "", cells: row.dropFirst().map { ReportTable.Cell.words($0) })
                    }
                ).write(to: &html)
            }
        }
    }
}
