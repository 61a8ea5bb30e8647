import HealthData

/// The numbers of a plot, for people who read rather than look, behind a heading that opens.
struct ReportTable {
    /// A cell: what it shows, and the exact number where it is one.
    struct Cell {
        let text: String
        var value: String?
        var isWords = false

        static func words(_ text: String) -> Cell { Cell(text: text, isWords: true) }
        static func number(_ value: Int) -> Cell { Cell(text: ReportNumber.grouped(value), value: String(value)) }
        /// A number shown to its tenth.
        static func number(_ value: Double) -> Cell { Cell(text: ReportNumber.tenth(value), value: String(value)) }
        static let none = Cell(text: "–")

        static func number(_ value: Int?) -> Cell { value.map { number($0) } ?? .none }
    }

    /// The kind of names that the rows have: dates stay on one line, words may break anywhere.
    enum Names: String { case dates, words }

    let caption: String
    var names = Names.dates
    /// Whether a heading says the same just above: then the caption is for those who do not see it.
    var isCaptionHidden = false
    /// The first one heads the column of the rows' names.
    let header: [String]
    var rows: [(name: String, cells: [Cell])]

    /// Writes the table closed, under a line that names it.
    func writeDetails(to html: inout HTML, summary: String) {
        html.element("details") { html in
            html.element("summary", summary)
            // A region that scrolls must be reachable by the keyboard, and needs a name for that.
            html.element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": summary]) { html in
                write(to: &html)
            }
        }
        html.line()
    }

    func write(to html: inout HTML) {
        html.element("table") { html in
            html.element("caption", ["class": isCaptionHidden ? "unseen" : "seen"], caption)
            html.element("thead") { html in
                html.element("tr") { html in
                    for (column, name) in header.enumerated() {
                        let isWords = column == 0 || rows.first?.cells[column - 1].isWords == true
                        html.element("th", ["scope": "col", "class": isWords ? "words" : "number"], name)
                    }
                }
            }
            html.element("tbody") { html in
                for row in rows {
                    html.line()
                    html.element("tr") { html in
                        html.element("th", ["scope": "row", "class": names.rawValue], row.name)
                        for cell in row.cells { write(cell, to: &html) }
                    }
                }
            }
        }
    }

    private func write(_ cell: Cell, to html: inout HTML) {
        if cell.isWords {
            html.element("td", ["class": "words"], cell.text)
            return
        }
        html.element("td") { html in
            guard let value = cell.value else { return html.text(cell.text) }
            html.element("data", ["value": value], cell.text)
        }
    }
}
