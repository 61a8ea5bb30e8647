import Foundation
import Storage

/// Submission queue in the tables of a database. ``SubmissionsSchema`` defines the schema.
public struct SQLSubmissionQueue: SubmissionQueue {
    let database: any SQLDatabase
    let writer: GroupedWriter
    /// Writes concurrent submissions together.
    let enqueuing: GroupCommit<EnqueueRequest, EnqueueResult>
    let clock: QueueClock

    /// Maximum number of times that a submission is begun without being ended.
    static let maximumBegun: Int64 = 3

    /// - Parameter clock: clock for receipt times and leases.
    public init(database: any SQLDatabase, clock: QueueClock = .ofCaller) {
        self.database = database
        self.clock = clock
        writer = GroupedWriter(database: database)
        enqueuing = GroupCommit(database: database) { try Self.enqueue($0, clock: clock, in: $1) }
    }

    /// Returns a sequence with an element whenever a submission may have arrived; nil if the engine does not notify, so
    /// that callers must poll.
    public func arrivals() -> AsyncStream<Void>? { (database as? any NotifyingDatabase)?.notifications() }

    /// Returns the receipt time of the newest submission; nil for an empty queue.
    public func newestReceipt() async throws -> Date? {
        try await database.read { try $0.first(Self.newestSQL)?.date("received_at") }
    }

    public func isHeld(_ submission: QueuedSubmission) async throws -> Bool {
        try await database.read { try Self.isHeld(submission, in: $0) }
    }

    public func settle(_ settlements: [Settlement], at: Date) async throws -> [Bool] {
        guard settlements.allSatisfy({ $0.outcome.status != .received }) else {
            throw StorageError(code: "queue-outcome-invalid", message: "A submission is not settled as received.")
        }
        return try await writer.write { transaction in
            try settlements.map { settlement in
                let (submission, outcome) = (settlement.submission, settlement.outcome)
                // 1. Check that the lease is still valid: another process may have taken the submission over, or staff
                //    decided.
                guard try Self.isHeld(submission, in: transaction) else { return false }
                // 2. Write the outcome.
                try Self.settle(submission.number, as: outcome, at: at, in: transaction)
                // 3. Release the submissions that were held for this one.
                if outcome.releasesHeld {
                    try Self.release(.deviceQueue(submission.enrolmentID), at: at, in: transaction)
                }
                return true
            }
        }
    }

    static func isHeld(_ submission: QueuedSubmission, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            """
            SELECT 1 AS one FROM submission WHERE number = ? AND status = 'received' AND lease_owner = ? AND lease = ?
            """, [SQLValue(submission.number), SQLValue(submission.leaseOwner), SQLValue(submission.lease)]) != nil
    }

    /// Writes an outcome with a new change number.
    static func settle(
        _ number: Int64, as outcome: SubmissionOutcome, at: Date, in transaction: any SQLTransaction
    ) throws {
        let change = try nextChange(in: transaction)
        let heldUntil = outcome.status == .held ? outcome.heldUntil : nil
        try transaction.execute(
            """
            UPDATE submission SET status = ?, reason_code = ?, detail = ?, key_id = COALESCE(?, key_id), held_until = ?,
            changed_at = ?, change = ?, begun = 0, lease = NULL, lease_owner = NULL, lease_until = NULL WHERE number = ?
            """,
            [
                SQLValue(outcome.status.rawValue), SQLValue(outcome.reasonCode), SQLValue(outcome.detail),
                SQLValue(outcome.keyID), SQLValue(heldUntil), SQLValue(at), SQLValue(change), SQLValue(number),
            ])
        // The sealed body is no longer needed.
        if outcome.status.isFinal {
            try transaction.execute("DELETE FROM submission_body WHERE number = ?", [SQLValue(number)])
        }
    }

    @discardableResult
    public func release(_ selection: HeldSelection, at: Date) async throws -> Int {
        // The search needs no write lock, and usually finds nothing.
        let isEmpty = try await database.read { try Self.held(selection, in: $0).isEmpty }
        guard !isEmpty else { return 0 }
        return try await writer.write { try Self.release(selection, at: at, in: $0) }
    }

    @discardableResult
    static func release(_ selection: HeldSelection, at: Date, in transaction: any SQLTransaction) throws -> Int {
        let rows = try held(selection, in: transaction)
        try putBack(rows, at: at, in: transaction)
        return rows.count
    }

    private static func held(_ selection: HeldSelection, in transaction: any SQLTransaction) throws -> [SQLRow] {
        switch selection {
        case .deviceQueue(let enrolmentID): try transaction.query(heldOfDeviceQueueSQL, [SQLValue(enrolmentID)])
        case .reason(let reason): try transaction.query(heldForReasonSQL, [SQLValue(reason)])
        case .due(let date): try transaction.query(heldDueSQL, [SQLValue(date)])
        }
    }

    static let heldOfDeviceQueueSQL = """
        SELECT number FROM submission WHERE lane = ? AND status IN ('held', 'quarantined') AND status = 'held' ORDER BY number
        """
    static let heldForReasonSQL = """
        SELECT number FROM submission WHERE reason_code = ? AND status = 'held' ORDER BY number
        """
    /// Only held submissions have this time. A condition on the status would make the engine scan all held rows.
    static let heldDueSQL = """
        SELECT number FROM submission WHERE held_until IS NOT NULL AND held_until <= ? ORDER BY number
        """

    public func deliveries(enrolmentID: String, after: Int64, limit: Int) async throws -> [Delivery] {
        try await database.read { transaction in
            try transaction.query(
                Self.deliveriesSQL, [SQLValue(enrolmentID), SQLValue(after), SQLValue(max(0, limit))]
            ).map { try Delivery($0) }
        }
    }

    /// Parameters: device queue, change, limit.
    static let deliveriesSQL = """
        SELECT change, submission_id, status, changed_at, reason_code FROM submission
        WHERE lane = ? AND change > ? ORDER BY change LIMIT ?
        """
}

extension SQLSubmissionQueue {
    /// Returns the next change number. The counter's row is locked until the transaction ends, so numbers become
    /// visible in order, and a reader that has seen one never misses a lower one.
    static func nextChange(in transaction: any SQLTransaction) throws -> Int64 {
        try next("UPDATE queue_state SET change = change + 1 WHERE id = 1 RETURNING change AS value", in: transaction)
    }

    static func nextLease(in transaction: any SQLTransaction) throws -> Int64 {
        try next("UPDATE queue_state SET lease = lease + 1 WHERE id = 1 RETURNING lease AS value", in: transaction)
    }

    private static func next(_ sql: String, in transaction: any SQLTransaction) throws -> Int64 {
        guard let row = try transaction.query(sql).first else { throw counterMissing }
        return try row.integer("value")
    }

    static var counterMissing: StorageError {
        StorageError(code: "storage-corrupt", message: "The queue's counter is missing.")
    }

    /// Returns submissions to the queue for processing, in the order of the rows, and resets their attempts.
    static func putBack(_ rows: [SQLRow], at: Date?, in transaction: any SQLTransaction) throws {
        for row in rows {
            let change = try nextChange(in: transaction)
            try transaction.execute(
                """
                UPDATE submission SET status = 'received', change = ?, changed_at = COALESCE(?, changed_at),
                attempts = 0, begun = 0, reason_code = NULL, detail = NULL, held_until = NULL, lease = NULL,
                lease_owner = NULL, lease_until = NULL WHERE number = ?
                """,
                [SQLValue(change), SQLValue(at), row["number"]])
        }
    }
}
