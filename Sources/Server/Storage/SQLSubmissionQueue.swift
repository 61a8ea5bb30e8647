import Foundation

/// The queue as tables of a database; the schema is ``StorageSchema``.
public struct SQLSubmissionQueue: SubmissionQueue {
    let database: any SQLDatabase
    let writer: GroupedWriter

    public init(database: any SQLDatabase) {
        self.database = database
        writer = GroupedWriter(database: database)
    }

    public func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date
    ) async throws -> [QueuedSubmission] {
        try await database.write { transaction in
            let rows = try transaction.query(
                Self.leaseSQL, [SQLValue(owner), SQLValue(now), SQLValue(max(0, limit))])
            let until = SQLValue(now.addingTimeInterval(duration))
            return try rows.map { row in
                let submission = try QueuedSubmission(row)
                try transaction.execute(
                    "UPDATE submission SET lease_owner = ?, lease_until = ? WHERE number = ?",
                    [SQLValue(owner), until, SQLValue(submission.number)])
                return submission
            }
        }
    }

    /// Parameters: owner, now, limit.
    static let leaseSQL = """
        SELECT s.*, b.body FROM submission s JOIN submission_body b ON b.number = s.number
        WHERE s.status = 'received' AND NOT EXISTS (
            SELECT 1 FROM submission l WHERE l.lane = s.lane AND l.lease_owner IS NOT NULL AND l.lease_owner <> ?
            AND l.lease_until > ?)
        ORDER BY s.number LIMIT ?
        """

    public func settle(
        _ number: Int64, as outcome: SubmissionOutcome, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard outcome.status != .received else {
            throw StorageError(
                code: "queue-outcome-invalid", message: "A submission is not settled as received.")
        }
        guard
            let row = try transaction.first(
                "SELECT status, reason_code FROM submission WHERE number = ?", [SQLValue(number)])
        else {
            throw StorageError(
                code: "queue-unknown-submission", message: "The queue has no submission \(number).")
        }
        let present = try SubmissionStatus(row: row)
        // 1. What is final stays; the same again is no change.
        if present.isFinal { return }
        if present == outcome.status, row.textIfPresent("reason_code") == outcome.reasonCode { return }
        // 2. The row, with a new change number.
        let change = try Self.nextChange(in: transaction)
        try transaction.execute(
            """
            UPDATE submission SET status = ?, reason_code = ?, detail = ?, subject = ?, key_id = ?, version_ids = ?,
            changed_at = ?, change = ?, lease_owner = NULL, lease_until = NULL WHERE number = ?
            """,
            [
                SQLValue(outcome.status.rawValue), SQLValue(outcome.reasonCode), SQLValue(outcome.detail),
                SQLValue(outcome.subject), SQLValue(outcome.keyID),
                SQLValue(outcome.versionIDs.isEmpty ? nil : outcome.versionIDs.joined(separator: "\n")),
                SQLValue(at), SQLValue(change), SQLValue(number),
            ])
        // 3. The sealed bytes have done their service.
        if outcome.status.isFinal {
            try transaction.execute("DELETE FROM submission_body WHERE number = ?", [SQLValue(number)])
        }
    }

    @discardableResult
    public func releaseHeld(
        clientID: String, subject: String?, at: Date, in transaction: any SQLTransaction
    ) throws -> Int {
        let held = """
            SELECT number FROM submission WHERE status = 'held'
            AND lane IN (SELECT lane FROM submission WHERE client_id = ?)
            """
        let rows =
            if let subject {
                try transaction.query(
                    held + " AND subject = ? ORDER BY number", [SQLValue(clientID), SQLValue(subject)])
            } else {
                try transaction.query(held + " ORDER BY number", [SQLValue(clientID)])
            }
        try Self.putBack(rows, at: at, in: transaction)
        return rows.count
    }

    public func failedAttempt(_ number: Int64, at: Date) async throws -> Int {
        try await database.write { transaction in
            try transaction.execute(
                "UPDATE submission SET attempts = attempts + 1 WHERE number = ? AND status = 'received'",
                [SQLValue(number)])
            guard
                let row = try transaction.first(
                    "SELECT lane, attempts, lease_owner FROM submission WHERE number = ?", [SQLValue(number)])
            else {
                throw StorageError(
                    code: "queue-unknown-submission", message: "The queue has no submission \(number).")
            }
            // Those behind it may not go before it, so their leases are given back too.
            try transaction.execute(
                """
                UPDATE submission SET lease_owner = NULL, lease_until = NULL
                WHERE lane = ? AND number >= ? AND lease_owner = ?
                """,
                [SQLValue(try row.text("lane")), SQLValue(number), row["lease_owner"]])
            return Int(try row.integer("attempts"))
        }
    }

    public func deliveries(clientID: String, after: Int64, limit: Int) async throws -> [Delivery] {
        try await deliveries(
            Self.clientDeliveriesSQL, [SQLValue(clientID), SQLValue(after), SQLValue(max(0, limit))])
    }

    public func deliveries(lane: String, after: Int64, limit: Int) async throws -> [Delivery] {
        try await deliveries(
            Self.laneDeliveriesSQL, [SQLValue(lane), SQLValue(after), SQLValue(max(0, limit))])
    }

    /// Parameters: client, change, limit.
    static let clientDeliveriesSQL = """
        SELECT change, submission_id, status, changed_at, version_ids, reason_code FROM submission
        WHERE lane IN (SELECT lane FROM submission WHERE client_id = ?) AND change > ? ORDER BY change LIMIT ?
        """

    /// Parameters: lane, change, limit.
    static let laneDeliveriesSQL = """
        SELECT change, submission_id, status, changed_at, version_ids, reason_code FROM submission
        WHERE lane = ? AND change > ? ORDER BY change LIMIT ?
        """

    private func deliveries(_ sql: String, _ parameters: [SQLValue]) async throws -> [Delivery] {
        try await database.read { try $0.query(sql, parameters).map { try Delivery($0) } }
    }
}

extension SQLSubmissionQueue {
    /// The next number of the one counter. Its row is locked until the transaction ends, so numbers become visible in
    /// their order and a reader that has seen one will never miss a lower one.
    static func nextChange(in transaction: any SQLTransaction) throws -> Int64 {
        let rows = try transaction.query(
            "UPDATE submission_counter SET value = value + 1 WHERE id = 1 RETURNING value")
        guard let row = rows.first else {
            throw StorageError(code: "storage-corrupt", message: "The queue's counter is missing.")
        }
        return try row.integer("value")
    }

    /// Makes submissions wait to be handled again, in the order of the rows; their attempts count anew.
    static func putBack(_ rows: [SQLRow], at: Date?, in transaction: any SQLTransaction) throws {
        for row in rows {
            let change = try nextChange(in: transaction)
            try transaction.execute(
                """
                UPDATE submission SET status = 'received', change = ?, changed_at = COALESCE(?, changed_at),
                attempts = 0, reason_code = NULL, detail = NULL, lease_owner = NULL, lease_until = NULL WHERE number = ?
                """,
                [SQLValue(change), SQLValue(at), row["number"]])
        }
    }
}
