/// A code of a dimension's column and its name, for `code_lookup`.
struct DimensionCode: Sendable, Hashable {
    let table: String
    let column: String
    let code: String
    let name: String

    /// All codes that are written to dimensions.
    static let all: [DimensionCode] =
        DimensionConcepts.sexes.map { DimensionCode("PATIENT_DIMENSION", column: "SEX_CD", code: $0.0, name: $0.1) } + [
            DimensionCode(
                "PATIENT_DIMENSION", column: "VITAL_STATUS_CD", code: "UF", name: "Death not known; year of birth"),
            DimensionCode(
                "PATIENT_DIMENSION", column: "VITAL_STATUS_CD", code: PatientRow.nothingKnown,
                name: "Death not known; no birth date"),
        ]
        + FactSource.allCases.map {
            DimensionCode("VISIT_DIMENSION", column: "LOCATION_CD", code: $0.rawValue, name: $0.title)
        }

    private init(_ table: String, column: String, code: String, name: String) {
        (self.table, self.column, self.code, self.name) = (table, column, code, name)
    }

    /// The code's fields as one text.
    var digestText: String { [table, column, code, name].joined(separator: "\u{2}") }
}
