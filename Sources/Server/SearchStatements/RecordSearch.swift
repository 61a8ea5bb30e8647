import AccessPolicy
import FHIR
import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// Runs a search inside one transaction: a page, the included records, and the total.
package struct RecordSearch: Sendable {
    package let query: SearchQuery
    /// The records that the grant may find.
    package let searched: RecordFilter
    /// The records that the grant may read.
    package let readable: RecordFilter
    /// Whether the grant may search any record of a type.
    package let isSearchable: @Sendable (String) -> Bool
    /// Whether the grant may read any record of a type.
    package let isReadable: @Sendable (String) -> Bool
    /// The server's own base URLs, without a final slash.
    package let ownBases: [String]
    package var limits: SearchLimits = .standard
    /// The allowance for the bytes of the page and the included records.
    package var allowance = AnswerAllowance()

    /// Creates the value from its parts.
    package init(
        query: SearchQuery, searched: RecordFilter, readable: RecordFilter,
        isSearchable: @escaping @Sendable (String) -> Bool, isReadable: @escaping @Sendable (String) -> Bool,
        ownBases: [String], limits: SearchLimits = .standard, allowance: AnswerAllowance = AnswerAllowance()
    ) {
        self.query = query
        self.searched = searched
        self.readable = readable
        self.isSearchable = isSearchable
        self.isReadable = isReadable
        self.ownBases = ownBases
        self.limits = limits
        self.allowance = allowance
    }

    /// The result of a search.
    package struct Answer {
        package var matches: [IncludedRecords.Found] = []
        package var included: [IncludedRecords.Found] = []
        /// nil where the response has no total.
        package var total: Int?
        /// The cursor of the next page; nil after the last one.
        package var next: PageCursor?
        /// The owners of the returned records.
        package var owners: Set<String> = []
    }

    /// - Throws: ``SearchConditionError``; ``StorageError``.
    package func answer(from store: RecordStore, in transaction: any SQLTransaction) throws -> Answer {
        let statement = try statement(from: store, in: transaction)
        var answer = Answer()
        let numbers = try numbers(statement, in: transaction)
        answer.total = try numbers.map(\.count) ?? total(statement, in: transaction)
        guard !query.isCountOnly else { return answer }
        // 1. The page, and whether another one follows.
        let before = allowance.taken
        var page = try page(statement, numbers, in: transaction)
        // 2. The included records. Where their bytes exceed the allowance, the page gets fewer records.
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
        if page.isCut, let last = page.cursors.last { answer.next = try last() }
        for found in answer.matches + answer.included {
            answer.owners.formUnion(try found.owners(in: transaction))
        }
        return answer
    }

    /// The records of a page, each with the closure that makes its cursor.
    private struct Page {
        var matches: [IncludedRecords.Found] = []
        var cursors: [() throws -> PageCursor] = []
        /// Whether another page follows.
        var isCut = false

        mutating func shorten(to count: Int) {
            matches.removeLast(matches.count - count)
            cursors.removeLast(cursors.count - count)
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
            page.cursors = wanted.prefix(page.matches.count).map { number in
                { PageCursor(values: [], number: number) }
            }
            page.isCut = left.count > page.matches.count
        } else if let records = statement.records(limit: query.count + 1) {
            var index = 0
            let rows = try transaction.query(records.sql, records.parameters) { row in
                // A row after the last one of the page means that another page follows.
                guard try index < query.count && allowance.takes(row) else {
                    page.isCut = true
                    return false
                }
                index += 1
                return true
            }
            page.matches = try rows.map { try IncludedRecords.Found($0, in: transaction) }
            page.cursors = page.matches.map { match in { PageCursor(values: [], number: match.number) } }
        } else {
            let rows = try self.page(statement, limit: query.count + 1, in: transaction)
            let wanted = try rows.prefix(query.count).map { try $0.integer("number") }
            page.matches = try Self.records(numbered: wanted, within: allowance, in: transaction)
            page.cursors = rows.prefix(page.matches.count).map { row in { try query.order.cursor(of: row) } }
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

    /// Returns the sorted numbers of all matches, where an index finds few and the response has a total; nil otherwise.
    private func numbers(_ statement: SearchStatement, in transaction: any SQLTransaction) throws -> [Int64]? {
        guard !query.isCountOnly, query.total != SearchQuery.Total.none, let numbers = statement.numbers() else {
            return nil
        }
        return try transaction.query(numbers.sql, numbers.parameters).map { try $0.integer("number") }.sorted()
    }

    /// Returns the total; nil where it is not requested, and by default where there are many.
    private func total(_ statement: SearchStatement, in transaction: any SQLTransaction) throws -> Int? {
        guard query.isCountOnly || query.total != SearchQuery.Total.none else { return nil }
        let limit = query.isCountOnly || query.total != nil ? nil : SearchQuery.maximumDefaultTotal
        if limit != nil, statement.isDense { return nil }
        var sum = 0
        for total in statement.totals(upTo: limit.map { $0 + 1 }) {
            sum += Int(try transaction.first(total.sql, total.parameters)?.integerIfPresent("total") ?? 0)
            if let limit, sum > limit { return nil }
        }
        return sum
    }

    /// Returns the statement for the types that are stored and that the grant may search.
    private func statement(from store: RecordStore, in transaction: any SQLTransaction) throws -> SearchStatement {
        var types = Set(query.parts.map(\.type).filter(isSearchable))
        if types.count > 1 { types.formIntersection(try store.types(in: transaction)) }
        return try SearchStatement(
            query, showing: searched, among: types.contains, ownBases: ownBases, limits: limits, in: transaction)
    }

    /// Returns the records with these numbers, in their order: the first ones that fit into the allowance.
    package static func records(
        numbered numbers: [Int64], within allowance: AnswerAllowance, in transaction: any SQLTransaction
    ) throws -> [IncludedRecords.Found] {
        // 1. Small records are read at once. The rows are not in the order of the numbers, so that the allowance is
        //    taken afterwards.
        if let found = try records(numbered: numbers, upTo: smallBytes, in: transaction) {
            return Array(found.prefix { allowance.takes($0.record.content.count) })
        }
        // 2. Otherwise the records that fit are found first.
        let taken = try fitting(numbers, within: allowance, in: transaction)
        return try records(numbered: taken, upTo: .max, in: transaction) ?? []
    }

    /// Maximum size of the contents that are read before the allowance is asked.
    private static let smallBytes = 1 << 20

    /// Returns the records with these numbers, in their order; nil if their contents have more bytes than the maximum.
    private static func records(
        numbered numbers: [Int64], upTo maximum: Int, in transaction: any SQLTransaction
    ) throws -> [IncludedRecords.Found]? {
        guard let first = numbers.first else { return [] }
        let statement = RecordStore.versions + " AND v.version = r.version WHERE r.number IN " + list(numbers, first)
        var bytes = 0
        let rows = try transaction.query(statement.sql, statement.parameters) { row in
            bytes += try ContentCodec.length(of: row.blob("content"))
            return bytes <= maximum
        }
        guard bytes <= maximum else { return nil }
        let found = try rows.map { try IncludedRecords.Found($0, in: transaction) }
        let byNumber = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
        return numbers.compactMap { byNumber[$0] }
    }

    /// Returns the first of these records that fit into the allowance, by the heads of their contents.
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

    /// Returns the numbers, padded with one of them to a power of two, so that there are few statements to prepare.
    private static func list(_ numbers: [Int64], _ filling: Int64) -> SQLFragment {
        var length = 1
        while length < numbers.count { length *= 2 }
        return .list((numbers + repeatElement(filling, count: length - numbers.count)).map { SQLValue($0) })
    }
}
