import Foundation
import Storage

/// Submissions that a device sent while it was bound to one participant.
public struct SubmissionStretch: Sendable, Hashable, Codable {
    /// Enrolment of the device.
    public let enrolmentID: String
    /// Only submissions that were received after this time; nil for no lower bound.
    public let after: Date?
    /// Only submissions that were received up to this time; nil for no upper bound.
    public let until: Date?

    private enum CodingKeys: String, CodingKey {
        case enrolmentID = "lane"
        case after, until
    }

    public init(enrolmentID: String, after: Date?, until: Date?) {
        self.enrolmentID = enrolmentID
        self.after = after
        self.until = until
    }
}

extension SQLSubmissionQueue {
    /// Digests of the rows that a deletion takes from the queue.
    public struct Emptied: Sendable, Hashable, Codable {
        /// Sealed bodies that are deleted.
        public let bodies: RowsDigest
        /// Submissions before the deletion.
        public let submissions: RowsDigest
    }

    /// Returns the digests of the rows that ``empty(_:reason:at:in:)`` would change.
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

    /// Refuses all submissions of the given periods for good, whatever their status, and deletes their sealed bodies.
    ///
    /// Only the device and the submission's id remain, so that the device is notified not to keep it and a resend has
    /// no effect. A lease of such a submission is lost.
    /// - Parameter reason: stable code that is reported to the device.
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
        var parameters = [SQLValue(stretch.enrolmentID)]
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

    /// Returns the numbers of submissions that are neither stored nor refused, by device and status.
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

    /// Returns the waiting submissions of a period with their sealed bodies, in the order of arrival.
    ///
    /// - Parameters:
    ///   - number: only submissions after this one.
    ///   - limit: maximum number of submissions.
    public static func waiting(
        of stretch: SubmissionStretch, after number: Int64, limit: Int, in transaction: any SQLTransaction
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

    /// Returns the waiting sealed bodies in the order of arrival.
    ///
    /// - Parameters:
    ///   - number: only submissions that arrived after this one.
    ///   - limit: maximum number of bodies.
    public func sealedBodies(after number: Int64, limit: Int) async throws -> [(number: Int64, body: Data)] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT number, body FROM submission_body WHERE number > ? ORDER BY number LIMIT ?",
                [SQLValue(number), SQLValue(limit)]
            ).map { (try $0.integer("number"), try $0.blob("body")) }
        }
    }
}
