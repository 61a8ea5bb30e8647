import Foundation
import Storage

/// A selection of submissions, listed in pages.
public struct SubmissionListing: Sendable, Hashable {
    /// Statuses; empty for all that are not stored.
    public var statuses: Set<SubmissionStatus>
    /// The reason code.
    public var reason: String?
    /// Earliest time of receipt.
    public var since: Date?
    /// Number of the last submission of the previous page; nil for the first page.
    public var after: Int64?
    /// Maximum number of submissions of a page.
    public var limit: Int

    public init(
        statuses: Set<SubmissionStatus> = [], reason: String? = nil, since: Date? = nil, after: Int64? = nil,
        limit: Int = 500
    ) {
        self.statuses = statuses
        self.reason = reason
        self.since = since
        self.after = after
        self.limit = limit
    }

    /// Statuses of submissions that are not stored.
    public static let unstored: Set<SubmissionStatus> = [.received, .held, .refused, .quarantined]

    /// Returns the statement of a page: it reads each status by its own index, only up to the page's end.
    func statement() -> (sql: String, values: [SQLValue]) {
        var parts: [String] = []
        var values: [SQLValue] = []
        for status in (statuses.isEmpty ? Self.unstored : statuses).sorted(by: { $0.rawValue < $1.rawValue }) {
            var conditions = ["status = ?", "number > ?"]
            values += [SQLValue(status.rawValue), SQLValue(after ?? 0)]
            if let reason {
                conditions.append("reason_code = ?")
                values.append(SQLValue(reason))
            }
            if let since {
                conditions.append("received_at >= ?")
                values.append(SQLValue(since))
            }
            values.append(SQLValue(limit))
            parts.append(
                """
                SELECT * FROM (SELECT * FROM submission WHERE \(conditions.joined(separator: " AND "))
                ORDER BY number LIMIT ?) AS \(status.rawValue)
                """)
        }
        values.append(SQLValue(limit))
        return ("\(parts.joined(separator: " UNION ALL ")) ORDER BY number LIMIT ?", values)
    }

    /// First number that was received at or after a time. The unary plus keeps SQLite from scanning all numbers.
    static let firstSinceSQL = "SELECT min(+number) AS number FROM submission WHERE received_at >= ?"
}

extension SQLSubmissionQueue {
    /// Returns a page of the submissions that a listing selects, in the order of their numbers.
    public func list(_ listing: SubmissionListing) async throws -> [SubmissionSummary] {
        try await database.read { transaction in
            var listing = listing
            if let since = listing.since, listing.after == nil {
                // Numbers follow the order of receipt, so the time gives the start of the page.
                guard
                    let first = try transaction.first(SubmissionListing.firstSinceSQL, [SQLValue(since)])?
                        .integerIfPresent("number")
                else { return [] }
                listing.after = first - 1
            }
            let (sql, values) = listing.statement()
            return try transaction.query(sql, values).map { try SubmissionSummary($0) }
        }
    }
}
