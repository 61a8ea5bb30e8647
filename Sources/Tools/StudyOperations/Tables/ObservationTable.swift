import FHIR
import HealthData

/// Observations as a table: a row for the value of an Observation, and one for each component.
package enum ObservationTable {
    /// The file's name.
    package static let file = "observations.csv"

    private static let described: [(name: String, words: String, type: String)] = [
        ("observation", "Id of the Observation", "text"),
        ("part", "0 for the Observation itself, 1 and more for its components", "number"),
        ("participant", "Id of the Patient", "text"),
        ("status", "Status of the Observation", "code"),
        ("code_system", "System of the first code", "text"),
        ("code", "First code", "code"),
        ("codes", "All codes, as SYSTEM|CODE with spaces between them", "text"),
        ("name", "What is measured, in words", "text"),
        ("start", "Time of the measurement, or its begin", "date"),
        ("end", "End of the measurement", "date"),
        ("value", "The number", "number"),
        ("comparator", "<, <=, >= or > if the number is a bound", "text"),
        ("unit", "Unit of the number: UCUM code, or text", "text"),
        ("text", "A value that is not a number: code, text, yes or no, time, or JSON", "text"),
        ("text_system", "System of a code in text", "text"),
        ("device", "Device or app, in words", "text"),
        ("entered_by_hand", "true if a person typed the value", "text"),
        ("issued", "Time at which the Observation was issued", "date"),
    ]

    /// The names of the columns.
    package static let columns = described.map(\.name)

    /// The codebook's rows of the columns.
    package static let codebook = described.map {
        CodebookRow(file: file, column: $0.name, description: $0.words, type: $0.type)
    }

    /// Returns the rows of an Observation. An Observation without any value has one row.
    package static func rows(of resource: Resource, participant: String) -> [[TableCell]] {
        let object = resource.object
        let moment = object["effectiveDateTime"]?.string ?? object["effectiveInstant"]?.string
        let period = object["effectivePeriod"]
        let byHand = HealthContext.isEnteredByHand(Observation(object).method)
        func row(_ part: Int, of element: JSONObject, value: TableValue?) -> [TableCell] {
            let codings = element["code"]?["coding"]?.array ?? []
            let codes = codings.compactMap { coding in
                coding["code"]?.string.map { (coding["system"]?.string ?? "") + "|" + $0 }
            }
            let name =
                element["code"]?["text"]?.string ?? codings.lazy.compactMap { $0["display"]?.string }.first
            var (number, text) = (TableCell.empty, TableCell.empty)
            if case .number? = value?.cell { number = value?.cell ?? .empty } else { text = value?.cell ?? .empty }
            return [
                TableCell(resource.id), .number("\(part)"), .text(participant), TableCell(object["status"]?.string),
                TableCell(codings.first?["system"]?.string), TableCell(codings.first?["code"]?.string),
                TableCell(codes.isEmpty ? nil : codes.joined(separator: " ")), TableCell(name),
                TableCell(moment ?? period?["start"]?.string), TableCell(period?["end"]?.string), number,
                TableCell(value?.comparator), TableCell(value?.unit), text, TableCell(value?.system),
                TableCell(object["device"]?["display"]?.string), TableCell(byHand ? "true" : nil),
                TableCell(object["issued"]?.string),
            ]
        }
        var rows: [[TableCell]] = []
        if let own = TableValue(of: object) { rows.append(row(0, of: object, value: own)) }
        for (index, component) in (object["component"]?.array ?? []).enumerated() {
            guard let component = component.object else { continue }
            rows.append(row(index + 1, of: component, value: TableValue(of: component)))
        }
        return rows.isEmpty ? [row(0, of: object, value: nil)] : rows
    }
}
