import Foundation
import Storage

/// A submission to write, and the quota of its device queue.
struct EnqueueRequest: Sendable {
    let submission: NewSubmission
    /// Maximum bytes of held and quarantined submissions in the device queue; nil for no limit.
    let quota: Int?

    var identity: [SQLValue] { [SQLValue(submission.enrolmentID), SQLValue(submission.submissionID)] }
}

extension SQLSubmissionQueue {
    public func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult {
        try await enqueuing.write(EnqueueRequest(submission: submission, quota: quota))
    }

    /// Parameter: client. Returns a row if the client has been revoked or replaced since it was authenticated.
    static let revokedSQL = "SELECT 1 AS one FROM client WHERE id = ? AND revoked_at IS NOT NULL"
    /// Latest time of receipt: that of the last row.
    static let newestSQL = "SELECT received_at FROM submission ORDER BY number DESC LIMIT 1"
    /// Parameters: device queue, submission id.
    static let lookUpSQL = "SELECT digest FROM submission WHERE lane = ? AND submission_id = ?"
    /// Parameter: device queue.
    static let heldBytesSQL = """
        SELECT COALESCE(sum(size), 0) AS bytes FROM submission WHERE lane = ? AND status IN ('held', 'quarantined')
        """
    private static let insertSQL = """
        INSERT INTO submission (client_id, lane, submission_id, digest, format, sequence, resource_type_hint,
        size, received_at, status, changed_at, change)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', ?, ?)
        """
    /// Parameters: body, device queue, submission id.
    private static let insertBodySQL = """
        INSERT INTO submission_body (number, body) SELECT number, ? FROM submission WHERE lane = ? AND submission_id = ?
        """

    /// Writes submissions in order, with a fixed number of round trips to a server (more only for a large total size).
    ///
    /// No other write transaction runs concurrently, on any engine, so the queried state is still valid when the rows
    /// are written.
    static func enqueue(
        _ requests: [EnqueueRequest], clock: QueueClock, in transaction: any SQLTransaction
    ) throws -> [EnqueueResult] {
        // 1. Load the current state.
        let stock = try EnqueueStock(requests, clock: clock, in: transaction)
        // 2. Decide about each submission as if the ones before it were written.
        var decision = EnqueueDecision(stock)
        let results = requests.map { decision.decide($0) }
        guard !decision.accepted.isEmpty else { return results }
        // 3. Write the rows and the sealed bodies, and notify readers.
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
                            SQLValue(new.clientID), SQLValue(new.enrolmentID), SQLValue(new.submissionID),
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

    /// Takes numbers from the change counter and notifies the readers of the queue.
    ///
    /// - Returns: the number before the first one that was taken.
    private static func takeChanges(_ count: Int, in transaction: any SQLTransaction) throws -> Int64 {
        let counter = SQLQuery(
            "UPDATE queue_state SET change = change + ? WHERE id = 1 RETURNING change AS value", [SQLValue(count)])
        let answers = try transaction.queries([counter] + transaction.notification)
        guard let row = answers.first?.first else { throw counterMissing }
        return try row.integer("value") - Int64(count)
    }
}
