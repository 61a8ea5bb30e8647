import HealthData

/// The numbers of a plot as a table, inside a collapsed section that can be opened.
struct ReportTable {
    /// A cell: the displayed text, and the exact number if it is one.
    struct Cell {
        let text: String
        var value: String?
        var isWords = false

        static func words(_ text: String) -> Cell { Cell(text: text, isWords: true) }
        static func number(_ value: Int) -> Cell { Cell(text: ReportNumber.grouped(value), value: String(value)) }
        /// A number that is displayed with one decimal digit.
        static func number(_ value: Double) -> Cell { Cell(text: ReportNumber.tenth(value), value: String(value)) }
        static let none = Cell(text: "–")

        static func number(_ value: Int?) -> Cell { value.map { number($0) } ?? .none }
    }

    /// The kind of row names: dates are not broken into lines, words can be broken anywhere.
    enum Names: String { case dates, words }

    let caption: String
    var names = Names.dates
    /// Whether the heading above already contains the caption; the caption is then only for screen readers.
    var isCaptionHidden = false
    /// The column headings. The first one is that of the row names.
    let header: [String]
    var rows: [(name: String, cells: [Cell])]

    /// Writes the table in a collapsed section with a summary.
    func writeDetails(to html: inout HTML, summary: String) {
        html.element("details") { html in
            html.element("summary", summary)
            // A scrolling region must be reachable by the keyboard, and needs a name for that.
            html.element(
                "div", attributes: ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": summary]
            ) { html in
                write(to: &html)
            }
        }
        html.line()
    }

    func write(to html: inout HTML) {
        html.element("table") { html in
            html.element("caption", attributes: ["class": isCaptionHidden ? "unseen" : "seen"], caption)
            html.element("thead") { html in
                html.element("tr") { html in
                    for (column, name) in header.enumerated() {
                        let isWords = column == 0 || rows.first?.cells[column - 1].isWords == true
                        html.element("th", attributes: ["scope": "col", "class": isWords ? "words" : "number"], name)
                    }
                }
            }
            html.element("tbody") { html in
                for row in rows {
                    html.line()
                    html.element("tr") { html in
                        html.element("th", attributes: ["scope": "row", "class": names.rawValue], row.name)
                        for cell in row.cells { write(cell, to: &html) }
                    }
                }
            }
        }
    }

    private func write(_ cell: Cell, to html: inout HTML) {
        if cell.isWords {
            html.element("td", attributes: ["class": "words"], cell.text)
            return
        }
        html.element("td") { html in
            guard let value = cell.value else { return html.text(cell.text) }
            html.element("data", attributes: ["value": value], cell.text)
        }
    }
}
