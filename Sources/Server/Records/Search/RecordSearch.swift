import FHIR
import Foundation
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
    /// The bytes of records that the page and what comes with it may have.
    var allowance = AnswerAllowance()

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
        let before = allowance.taken
        var page = try page(statement, numbers, in: transaction)
        // 2. What comes with it. Where that has no room, the page has fewer records.
        while true {
            do {
                answer.included = try included(with: page.matches, from: store, in: transaction)
                break
            } catch let exceeded as AnswerAllowance.Exceeded {
                guard page.matches.count > 1 else { throw exceeded }
                page.shorten(to: page.matches.count / 2)
                allowance.reset(to: before)
                for match in page.matches { try allowance.require(match.record.content.count) }
            }
        }
        answer.matches = page.matches
        if page.isCut, let last = page.places.last { answer.next = try last() }
        for found in answer.matches + answer.included {
            answer.owners.formUnion(try found.owners(in: transaction))
        }
        return answer
    }

    /// The records of a page, each with what makes its place.
    private struct Page {
        var matches: [IncludedRecords.Found] = []
        var places: [() throws -> SearchPlace] = []
        /// Whether there is another page.
        var isCut = false

        mutating func shorten(to count: Int) {
            matches.removeLast(matches.count - count)
            places.removeLast(places.count - count)
            isCut = true
        }
    }

    private func page(
        _ statement: SearchStatement, _ numbers: [Int64]?, in transaction: any SQLTransaction
    ) throws -> Page {
        var page = Page()
        if let numbers {
            let left = Array(numbers.drop { $0 <= query.after?.number ?? 0 })
            let wanted = Array(left.prefix(query.count))
            page.matches = try Self.records(numbered: wanted, within: allowance, in: transaction)
            page.places = wanted.prefix(page.matches.count).map { number in
                { SearchPlace(values: [], number: number) }
            }
            page.isCut = left.count > page.matches.count
        } else if let records = statement.records(limit: query.count + 1) {
            var place = 0
            let rows = try transaction.query(records.sql, records.parameters) { row in
                // The last row says that there is another page.
                guard try place < query.count && allowance.takes(row) else {
                    page.isCut = true
                    return false
                }
                place += 1
                return true
            }
            page.matches = try rows.map { try IncludedRecords.Found($0, in: transaction) }
            page.places = page.matches.map { match in { SearchPlace(values: [], number: match.number) } }
        } else {
            let rows = try self.page(statement, limit: query.count + 1, in: transaction)
            let wanted = try rows.prefix(query.count).map { try $0.integer("number") }
            page.matches = try Self.records(numbered: wanted, within: allowance, in: transaction)
            page.places = rows.prefix(page.matches.count).map { row in { try query.order.place(of: row) } }
            page.isCut = rows.count > page.matches.count
        }
        if page.isCut, page.matches.isEmpty { throw allowance.exceeded }
        return page
    }

    private func included(
        with matches: [IncludedRecords.Found], from store: RecordStore, in transaction: any SQLTransaction
    ) throws -> [IncludedRecords.Found] {
        try IncludedRecords(
            filter: readable, isReadable: isReadable, ownBases: ownBases, transaction: transaction,
            types: { try store.types(in: transaction) }, allowance: allowance
        ).found(with: matches, by: query.includes)
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

    /// The records with these numbers, in their order: as many of the first as the allowance has room for.
    static func records(
        numbered numbers: [Int64], within allowance: AnswerAllowance, in transaction: any SQLTransaction
    ) throws -> [IncludedRecords.Found] {
        // 1. Which of them there is room for. A few are read before that is asked.
        let isShort = numbers.count <= fewRecords
        let taken = isShort ? numbers : try Self.fitting(numbers, within: allowance, in: transaction)
        guard let first = taken.first else { return [] }
        // 2. What they are.
        let statement = RecordStore.versions + " AND v.version = r.version WHERE r.number IN " + list(taken, first)
        let found = try transaction.query(statement.sql, statement.parameters).map {
            try IncludedRecords.Found($0, in: transaction)
        }
        let byNumber = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
        let records = taken.compactMap { byNumber[$0] }
        return isShort ? Array(records.prefix { allowance.takes($0.record.content.count) }) : records
    }

    /// So few records are read whatever bytes they have.
    private static let fewRecords = 4

    /// The first of these records that the allowance has room for, by the heads of their contents.
    private static func fitting(
        _ numbers: [Int64], within allowance: AnswerAllowance, in transaction: any SQLTransaction
    ) throws -> [Int64] {
        guard let first = numbers.first else { return [] }
        let statement =
            SQLFragment(
                """
                SELECT r.number, length(v.content) AS bytes, substr(v.content, 1, \(ContentCodec.headCount)) AS head
                FROM record r JOIN record_version v ON v.number = r.number AND v.version = r.version WHERE r.number IN
                """) + " " + list(numbers, first)
        var bytes: [Int64: Int] = [:]
        for row in try transaction.query(statement.sql, statement.parameters) {
            bytes[try row.integer("number")] = try ContentCodec.length(
                ofHead: row.blobIfPresent("head") ?? Data(), storedCount: Int(try row.integer("bytes")))
        }
        return Array(numbers.prefix { number in bytes[number].map(allowance.takes) ?? true })
    }

    /// The numbers, filled up with one of them, so that there are few statements to prepare.
    private static func list(_ numbers: [Int64], _ filling: Int64) -> SQLFragment {
        var length = 1
        while length < numbers.count { length *= 2 }
        return .list((numbers + repeatElement(filling, count: length - numbers.count)).map { SQLValue($0) })
    }
}
