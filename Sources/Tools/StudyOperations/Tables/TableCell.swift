import FHIR

/// A cell of a table for researchers.
package enum TableCell: Sendable, Hashable {
    case empty
    /// A number, digit for digit as FHIR has it.
    case number(String)
    case text(String)

    /// Creates a text, or an empty cell for nil.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .empty }

    /// The content of the cell in the file, before quotation.
    ///
    /// Spreadsheets execute a text that begins with one of `= + - @`, tab or a line break. Such a text, and one that
    /// begins with an apostrophe, gets an apostrophe before it: a reader removes one apostrophe at the beginning of a
    /// text. Numbers are unchanged.
    package var written: String {
        switch self {
        case .empty: ""
        case .number(let digits): digits
        case .text(let text): text.unicodeScalars.first.map(Self.isEscaped) == true ? "'" + text : text
        }
    }

    private static func isEscaped(_ first: Unicode.Scalar) -> Bool { "=+-@\t\r\n'".unicodeScalars.contains(first) }
}

/// A value of FHIR as the cells of a table.
struct TableValue: Sendable {
    /// The number, text or code.
    let cell: TableCell
    /// `<`, `<=`, `>=` or `>` of a quantity.
    var comparator: String?
    /// The code of a quantity's unit, or its text without a code.
    var unit: String?
    /// The system of a code.
    var system: String?

    /// The first value among the members of an element: `valueQuantity`, `valueCoding` and the like; nil if there is
    /// none.
    init?(of object: JSONObject) {
        guard let member = object.members.first(where: { $0.key.hasPrefix("value") }) else { return nil }
        self.init(member.value, isQuantity: member.key == "valueQuantity")
    }

    private init(_ json: JSON, isQuantity: Bool) {
        if isQuantity {
            cell = json["value"]?.number.map { .number($0.text) } ?? .empty
            comparator = json["comparator"]?.string
            unit = json["code"]?.string ?? json["unit"]?.string
        } else if let number = json.number {
            cell = .number(number.text)
        } else if let flag = json.bool {
            cell = .text(flag ? "true" : "false")
        } else if let text = json.string {
            cell = .text(text)
        } else if let coding = json["coding"]?.array?.first {
            cell = TableCell(coding["code"]?.string ?? json["text"]?.string ?? coding["display"]?.string)
            system = coding["system"]?.string
        } else if let code = json["code"]?.string {
            cell = .text(code)
            system = json["system"]?.string
        } else if let text = Self.textMembers.lazy.compactMap({ json[$0]?.string }).first {
            cell = .text(text)
        } else {
            cell = .text(json.text())
        }
    }

    /// The member that represents a value without a number or a code: a Reference, an Attachment, a Coding or a
    /// CodeableConcept of words alone, SampledData.
    private static let textMembers = ["reference", "url", "display", "text", "title", "contentType", "data"]

    /// The comparator and the number in one cell.
    var compared: TableCell {
        guard let comparator, case .number(let digits) = cell else { return cell }
        return .text(comparator + digits)
    }
}
