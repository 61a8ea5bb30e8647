import Storage

/// Writes the number of patients of each concept (`c_totalnum`), which i2b2's clients show with its name. It does not
/// include facts that are loaded later, until it is written again.
///
/// The participants are iterated once, whatever the number of concepts. Each counts for the concepts of their facts,
/// and for the folders above these.
package struct OntologyTotals: Sendable {
    /// The paths of each code, including the folders above.
    private let paths: [String: Set<String>]
    /// The number of patients of each path.
    private var counts: [String: Int] = [:]
    private var lastPatient: Int64 = 0

    /// Begins with the concepts of the ontology.
    package init(in transaction: any SQLTransaction) throws {
        let below = PathPrefix(ConceptPath.root, column: "concept_path", dialect: transaction.dialect)
        var paths: [String: Set<String>] = [:]
        try transaction.each(
            "SELECT concept_cd, concept_path FROM concept_dimension WHERE \(below.condition)", below.parameters
        ) { row in
            guard let code = row.textIfPresent("concept_cd") else { return }
            paths[code, default: []].formUnion(Self.above(try row.text("concept_path")))
        }
        self.paths = paths
    }

    /// Returns a path and those above it, each in the ontology's form, with a backslash at both ends.
    private static func above(_ path: String) -> [String] {
        var (paths, above): ([String], String) = ([], "\\")
        for part in path.split(separator: "\\") {
            above += part + "\\"
            paths.append(above)
        }
        return paths
    }

    /// Counts the next participants.
    ///
    /// - Returns: false after the last one.
    package mutating func slice(of limit: Int, in transaction: any SQLTransaction) throws -> Bool {
        let patients = try transaction.query(
            "SELECT patient_num FROM warehouse_patient WHERE patient_num > ? ORDER BY patient_num LIMIT ?",
            [SQLValue(lastPatient), SQLValue(limit)])
        for row in patients {
            lastPatient = try row.integer("patient_num")
            var own: Set<String> = []
            for fact in try transaction.query(Self.codesSQL, [SQLValue(lastPatient)]) {
                own.formUnion(paths[try fact.text("concept_cd")] ?? [])
            }
            for path in own { counts[path, default: 0] += 1 }
        }
        return !patients.isEmpty
    }

    /// Parameter: patient.
    static let codesSQL = "SELECT DISTINCT concept_cd FROM observation_fact WHERE patient_num = ?"

    /// Writes the numbers of the next concepts, in the order of their paths.
    ///
    /// - Parameters:
    ///   - last: the last path of the previous page; nil for the first page.
    ///   - limit: maximum number of concepts.
    /// - Returns: the last path of this page; nil after the last page.
    package func page(after last: String?, limit: Int, in transaction: any SQLTransaction) throws -> String? {
        let below = PathPrefix(ConceptPath.root, column: "c_fullname", dialect: transaction.dialect)
        let order = transaction.dialect.bytewise
        let rows = try transaction.query(
            """
            SELECT c_fullname, c_totalnum, \(PathSelection.columns) FROM custom_meta
            WHERE \(below.condition) AND c_fullname \(order) > ? AND m_applied_path = '@' AND c_synonym_cd = 'N'
            ORDER BY c_fullname \(order) LIMIT ?
            """, below.parameters + [SQLValue(last ?? ""), SQLValue(limit)])
        var updates: [SQLQuery] = []
        for row in rows {
            let path = try row.text("c_fullname")
            let count = try count(row, of: path, in: transaction)
            guard row.integerIfPresent("c_totalnum") != Int64(count) else { continue }
            updates.append(
                SQLQuery(
                    "UPDATE custom_meta SET c_totalnum = ? WHERE c_fullname = ? AND m_applied_path = '@'",
                    [SQLValue(count), SQLValue(path)]))
            if path == ConceptPath.root {
                updates.append(
                    SQLQuery(
                        "UPDATE table_access SET c_totalnum = ? WHERE c_table_cd = ?",
                        [SQLValue(count), SQLValue(OntologyWriter.tableAccess)]))
            }
        }
        _ = try transaction.queries(updates)
        return try rows.last?.text("c_fullname")
    }

    /// Returns the number of patients of a path. A selection of patients or visits is queried.
    private func count(_ row: SQLRow, of path: String, in transaction: any SQLTransaction) throws -> Int {
        switch try PathSelection(row) {
        case .concepts(let selected): return counts[selected.hasSuffix("\\") ? selected : selected + "\\"] ?? 0
        case .dimension(let selection):
            guard let query = selection.patients(transaction.dialect) else { return 0 }
            return Int(try transaction.first(query.sql, query.parameters)?.integer("patients") ?? 0)
        case .unknown: return 0
        }
    }
}
