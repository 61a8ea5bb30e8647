import Storage

/// The content of a row of `observation_fact`, made from a resource or read from the table. Two contents are equal if
/// every query about the fact finds the same.
struct FactContent: Sendable, Hashable {
    private let concept: String?
    private let modifier: String?
    private let start: String?
    private let end: String?
    private let type: String?
    private let text: String?
    private let units: String?
    private let blob: String?
    private let instance: Int64
    private let number: Double?

    /// The columns that are read.
    static let columnNames = [
        "concept_cd", "modifier_cd", "start_date", "end_date", "valtype_cd", "tval_char", "units_cd",
        "observation_blob", "instance_num", "nval_num",
    ]

    /// Creates the content of a row to be written.
    init(_ row: ObservationFactRow) {
        func text(_ value: SQLValue) -> String? { if case .text(let text) = value { text } else { nil } }
        let columns = row.value
        (concept, modifier) = (row.concept, row.modifier)
        (start, end) = (text(row.start), text(row.end))
        (type, self.text) = (text(columns.type), text(columns.text))
        (units, blob) = (text(columns.units), text(columns.blob))
        instance = row.instance
        number = if case .real(let value) = columns.number { value } else { nil }
    }

    /// Creates the content of a row in the table.
    init(_ row: SQLRow) throws {
        (concept, modifier) = (row.textIfPresent("concept_cd"), row.textIfPresent("modifier_cd"))
        (start, end) = (row.textIfPresent("start_date"), row.textIfPresent("end_date"))
        (type, text) = (row.textIfPresent("valtype_cd"), row.textIfPresent("tval_char"))
        (units, blob) = (row.textIfPresent("units_cd"), row.textIfPresent("observation_blob"))
        instance = try row.integer("instance_num")
        number = row.realIfPresent("nval_num")
    }
}
