import Foundation

/// A selection of submissions, a page of it at a time.
public struct SubmissionListing: Sendable, Hashable {
    /// The statuses; none for all that are not stored.
    public var statuses: Set<SubmissionStatus>
    /// The reason code.
    public var reason: String?
    /// The earliest time of receipt.
    public var since: Date?
    /// The number of the last submission of the page before; nil for the first page.
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

    /// The statuses of submissions that are not stored.
    public static let unstored: Set<SubmissionStatus> = [.received, .held, .refused, .quarantined]

    /// The statement of a page: each status is read by its own index and no further than the page's end.
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

    /// The first number that was received at a time or later. The sign keeps SQLite from walking through all numbers for it.
    static let firstSinceSQL = "SELECT min(+number) AS number FROM submission WHERE received_at >= ?"
}

extension SQLSubmissionQueue {
    /// Returns a page of the submissions that a listing selects, in the order of their numbers.
    public func list(_ listing: SubmissionListing) async throws -> [SubmissionSummary] {
        try await database.read { transaction in
            var listing = listing
            if let since = listing.since, listing.after == nil {
                // Numbers are given in the order of receipt: the page begins where the time does.
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
