import Storage

/// Writes how many patients each concept has (`c_totalnum`), which i2b2's clients show beside its name. Facts that come later
/// are not in it before it is written again.
public struct OntologyTotals: Sendable {
    public init() {}

    /// Counts the patients of the next concepts, in the order of their paths.
    ///
    /// - Parameters:
    ///   - last: the path that the page before ended with; nil for the first page.
    ///   - limit: how many concepts at most.
    /// - Returns: the path that this page ends with; nil after the last page.
    public func page(behind last: String?, limit: Int, in transaction: any SQLTransaction) throws -> String? {
        let below = PathPrefix(ConceptPath.root, column: "c_fullname", dialect: transaction.dialect)
        let order = transaction.dialect.bytewise
        let rows = try transaction.query(
            """
            SELECT c_fullname, c_totalnum FROM custom_meta
            WHERE \(below.condition) AND c_fullname \(order) > ? AND m_applied_path = '@' AND c_synonym_cd = 'N'
            ORDER BY c_fullname \(order) LIMIT ?
            """, below.parameters + [SQLValue(last ?? ""), SQLValue(limit)])
        for row in rows {
            let path = try row.text("c_fullname")
            let count = try WarehouseQuery().count(path: path, value: nil, from: nil, to: nil, in: transaction).patients
            guard row.integerIfPresent("c_totalnum") != Int64(count) else { continue }
            try transaction.execute(
                "UPDATE custom_meta SET c_totalnum = ? WHERE c_fullname = ? AND m_applied_path = '@'",
                [SQLValue(count), SQLValue(path)])
            if path == ConceptPath.root {
                try transaction.execute(
                    "UPDATE table_access SET c_totalnum = ? WHERE c_table_cd = ?",
                    [SQLValue(count), SQLValue(OntologyWriter.tableAccess)])
            }
        }
        return try rows.last?.text("c_fullname")
    }
}
