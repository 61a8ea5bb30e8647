/// A code of a dimension's column and its name, for `code_lookup`.
struct DimensionCode: Sendable, Hashable {
    let table: String
    let column: String
    let code: String
    let name: String

    /// All codes that are written to dimensions.
    static let all: [DimensionCode] =
        DimensionConcepts.sexes.map { DimensionCode("PATIENT_DIMENSION", "SEX_CD", $0.0, $0.1) } + [
            DimensionCode("PATIENT_DIMENSION", "VITAL_STATUS_CD", "UF", "Death not known; year of birth"),
            DimensionCode(
                "PATIENT_DIMENSION", "VITAL_STATUS_CD", PatientRow.nothingKnown, "Death not known; no birth date"),
        ]
        + FactSource.allCases.map { DimensionCode("VISIT_DIMENSION", "LOCATION_CD", $0.rawValue, $0.title) }

    private init(_ table: String, _ column: String, _ code: String, _ name: String) {
        (self.table, self.column, self.code, self.name) = (table, column, code, name)
    }

    /// The code's fields as one text.
    var digestText: String { [table, column, code, name].joined(separator: "\u{2}") }
}
