/// A condition on patients or visits for a concept without facts, as i2b2 builds it from a row of the ontology.
struct DimensionSelection: Sendable, Hashable {
    /// The dimensions that the ontology can query. The raw value is `c_tablename`.
    enum Table: String, Sendable, CaseIterable {
        case patients = "patient_dimension"
        case visits = "visit_dimension"
        case consents = "consent_dimension"

        /// `c_facttablecolumn`
        var factColumn: String { self == .visits ? "encounter_num" : "patient_num" }

        /// The columns that can be queried.
        var columns: Set<String> {
            switch self {
            case .patients: ["patient_num", "birth_date", "age_in_years_num", "sex_cd", "zip_cd", "statecityzip_path"]
            case .visits: ["location_cd"]
            case .consents: ["standing_cd", "template_version", "sharing_cd"]
            }
        }
    }

    /// `c_operator`
    enum Operator: String, Sendable, CaseIterable {
        case equals = "="
        case like = "LIKE"
        case among = "IN"
        case between = "BETWEEN"
    }

    let table: Table
    let column: String
    /// `c_columndatatype`: T for text, which i2b2 quotes itself; N and D for code that is already SQL.
    let dataType: String
    let comparison: Operator
    /// `c_dimcode`
    let code: String

    /// Returns the condition that a column equals a text.
    static func text(_ table: Table, column: String, equals text: String) -> DimensionSelection {
        DimensionSelection(table: table, column: column, dataType: "T", comparison: .equals, code: text)
    }

    /// Returns the condition that a column is one of these codes, which contain no quotation mark.
    static func among(_ table: Table, column: String, codes: [String]) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "T", comparison: .among,
            code: codes.map { "'\($0)'" }.joined(separator: ","))
    }

    /// Returns the condition that a column is between two texts, inclusive.
    static func between(_ table: Table, column: String, from low: String, to high: String) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "D", comparison: .between, code: "'\(low)' AND '\(high)'")
    }

    /// Returns the condition that a column is between two numbers, inclusive.
    static func between(_ table: Table, column: String, range: ClosedRange<Int>) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "N", comparison: .between,
            code: "\(range.lowerBound) AND \(range.upperBound)")
    }

    /// Returns the condition that a column is a path below this one.
    static func below(_ table: Table, column: String, path: String) -> DimensionSelection {
        DimensionSelection(table: table, column: column, dataType: "T", comparison: .like, code: path)
    }
}
