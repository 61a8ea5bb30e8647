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

    /// What no resource has any more: the codes of a participant who was deleted are not left here either.
    static let isUnused = """
        NOT EXISTS (SELECT 1 FROM record_code c WHERE c.code = search_code.number)
            AND NOT EXISTS (SELECT 1 FROM record_identifier i WHERE i.system = search_code.number)
        """
}
