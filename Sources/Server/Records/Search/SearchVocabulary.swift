import Storage

/// The systems and codes that resources are found by, each numbered once in the store: the index has the numbers.
///
/// It lives inside one transaction.
struct SearchVocabulary {
    /// What has a number. Of parameters whose values are each another one (``SearchIndex/Token/isOfItsOwn``) it is the
    /// system, with an empty code.
    struct Entry: Hashable {
        let type: String
        let parameter: String
        let system: String
        let code: String
        /// Computed where the entry is made, beside the transaction that looks it up.
        private let hash: Int

        init(type: String, parameter: String, system: String, code: String) {
            (self.type, self.parameter) = (type, parameter)
            (self.system, self.code) = (SearchIndex.indexed(system), SearchIndex.indexed(code))
            var hasher = Hasher()
            for text in [type, parameter, self.system, self.code] { hasher.combine(text) }
            hash = hasher.finalize()
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }

        /// By their bytes, as the store compares them: texts that only look the same have numbers of their own.
        static func == (left: Entry, right: Entry) -> Bool {
            left.hash == right.hash && left.code.utf8.elementsEqual(right.code.utf8)
                && left.system.utf8.elementsEqual(right.system.utf8) && left.parameter == right.parameter
                && left.type == right.type
        }
    }

    private let transaction: any SQLTransaction
    private var known: [Entry: Int64] = [:]

    init(in transaction: any SQLTransaction) { self.transaction = transaction }

    /// The number of an entry, which gets one where it has none.
    mutating func number(of entry: Entry) throws -> Int64 {
        if let number = known[entry] { return number }
        let values = [SQLValue(entry.type), SQLValue(entry.parameter), SQLValue(entry.code), SQLValue(entry.system)]
        let found = try transaction.first(Self.numberSQL, values)?.integer("number")
        let number = try found ?? add(values)
        known[entry] = number
        return number
    }

    private func add(_ values: [SQLValue]) throws -> Int64 {
        let largest = try transaction.first("SELECT max(number) AS number FROM search_code")
        let number = (largest?.integerIfPresent("number") ?? 0) + 1
        try transaction.execute(
            "INSERT INTO search_code (number, type, parameter, code, system) VALUES (?, ?, ?, ?, ?)",
            [SQLValue(number)] + values)
        return number
    }

    /// Parameters: type, parameter, code, system.
    static let numberSQL = "SELECT number FROM search_code WHERE type = ? AND parameter = ? AND code = ? AND system = ?"
}

extension SearchVocabulary {
    /// The numbers by which a resource is found.
    static func numbers(of resource: Int64, in transaction: any SQLTransaction) throws -> Set<Int64> {
        let place = SQLValue(resource)
        return Set(try transaction.query(numbersSQL, [place, place]).map { try $0.integer("code") })
    }

    /// Deletes what of the numbered no resource has any more: a code that one participant alone had tells of them.
    ///
    /// The cost is that of the numbers, however many the store has.
    static func deleteUnused(among numbers: Set<Int64>, in transaction: any SQLTransaction) throws -> RowsDigest {
        try transaction.delete(from: "search_code", numbered: numbers, where: unusedCondition)
    }

    /// Parameters: the number of the resource's row, twice.
    static let numbersSQL = """
        SELECT code FROM record_code WHERE number = ? UNION ALL SELECT system FROM record_identifier WHERE number = ?
        """

    /// Holds of a number that no resource has.
    static let unusedCondition = """
        NOT EXISTS (SELECT 1 FROM record_code c WHERE c.code = search_code.number)
            AND NOT EXISTS (SELECT 1 FROM record_identifier i WHERE i.system = search_code.number)
        """
}
