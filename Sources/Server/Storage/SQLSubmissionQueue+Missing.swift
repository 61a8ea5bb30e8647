import Foundation

/// Numbers of a device that never came, though a later one did.
public struct MissingSequences: Sendable, Hashable {
    /// The device.
    public let lane: String
    /// The first of them.
    public let from: Int64
    /// The last.
    public let to: Int64
    /// When what followed came.
    public let since: Date
}

/// What of a device waits for somebody else than itself.
public struct WaitingSubmissions: Sendable, Hashable {
    /// The device.
    public let lane: String
    /// `received`, `held` or `quarantined`.
    public let status: SubmissionStatus
    /// Why, for what is held or quarantined.
    public let reasonCode: String?
    public let count: Int
}

extension SQLSubmissionQueue {
    /// The numbers of a device that never came, the lowest first: those between two that did. What a device left out by
    /// itself, as a stop does, is among them; what it never gave a number is not.
    public func missing(lane: String, limit: Int) async throws -> [MissingSequences] {
        try await database.read { transaction in
            try transaction.query(Self.missingSQL(of: "lane = ? AND"), [SQLValue(lane), SQLValue(limit)])
                .map { try MissingSequences($0) }
        }
    }

    /// The numbers of all devices that never came, by device, at most so many.
    public func missing(limit: Int) async throws -> [MissingSequences] {
        try await database.read { transaction in
            try transaction.query(Self.missingSQL(of: ""), [SQLValue(limit)]).map { try MissingSequences($0) }
        }
    }

    /// The submissions with a number that a device has here, whatever became of them: of these numbers.
    public func received(lane: String, from: Int64, to: Int64) async throws -> Set<Int64> {
        try await database.read { transaction in
            Set(
                try transaction.query(
                    "SELECT sequence FROM submission WHERE lane = ? AND sequence BETWEEN ? AND ?",
                    [SQLValue(lane), SQLValue(from), SQLValue(to)]
                ).map { try $0.integer("sequence") })
        }
    }

    /// What waits, by device, status and reason.
    public func waiting() async throws -> [WaitingSubmissions] {
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT lane, status, reason_code, count(*) AS total FROM submission
                WHERE status IN ('received', 'held', 'quarantined') GROUP BY lane, status, reason_code
                ORDER BY lane, status, reason_code
                """
            ).map { row in
                WaitingSubmissions(
                    lane: try row.text("lane"), status: try SubmissionStatus(row: row),
                    reasonCode: row.textIfPresent("reason_code"), count: Int(try row.integer("total")))
            }
        }
    }

    /// Parameters: lane where it is asked for, limit.
    static func missingSQL(of lane: String) -> String {
        """
        SELECT lane, sequence + 1 AS first, next - 1 AS last, since FROM (
            SELECT lane, sequence, lead(sequence) OVER (PARTITION BY lane ORDER BY sequence) AS next,
                lead(received_at) OVER (PARTITION BY lane ORDER BY sequence) AS since
            FROM submission WHERE \(lane) sequence IS NOT NULL) AS numbered
        WHERE next > sequence + 1 ORDER BY lane, sequence LIMIT ?
        """
    }
}

extension MissingSequences {
    fileprivate init(_ row: SQLRow) throws {
        lane = try row.text("lane")
        from = try row.integer("first")
        to = try row.integer("last")
        since = try row.date("since")
    }
}
