import Foundation

/// The submissions that a device sent while it spoke for one participant.
public struct SubmissionStretch: Sendable, Hashable, Codable {
    /// The device.
    public let lane: String
    /// Those received after this; nil for from the beginning.
    public let after: Date?
    /// Those received until then; nil for all that came since.
    public let until: Date?

    public init(lane: String, after: Date?, until: Date?) {
        self.lane = lane
        self.after = after
        self.until = until
    }
}

extension SQLSubmissionQueue {
    /// The rows that a deletion takes in the queue.
    public struct Emptied: Sendable, Hashable, Codable {
        /// The sealed bytes that went.
        public let bodies: RowsDigest
        /// The submissions as they were.
        public let submissions: RowsDigest
    }

    /// What ``empty(_:reason:at:in:)`` will take.
    public static func digest(_ stretches: [SubmissionStretch], in transaction: any SQLTransaction) throws -> Emptied {
        var bodies: [RowsDigest] = []
        var submissions: [RowsDigest] = []
        for stretch in stretches {
            let (condition, parameters) = condition(for: stretch)
            submissions.append(
                try transaction.digest(of: "submission", where: condition, parameters, orderedBy: "number"))
            bodies.append(
                try transaction.digest(
                    of: "submission_body", where: bodyCondition(condition), parameters, orderedBy: "number"))
        }
        return Emptied(bodies: RowsDigest(joining: bodies), submissions: RowsDigest(joining: submissions))
    }

    /// Refuses all submissions of some stretches for good, whatever had become of them, and deletes their sealed bytes.
    ///
    /// Of each stays what says nothing but that the device sent it: the device and the submission's id, so that the device
    /// is told not to keep it and a resend brings nothing back. Who has one leased loses it.
    /// - Parameter reason: the stable code that the device is told.
    public static func empty(
        _ stretches: [SubmissionStretch], reason: String, at: Date, in transaction: any SQLTransaction
    ) throws {
        for stretch in stretches {
            let (condition, parameters) = condition(for: stretch)
            let outcome = SubmissionOutcome(status: .refused, reasonCode: reason)
            for row in try transaction.query("SELECT number FROM submission WHERE \(condition)", parameters) {
                try settle(try row.integer("number"), as: outcome, at: at, in: transaction)
            }
            try transaction.execute(
                """
                UPDATE submission SET resource_type_hint = NULL, sequence = NULL, key_id = NULL, size = 0, attempts = 0
                WHERE \(condition)
                """, parameters)
        }
    }

    private static func bodyCondition(_ condition: String) -> String {
        "number IN (SELECT number FROM submission WHERE \(condition))"
    }

    private static func condition(for stretch: SubmissionStretch) -> (String, [SQLValue]) {
        var condition = "lane = ?"
        var parameters = [SQLValue(stretch.lane)]
        if let after = stretch.after {
            condition += " AND received_at > ?"
            parameters.append(SQLValue(after))
        }
        if let until = stretch.until {
            condition += " AND received_at <= ?"
            parameters.append(SQLValue(until))
        }
        return (condition, parameters)
    }

    /// What devices have waiting: submissions that are neither stored nor refused, by device and status.
    public static func waiting(in transaction: any SQLTransaction) throws -> [String: [SubmissionStatus: Int]] {
        var waiting: [String: [SubmissionStatus: Int]] = [:]
        let rows = try transaction.query(
            """
            SELECT lane, status, count(*) AS total FROM submission WHERE status IN ('received', 'held', 'quarantined')
            GROUP BY lane, status
            """)
        for row in rows {
            waiting[try row.text("lane"), default: [:]][try SubmissionStatus(row: row)] =
                Int(try row.integer("total"))
        }
        return waiting
    }

    /// What some stretches have waiting, each with its sealed bytes, in the order of arrival.
    ///
    /// - Parameters:
    ///   - number: only those behind this one.
    ///   - limit: how many at most.
    public static func waiting(
        of stretch: SubmissionStretch, behind number: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [(summary: SubmissionSummary, body: Data)] {
        let (condition, parameters) = condition(for: stretch)
        let rows = try transaction.query(
            """
            SELECT s.*, b.body FROM submission s JOIN submission_body b ON b.number = s.number
            WHERE s.number IN (SELECT number FROM submission WHERE \(condition)
                AND status IN ('received', 'held', 'quarantined') AND number > ? ORDER BY number LIMIT ?)
            ORDER BY s.number
            """, parameters + [SQLValue(number), SQLValue(limit)])
        return try rows.map { (try SubmissionSummary($0), try $0.blob("body")) }
    }

    /// What waits, each with its sealed bytes, in the order of arrival.
    ///
    /// - Parameters:
    ///   - number: only what arrived after this one.
    ///   - limit: how many at most.
    public func sealedBodies(behind number: Int64, limit: Int) async throws -> [(number: Int64, body: Data)] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT number, body FROM submission_body WHERE number > ? ORDER BY number LIMIT ?",
                [SQLValue(number), SQLValue(limit)]
            ).map { (try $0.integer("number"), try $0.blob("body")) }
        }
    }
}
