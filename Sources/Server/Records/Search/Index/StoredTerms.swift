import Storage

/// The terms of a store, looked up inside one transaction.
struct StoredTerms: SearchConditionStatement.Terms {
    let transaction: any SQLTransaction

    /// So many units may a parameter have; what has more is no set of units, and is searched by those alone.
    private static let most = 1_000

    func terms(type: String, parameter: String, system: String) throws -> [(number: Int64, code: String)] {
        try transaction.query(
            Self.unitsSQL, [SQLValue(type), SQLValue(parameter), SQLValue(system), SQLValue(Self.most)]
        ).map { (try $0.integer("number"), try $0.text("code")) }
    }

    /// Parameters: type, parameter, system, limit.
    static let unitsSQL = """
        SELECT number, code FROM search_term WHERE type = ? AND parameter = ? AND system = ? ORDER BY number LIMIT ?
        """
}
