import Storage

/// The terms of a store, looked up inside one transaction.
struct StoredTerms: SearchTerms {
    let transaction: any SQLTransaction

    /// Maximum number of units of a parameter. A system with more terms is not a set of units, and only these are
    /// searched.
    private static let maximumUnits = 1_000

    func terms(type: String, parameter: String, system: String) throws -> [(number: Int64, code: String)] {
        try transaction.query(
            Self.unitsSQL, [SQLValue(type), SQLValue(parameter), SQLValue(system), SQLValue(Self.maximumUnits)]
        ).map { (try $0.integer("number"), try $0.text("code")) }
    }

    func numbers(where condition: SQLFragment, limit: Int) throws -> [Int64]? {
        let rows = try transaction.query(
            "SELECT c.number FROM search_term c WHERE \(condition.sql) LIMIT ?",
            condition.parameters + [SQLValue(limit + 1)])
        return rows.count > limit ? nil : try rows.map { try $0.integer("number") }.sorted()
    }

    /// Parameters: type, parameter, system, limit.
    static let unitsSQL = """
        SELECT number, code FROM search_term WHERE type = ? AND parameter = ? AND system = ? ORDER BY number LIMIT ?
        """
}
