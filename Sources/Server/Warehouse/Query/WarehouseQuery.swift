import Foundation
import Storage

/// One concept as it is listed.
public struct OntologyConcept: Sendable, Hashable {
    public let path: String
    public let name: String
    /// nil for a folder.
    public let code: String?
    /// `folder`, `numeric`, `text`, `choice` or `option`.
    public let type: String
}

/// Asks the warehouse as i2b2's query engine would.
public struct WarehouseQuery: Sendable {
    public init() {}

    /// All concepts by their paths.
    public func ontology(in transaction: any SQLTransaction) throws -> [OntologyConcept] {
        try transaction.query(
            """
            SELECT c_fullname, c_name, c_basecode, c_comment FROM custom_meta
            WHERE c_synonym_cd = 'N' AND m_applied_path = '@' ORDER BY c_fullname
            """
        ).map { row in
            OntologyConcept(
                path: try row.text("c_fullname"), name: try row.text("c_name"), code: row.textIfPresent("c_basecode"),
                type: row.textIfPresent("c_comment") ?? "folder")
        }
    }

    /// Returns the number of patients who have a fact of the path's concept or of one below it.
    ///
    /// - Parameters:
    ///   - path: as the ontology lists it, or as i2b2's clients write it, with the table before it
    ///     (`\\TRIBUTARY\Tributary\`).
    ///   - from: inclusive; `to`: exclusive. Facts' start dates are UTC.
    ///   - patients: who may be counted.
    public func count(
        path: String, value: ValueConstraint?, from: Date?, to: Date?, among patients: PatientSelection = .all,
        in transaction: any SQLTransaction
    ) throws -> Int {
        let (sql, parameters) = Self.statement(
            path: path, value: value, from: from, to: to, among: patients, dialect: transaction.dialect)
        return Int(try transaction.first(sql, parameters)?.integer("patients") ?? 0)
    }

    static func statement(
        path: String, value: ValueConstraint?, from: Date?, to: Date?, among patients: PatientSelection = .all,
        dialect: SQLDialect
    ) -> (sql: String, parameters: [SQLValue]) {
        let key = "\\\\TRIBUTARY"
        let prefix = PathPrefix(
            path.hasPrefix(key) ? String(path.dropFirst(key.count)) : path, column: "concept_path", dialect: dialect)
        var sql = """
            SELECT count(DISTINCT patient_num) AS patients FROM observation_fact WHERE concept_cd IN
            (SELECT concept_cd FROM concept_dimension WHERE \(prefix.condition))
            """
        var parameters = prefix.parameters
        if let value {
            let constraint = value.sql(dialect)
            sql += " AND modifier_cd = '@' AND (\(constraint.condition))"
            parameters += constraint.parameters
        }
        if let from {
            sql += " AND start_date >= ?"
            parameters.append(SQLValue(WarehouseTime.text(from)))
        }
        if let to {
            sql += " AND start_date < ?"
            parameters.append(SQLValue(WarehouseTime.text(to)))
        }
        if let condition = patients.condition {
            sql += " AND " + condition
            parameters += patients.parameters
        }
        return (sql, parameters)
    }
}
