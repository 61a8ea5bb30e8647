import AccessPolicy
import Audit
import Core
import Foundation
import ResearchResults
import Storage

/// A page of results that match a filter, each as it was saved.
struct ResultPage: Sendable {
    /// A result, or the reason why it cannot be read.
    struct Element: Sendable {
        let id: String
        /// JSON as it was sent; nil for a result that cannot be read.
        let content: String?
        let problem: (code: String, message: String)?
    }

    var elements: [Element] = []
    /// The cursor of the next page; nil at the end.
    var next: String?

    /// The bytes of the answer. The results are copied as they are stored.
    var bytes: [UInt8] {
        var bytes = Array(#"{"results":["#.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += #"{"id":"#.utf8
            bytes += JSON.string(element.id).bytes()
            if let content = element.content {
                bytes += #","result":"#.utf8
                bytes += content.utf8
            } else if let problem = element.problem {
                bytes += #","problem":"#.utf8
                let json: JSON = ["code": .string(problem.code), "message": .string(problem.message)]
                bytes += json.bytes()
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += #"],"next":"#.utf8
        bytes += (next.map { JSON.string($0) } ?? JSON.null).bytes()
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension PeopleStore {
    /// Maximum number of results on a page.
    static let resultsPerPage = 100
    /// Maximum number of bytes of the results on a page, if it has more than one.
    static let bytesPerPage = 8 << 20
    /// Maximum number of bytes of results that one request reads.
    static let bytesPerRequest = 32 << 20
    /// Maximum number of results that one request reads.
    static let rowsPerRequest = 2_000

    /// Saves a result. A result with the same `taskRunUUID` is replaced.
    ///
    /// - Parameters:
    ///   - content: the JSON of the result, as it was sent.
    /// - Returns: whether it is new.
    /// - Throws: ``AccountDataError`` `account-full`.
    func save(_ result: ResearchResult, content: String, of account: String) async throws -> Bool {
        try await database.write { transaction in
            guard try Person.find(account, in: transaction) != nil else { throw AccessError.accountUnknown }
            try record(account, "results", in: transaction)
            let size = content.utf8.count
            let former = try transaction.first(Self.resultSQL, [SQLValue(account), SQLValue(result.id)])
            try Self.addBytes(size - Int(former?.integerIfPresent("size") ?? 0), to: account, in: transaction)
            try transaction.execute(
                """
                INSERT INTO person_result (account_id, uuid, descriptor, identifier, size, content, saved_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (account_id, uuid) DO UPDATE SET descriptor = excluded.descriptor,
                    identifier = excluded.identifier, size = excluded.size, content = excluded.content,
                    saved_at = excluded.saved_at
                """,
                [
                    SQLValue(account), SQLValue(result.id), SQLValue(result.descriptor), SQLValue(result.identifier),
                    SQLValue(size), SQLValue(content), SQLValue(clock()),
                ])
            try MembershipStore.record(.results, of: account, in: transaction)
            return former == nil
        }
    }

    /// Returns a result as it was saved; nil if there is none.
    static func result(_ id: String, of account: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first(resultSQL, [SQLValue(account), SQLValue(id)])?.text("content")
    }

    /// Returns the results that match a filter, in the order in which they were first saved.
    ///
    /// A request reads a limited number of results. A page may have no result and a cursor.
    static func results(
        matching filter: ResultFilter, of account: String, after number: Int64, in transaction: any SQLTransaction
    ) throws -> ResultPage {
        var page = ResultPage()
        var (read, bytes, shown) = (0, 0, 0)
        var last = number
        while true {
            let rows = try transaction.query(
                resultsSQL, [SQLValue(account), SQLValue(last), SQLValue(resultsPerRead)])
            for row in rows {
                let size = Int(try row.integer("size"))
                let isFull =
                    page.elements.count >= resultsPerPage || (shown > 0 && shown + size > bytesPerPage)
                    || read >= rowsPerRequest || (bytes > 0 && bytes + size > bytesPerRequest)
                if isFull {
                    page.next = String(last)
                    return page
                }
                let element = try element(row, matching: filter)
                read += 1
                bytes += size
                last = try row.integer("number")
                if let element {
                    page.elements.append(element)
                    shown += size
                }
            }
            if rows.count < resultsPerRead { return page }
        }
    }

    /// Returns the element of a row; nil if it does not match. A row that cannot be read is an element too.
    private static func element(_ row: SQLRow, matching filter: ResultFilter) throws -> ResultPage.Element? {
        let id = try row.text("uuid")
        let content = try row.text("content")
        do throws(ResearchResultError) {
            let result = try ResearchResult(Array(content.utf8), descriptor: row.textIfPresent("descriptor"))
            return filter.matches(result) ? ResultPage.Element(id: id, content: content, problem: nil) : nil
        } catch {
            return ResultPage.Element(id: id, content: nil, problem: (error.code, error.message))
        }
    }

    /// Number of rows of one query: a row has up to 8 MiB.
    private static let resultsPerRead = 4
    /// Parameters: account, uuid.
    static let resultSQL = "SELECT * FROM person_result WHERE account_id = ? AND uuid = ?"
    /// Parameters: account, number, limit.
    static let resultsSQL = """
        SELECT * FROM person_result WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?
        """
}
