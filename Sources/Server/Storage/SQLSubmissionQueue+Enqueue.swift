import Foundation

extension SQLSubmissionQueue {
    public func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult {
        let clock = clock
        return try await writer.write { transaction in
            var submission = submission
            submission.receivedAt = try clock.now(submission.receivedAt, in: transaction)
            return try Self.insert(submission, quota: quota, in: transaction)
        }
    }

    /// Parameter: client. A row where the client has been shut out or replaced since it showed its token.
    static let revokedSQL = "SELECT 1 AS one FROM client WHERE id = ? AND revoked_at IS NOT NULL"
    /// The latest time of receipt: that of the last row.
    static let newestSQL = "SELECT received_at FROM submission ORDER BY number DESC LIMIT 1"
    /// Parameters: lane, submission id.
    static let lookUpSQL = "SELECT digest FROM submission WHERE lane = ? AND submission_id = ?"
    /// Parameter: lane.
    static let heldBytesSQL = """
        SELECT COALESCE(sum(size), 0) AS bytes FROM submission WHERE lane = ? AND status IN ('held', 'quarantined')
        """

    static func insert(_ new: NewSubmission, quota: Int?, in transaction: any SQLTransaction) throws -> EnqueueResult {
        let identity = [SQLValue(new.lane), SQLValue(new.submissionID)]
        // 1. Still let in, and not known already?
        if try transaction.first(revokedSQL, [SQLValue(new.clientID)]) != nil { return .clientRevoked }
        if let known = try transaction.first(lookUpSQL, identity) {
            return try known.text("digest") == new.digest ? .duplicate : .conflict
        }
        // 2. Room for what may have to wait?
        if let quota {
            let waiting = try transaction.first(heldBytesSQL, [SQLValue(new.lane)])?.integer("bytes") ?? 0
            guard Int(waiting) + new.body.count <= quota else { return .overQuota }
        }
        // 3. The row. On an engine with several writers another one may have been quicker; the constraint decides.
        //    Time never runs backwards in the queue: a clock that was set back would make what comes now older than what
        //    came before, and a withdrawal older than the Contract that it ends.
        let newest = try transaction.first(newestSQL)?.date("received_at")
        let receivedAt = max(new.receivedAt, newest ?? new.receivedAt)
        let change = try nextChange(in: transaction)
        let rows = try transaction.query(
            """
            INSERT INTO submission (client_id, lane, submission_id, digest, format, sequence, resource_type_hint,
            size, received_at, status, changed_at, change)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', ?, ?)
            ON CONFLICT (lane, submission_id) DO NOTHING RETURNING number
            """,
            [
                SQLValue(new.clientID), SQLValue(new.lane), SQLValue(new.submissionID), SQLValue(new.digest),
                SQLValue(new.format.rawValue), SQLValue(new.sequence), SQLValue(new.resourceTypeHint),
                SQLValue(new.body.count), SQLValue(receivedAt), SQLValue(receivedAt), SQLValue(change),
            ])
        guard let row = rows.first else {
            guard let known = try transaction.first(lookUpSQL, identity) else {
                throw StorageError(code: "storage-failed", message: "A submission vanished while it was stored.")
            }
            return try known.text("digest") == new.digest ? .duplicate : .conflict
        }
        // 4. The sealed bytes.
        try transaction.execute(
            "INSERT INTO submission_body (number, body) VALUES (?, ?)", [row["number"], SQLValue(new.body)])
        try transaction.notify()
        return .accepted
    }
}
