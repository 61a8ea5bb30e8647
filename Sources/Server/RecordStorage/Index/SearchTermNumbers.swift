import Storage

/// The numbers of the terms of a store.
///
/// An instance is used inside one transaction.
struct SearchTermNumbers {
    private let transaction: any SQLTransaction
    private var known: [SearchTerm: Int64] = [:]
    private var last: Int64?

    init(in transaction: any SQLTransaction) { self.transaction = transaction }

    /// Returns the number of a term. Inserts the term where it has none.
    mutating func number(of term: SearchTerm) throws -> Int64 {
        if let number = known[term] { return number }
        let values = [term.type, term.parameter, term.code, term.system, term.text].map { SQLValue($0) }
        let found = try transaction.first(Self.numberSQL, values)?.integer("number")
        let number = try found ?? add(values)
        known[term] = number
        return number
    }

    private mutating func add(_ values: [SQLValue]) throws -> Int64 {
        let largest =
            try last ?? transaction.first("SELECT max(number) AS number FROM search_term")?
            .integerIfPresent("number") ?? 0
        let number = largest + 1
        try transaction.execute(
            "INSERT INTO search_term (number, type, parameter, code, system, display) VALUES (?, ?, ?, ?, ?, ?)",
            [SQLValue(number)] + values)
        last = number
        return number
    }

    /// Parameters: type, parameter, code, system, display.
    static let numberSQL = """
        SELECT number FROM search_term WHERE type = ? AND parameter = ? AND code = ? AND system = ? AND display = ?
        """

    /// Returns the terms of a record's entries.
    static func numbers(of record: Int64, in transaction: any SQLTransaction) throws -> Set<Int64> {
        Set(
            try transaction.query(
                numbersSQL, Array(repeating: SQLValue(record), count: RecordsSchema.searchEntryTables.count)
            ).map { try $0.integer("term") })
    }

    /// Deletes the terms that no record uses any more: a code of only one participant would reveal something about
    /// them.
    ///
    /// The cost depends on the given numbers, not on the number of stored terms.
    static func deleteUnused(among numbers: Set<Int64>, in transaction: any SQLTransaction) throws -> RowsDigest {
        try transaction.delete(from: "search_term", numbered: numbers, where: unusedCondition)
    }

    /// Parameters: the number of the record, once for each table.
    static let numbersSQL = RecordsSchema.searchEntryTables.map { "SELECT term FROM \($0.table) WHERE number = ?" }
        .joined(separator: " UNION ALL ")

    /// Condition on a term that no entry uses.
    static let unusedCondition = RecordsSchema.searchEntryTables.map {
        "NOT EXISTS (SELECT 1 FROM \($0.table) e WHERE e.term = search_term.number)"
    }.joined(separator: " AND ")
}
