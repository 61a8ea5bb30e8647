import FHIR
import Storage
import Trust

/// Answers a search inside one transaction: a page, what comes with it, and how many there are.
struct RecordSearch: Sendable {
    let query: SearchQuery
    /// What the grant finds.
    let searched: RecordFilter
    /// What the grant reads.
    let readable: RecordFilter
    /// Whether it may search anything of a type.
    let isSearchable: @Sendable (String) -> Bool
    /// Whether it may read anything of a type.
    let isReadable: @Sendable (String) -> Bool
    /// The server's own base URLs, without a last slash.
    let ownBases: [String]
    var limits = SearchLimits.standard

    /// What was found.
    struct Answer {
        var matches: [IncludedRecords.Found] = []
        var included: [IncludedRecords.Found] = []
        /// nil where it is not told.
        var total: Int?
        /// Where the next page begins; nil after the last one.
        var next: SearchPlace?
        /// Whose records are shown.
        var owners: Set<String> = []
    }

    /// - Throws: ``SearchConditionError``; ``StorageError``.
    func answer(from store: RecordStore, in transaction: any SQLTransaction) throws -> Answer {
        let statement = try statement(from: store, in: transaction)
        var answer = Answer()
        let numbers = try numbers(statement, in: transaction)
        answer.total = try numbers.map(\.count) ?? total(statement, in: transaction)
        guard !query.isCountOnly else { return answer }
        // 1. The page, and whether there is another one.
        if let numbers {
            let left = numbers.drop { $0 <= query.after?.number ?? 0 }
            answer.matches = try Self.records(numbered: left.prefix(query.count), in: transaction)
            if left.count > query.count, let last = left.prefix(query.count).last {
                answer.next = SearchPlace(values: [], number: last)
            }
        } else if let page = statement.records(limit: query.count + 1) {
            let rows = try transaction.query(page.sql, page.parameters)
            answer.matches = try rows.prefix(query.count).map { try IncludedRecords.Found($0, in: transaction) }
            if rows.count > query.count, let last = answer.matches.last {
                answer.next = SearchPlace(values: [], number: last.number)
            }
        } else {
            let rows = try page(statement, limit: query.count + 1, in: transaction)
            if rows.count > query.count, let last = rows.prefix(query.count).last {
                answer.next = try query.order.place(of: last)
            }
            answer.matches = try Self.records(
                numbered: rows.prefix(query.count).map { try $0.integer("number") }, in: transaction)
        }
        // 2. What comes with it.
        answer.included = try IncludedRecords(
            filter: readable, isReadable: isReadable, ownBases: ownBases, transaction: transaction,
            types: { try store.types(in: transaction) }
        ).found(with: answer.matches, by: query.includes)
        for found in answer.matches + answer.included {
            answer.owners.formUnion(try found.owners(in: transaction))
        }
        return answer
    }

    private func page(
        _ statement: SearchStatement, limit: Int, in transaction: any SQLTransaction
    ) throws -> [SQLRow] {
        for window in limits.windows where window >= limit {
            guard let page = statement.page(limit: limit, window: window) else { break }
            let rows = try transaction.query(page.sql, page.parameters)
            if rows.count == limit { return rows }
        }
        let page = try statement.page(limit: limit)
        return try transaction.query(page.sql, page.parameters)
    }

    /// The numbers of all that are found, in their order, where they are few and it is told how many they are; nil otherwise.
    private func numbers(_ statement: SearchStatement, in transaction: any SQLTransaction) throws -> [Int64]? {
        guard !query.isCountOnly, query.total != SearchQuery.Total.none, let numbers = statement.numbers() else {
            return nil
        }
        return try transaction.query(numbers.sql, numbers.parameters).map { try $0.integer("number") }.sorted()
    }

    /// How many there are; nil where it is not to be told, and where nobody asked and they are many.
    private func total(_ statement: SearchStatement, in transaction: any SQLTransaction) throws -> Int? {
        guard query.isCountOnly || query.total != SearchQuery.Total.none else { return nil }
        let limit = query.isCountOnly || query.total != nil ? nil : SearchQuery.mostUnaskedTotal
        if limit != nil, statement.isDense { return nil }
        var sum = 0
        for total in statement.totals(upTo: limit.map { $0 + 1 }) {
            sum += Int(try transaction.first(total.sql, total.parameters)?.integerIfPresent("total") ?? 0)
            if let limit, sum > limit { return nil }
        }
        return sum
    }

    /// The statements, of the types that the store has and the grant finds.
    private func statement(from store: RecordStore, in transaction: any SQLTransaction) throws -> SearchStatement {
        var types = Set(query.parts.map(\.type).filter(isSearchable))
        if types.count > 1 { types.formIntersection(try store.types(in: transaction)) }
        return try SearchStatement(
            query, showing: searched, among: types.contains, ownBases: ownBases, limits: limits, in: transaction)
    }

    private static func records(
        numbered numbers: some Collection<Int64>, in transaction: any SQLTransaction
    ) throws -> [IncludedRecords.Found] {
        guard let first = numbers.first else { return [] }
        // Filled up with one of them, so that there are few statements to prepare.
        var length = 1
        while length < numbers.count { length *= 2 }
        let filling = repeatElement(first, count: length - numbers.count)
        let statement =
            RecordStore.versions + " AND v.version = r.version WHERE r.number IN "
            + SQLFragment.list((Array(numbers) + filling).map { SQLValue($0) })
        let found = try transaction.query(statement.sql, statement.parameters).map {
            try IncludedRecords.Found($0, in: transaction)
        }
        let byNumber = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
        return numbers.compactMap { byNumber[$0] }
    }
}
