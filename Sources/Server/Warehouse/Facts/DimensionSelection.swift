/// What a concept stands for that no fact says: a condition on the patients or the visits, as i2b2 puts it together of an
/// ontology's row.
struct DimensionSelection: Sendable, Hashable {
    /// The dimensions that the ontology asks. The raw value is `c_tablename`.
    enum Table: String, Sendable, CaseIterable {
        case patients = "patient_dimension"
        case visits = "visit_dimension"
        case consents = "consent_dimension"

        /// `c_facttablecolumn`
        var factColumn: String { self == .visits ? "encounter_num" : "patient_num" }

        /// The columns that may be asked for.
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
    /// `c_columndatatype`: T for text, which i2b2 puts into quotes itself, N and D for what stands in the code as SQL has
    /// it.
    let dataType: String
    let comparison: Operator
    /// `c_dimcode`
    let code: String

    /// A column that has this text.
    static func text(_ table: Table, _ column: String, _ text: String) -> DimensionSelection {
        DimensionSelection(table: table, column: column, dataType: "T", comparison: .equals, code: text)
    }

    /// A column that has one of these codes, none of which has a quote in it.
    static func among(_ table: Table, _ column: String, _ codes: [String]) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "T", comparison: .among,
            code: codes.map { "'\($0)'" }.joined(separator: ","))
    }

    /// A column between two texts, both included.
    static func between(_ table: Table, _ column: String, _ low: String, _ high: String) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "D", comparison: .between, code: "'\(low)' AND '\(high)'")
    }

    /// A column between two numbers, both included.
    static func between(_ table: Table, _ column: String, _ range: ClosedRange<Int>) -> DimensionSelection {
        DimensionSelection(
            table: table, column: column, dataType: "N", comparison: .between,
            code: "\(range.lowerBound) AND \(range.upperBound)")
    }

    /// A path below this one.
    static func below(_ table: Table, _ column: String, _ path: String) -> DimensionSelection {
        DimensionSelection(table: table, column: column, dataType: "T", comparison: .like, code: path)
    }
}
