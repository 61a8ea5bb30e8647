import Foundation
import Storage

/// A range of sequence numbers of a device that were not received, although a later one was.
public struct MissingSequences: Sendable, Hashable {
    /// Enrolment of the device.
    public let enrolmentID: String
    /// First missing number.
    public let from: Int64
    /// Last missing number.
    public let to: Int64
    /// Receipt time of the submission that follows the range.
    public let since: Date
}

/// Submissions of a device that are neither stored nor refused.
public struct WaitingSubmissions: Sendable, Hashable {
    /// Enrolment of the device.
    public let enrolmentID: String
    /// `received`, `held` or `quarantined`.
    public let status: SubmissionStatus
    /// Reason, for held and quarantined submissions.
    public let reasonCode: String?
    public let count: Int
}

extension SQLSubmissionQueue {
    /// Returns the missing sequence numbers of a device in ascending order: those between two received ones. They
    /// include numbers that the device skipped itself, for example at a stop. Submissions without a number are not
    /// included.
    public func missing(enrolmentID: String, limit: Int) async throws -> [MissingSequences] {
        try await database.read { transaction in
            try transaction.query(Self.missingSQL(of: "lane = ? AND"), [SQLValue(enrolmentID), SQLValue(limit)])
                .map { try MissingSequences($0) }
        }
    }

    /// Returns the missing sequence numbers of all devices, by device, up to a limit.
    public func missing(limit: Int) async throws -> [MissingSequences] {
        try await database.read { transaction in
            try transaction.query(Self.missingSQL(of: ""), [SQLValue(limit)]).map { try MissingSequences($0) }
        }
    }

    /// Returns the sequence numbers in a range that the device's submissions have, whatever their status.
    public func received(enrolmentID: String, from: Int64, to: Int64) async throws -> Set<Int64> {
        try await database.read { transaction in
            Set(
                try transaction.query(
                    "SELECT sequence FROM submission WHERE lane = ? AND sequence BETWEEN ? AND ?",
                    [SQLValue(enrolmentID), SQLValue(from), SQLValue(to)]
                ).map { try $0.integer("sequence") })
        }
    }

    /// Returns the numbers of waiting submissions, by device, status and reason.
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
                    enrolmentID: try row.text("lane"), status: try SubmissionStatus(row: row),
                    reasonCode: row.textIfPresent("reason_code"), count: Int(try row.integer("total")))
            }
        }
    }

    /// Parameters: device queue if `condition` is not empty, limit.
    static func missingSQL(of condition: String) -> String {
        """
        SELECT lane, sequence + 1 AS first, next - 1 AS last, since FROM (
            SELECT lane, sequence, lead(sequence) OVER (PARTITION BY lane ORDER BY sequence) AS next,
                lead(received_at) OVER (PARTITION BY lane ORDER BY sequence) AS since
            FROM submission WHERE \(condition) sequence IS NOT NULL) AS numbered
        WHERE next > sequence + 1 ORDER BY lane, sequence LIMIT ?
        """
    }
}

extension MissingSequences {
    fileprivate init(_ row: SQLRow) throws {
        enrolmentID = try row.text("lane")
        from = try row.integer("first")
        to = try row.integer("last")
        since = try row.date("since")
    }
}
