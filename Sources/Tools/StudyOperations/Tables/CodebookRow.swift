import FHIR

/// A row of the codebook: a column of a table, or an option of its question.
package struct CodebookRow: Sendable, Hashable {
    /// The names of the codebook's columns.
    package static let columns = [
        "file", "column", "description", "type", "repeats", "form", "link_id", "code_system", "code", "option",
        "option_system", "option_text",
    ]

    /// The name of the table's file.
    package var file: String
    /// The name of the column, as the file has it.
    package let column: String
    var description: String?
    /// R4's type of the question, or `text`, `number`, `code`, `date`.
    var type: String
    var repeats = false
    /// The canonical URL of the form.
    var form: String?
    var linkID: String?
    /// The first code of the question.
    var code: (system: String?, code: String?) = (nil, nil)
    /// An option of the question, by its code or its text; nil in the row of the column itself.
    var option: (value: TableCell, system: String?, text: String?)?

    /// The cells, in the order of ``columns``.
    package var cells: [TableCell] {
        [
            .text(file), .text(column), TableCell(description), .text(type), .text(repeats ? "yes" : "no"),
            TableCell(form), TableCell(linkID), TableCell(code.system), TableCell(code.code), option?.value ?? .empty,
            TableCell(option?.system), TableCell(option?.text),
        ]
    }

    package static func == (left: CodebookRow, right: CodebookRow) -> Bool { left.cells == right.cells }

    package func hash(into hasher: inout Hasher) { hasher.combine(cells) }
}
