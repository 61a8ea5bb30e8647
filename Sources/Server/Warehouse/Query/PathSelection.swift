import Foundation
import Storage

/// The facts that a path of the ontology selects, by the columns of its row (`c_tablename`, `c_columnname`,
/// `c_operator`, `c_dimcode`), as i2b2's query engine combines them.
enum PathSelection: Sendable, Hashable {
    /// Facts of the concepts with this path or below it.
    case concepts(String)
    /// Facts of patients or visits.
    case dimension(DimensionSelection)
    /// The row has a condition that is not supported here.
    case unknown

    /// - Parameter path: the path as the ontology lists it, or as i2b2's clients write it, with the table before it
    ///   (`\\TRIBUTARY\Tributary\`), or in the quotes in which it was pasted.
    /// - Throws: ``UnknownPath`` for a path that the ontology does not have.
    init(path: String, in transaction: any SQLTransaction) throws {
        let key = "\\\\TRIBUTARY"
        let asked = ShellWord.unquoted(path)
        let plain = asked.hasPrefix(key) ? String(asked.dropFirst(key.count)) : asked
        let row = try transaction.first(Self.rowSQL, [SQLValue(plain.hasSuffix("\\") ? plain : plain + "\\")])
        guard let row else { throw UnknownPath(asked, among: try WarehouseQuery().ontology(in: transaction)) }
        try self.init(row)
    }

    /// - Parameter row: a row with ``columns``.
    init(_ row: SQLRow) throws {
        let (table, column) = (try row.text("c_tablename"), try row.text("c_columnname"))
        let (comparison, code) = (try row.text("c_operator"), try row.text("c_dimcode"))
        if table == "concept_dimension", column == "concept_path", comparison == "LIKE" {
            self = .concepts(code)
            return
        }
        // The names are inserted into SQL, so only known ones are allowed.
        guard let table = DimensionSelection.Table(rawValue: table), table.columns.contains(column),
            let comparison = DimensionSelection.Operator(rawValue: comparison)
        else {
            self = .unknown
            return
        }
        self = .dimension(
            DimensionSelection(
                table: table, column: column, dataType: try row.text("c_columndatatype"), comparison: comparison,
                code: code))
    }

    /// The columns of the ontology that define the selection.
    static let columns = "c_tablename, c_columnname, c_columndatatype, c_operator, c_dimcode"

    static let rowSQL = """
        SELECT \(columns) FROM custom_meta
        WHERE c_fullname = ? AND m_applied_path = '@' AND c_synonym_cd = 'N'
        """

    /// Returns the condition on the facts.
    func sql(_ dialect: SQLDialect) -> (condition: String, parameters: [SQLValue]) {
        switch self {
        case .concepts(let path):
            let prefix = PathPrefix(path, column: "concept_path", dialect: dialect)
            return (
                "concept_cd IN (SELECT concept_cd FROM concept_dimension WHERE \(prefix.condition))", prefix.parameters
            )
        case .dimension(let selection):
            guard let (condition, parameters) = selection.sql(dialect) else { return ("1 = 0", []) }
            let column = selection.table.factColumn
            return ("\(column) IN (SELECT \(column) FROM \(selection.table.rawValue) WHERE \(condition))", parameters)
        case .unknown: return ("1 = 0", [])
        }
    }
}

extension DimensionSelection {
    /// Returns a query that counts the selected participants with facts. It looks for one fact for each row of the
    /// dimension.
    ///
    /// - Returns: a query of one row, `patients`; nil if no one is selected.
    func patients(_ dialect: SQLDialect) -> SQLQuery? {
        guard let (condition, parameters) = sql(dialect) else { return nil }
        return SQLQuery(
            """
            SELECT count(DISTINCT d.patient_num) AS patients FROM \(table.rawValue) d WHERE \(condition)
                AND d.patient_num IN (SELECT w.patient_num FROM warehouse_patient w)
                AND (SELECT 1 FROM observation_fact f WHERE f.\(table.factColumn) = d.\(table.factColumn) LIMIT 1) = 1
            """, parameters)
    }

    /// Returns the condition on the dimension; nil if the code is invalid for its operator.
    fileprivate func sql(_ dialect: SQLDialect) -> (condition: String, parameters: [SQLValue])? {
        switch comparison {
        case .equals: return ("\(column) = ?", [value(code)])
        case .like:
            let prefix = PathPrefix(code, column: column, dialect: dialect)
            return (prefix.condition, prefix.parameters)
        case .among:
            let values = code.split(separator: ",").map { value(Self.unquoted($0)) }
            let placeholders = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return values.isEmpty ? nil : ("\(column) IN (\(placeholders))", values)
        case .between:
            let bounds = code.components(separatedBy: " AND ").map { value(Self.unquoted(Substring($0))) }
            return bounds.count == 2 ? ("\(column) BETWEEN ? AND ?", bounds) : nil
        }
    }

    private func value(_ text: String) -> SQLValue {
        dataType == "N" ? Int64(text).map { .integer($0) } ?? .null : .text(text)
    }

    private static func unquoted(_ text: Substring) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.count >= 2, trimmed.hasPrefix("'"), trimmed.hasSuffix("'") else { return trimmed }
        return String(trimmed.dropFirst().dropLast())
    }
}
