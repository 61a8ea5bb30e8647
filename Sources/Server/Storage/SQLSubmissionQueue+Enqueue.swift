import Foundation

/// A submission that is to be written, and the room that its lane has.
struct EnqueueRequest: Sendable {
    let submission: NewSubmission
    /// So many bytes may wait in its lane, held or quarantined; nil where there is no limit.
    let quota: Int?

    var identity: [SQLValue] { [SQLValue(submission.lane), SQLValue(submission.submissionID)] }
}

extension SQLSubmissionQueue {
    public func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult {
        try await enqueuing.write(EnqueueRequest(submission: submission, quota: quota))
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
    private static let insertSQL = """
        INSERT INTO submission (client_id, lane, submission_id, digest, format, sequence, resource_type_hint,
        size, received_at, status, changed_at, change)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', ?, ?)
        """
    /// Parameters: body, lane, submission id.
    private static let insertBodySQL = """
        INSERT INTO submission_body (number, body) SELECT number, ? FROM submission WHERE lane = ? AND submission_id = ?
        """

    /// Writes submissions in their order. A server is asked once what stands and told once what to write, however many
    /// they are.
    ///
    /// A transaction that writes has no other beside it, on any engine, so that what was asked still holds when it is written.
    static func enqueue(
        _ requests: [EnqueueRequest], clock: QueueClock, in transaction: any SQLTransaction
    ) throws -> [EnqueueResult] {
        // 1. What stands.
        let stock = try EnqueueStock(requests, clock: clock, in: transaction)
        // 2. What is new, each decided as if those before it were written.
        var decision = EnqueueDecision(stock)
        let results = requests.map { decision.decide($0) }
        guard !decision.accepted.isEmpty else { return results }
        // 3. The rows and the sealed bytes, and that there is something new.
        var change = try takeChanges(decision.accepted.count, in: transaction)
        for part in decision.parts() {
            var queries: [SQLQuery] = []
            for (request, receivedAt) in part {
                change += 1
                let new = request.submission
                queries.append(
                    SQLQuery(
                        insertSQL,
                        [
                            SQLValue(new.clientID), SQLValue(new.lane), SQLValue(new.submissionID),
                            SQLValue(new.digest),
                            SQLValue(new.format.rawValue), SQLValue(new.sequence), SQLValue(new.resourceTypeHint),
                            SQLValue(new.body.count), SQLValue(receivedAt), SQLValue(receivedAt), SQLValue(change),
                        ]))
                queries.append(SQLQuery(insertBodySQL, [SQLValue(new.body)] + request.identity))
            }
            _ = try transaction.queries(queries)
        }
        return results
    }

    /// Takes numbers of the one counter and tells those who wait for submissions.
    ///
    /// - Returns: the number before the first that was taken.
    private static func takeChanges(_ count: Int, in transaction: any SQLTransaction) throws -> Int64 {
        let counter = SQLQuery(
            "UPDATE queue_state SET change = change + ? WHERE id = 1 RETURNING change AS value", [SQLValue(count)])
        let answers = try transaction.queries([counter] + transaction.notification)
        guard let row = answers.first?.first else { throw counterMissing }
        return try row.integer("value") - Int64(count)
    }
}
