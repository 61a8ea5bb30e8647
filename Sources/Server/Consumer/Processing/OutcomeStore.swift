import Foundation
import Storage
import Submissions

/// Outcomes of submissions, in the records' store. Each submission is recorded only once, although its queue is another
/// store and a crash may happen between the two commits.
package struct OutcomeStore: Sendable {
    package init() {}

    /// Returns the recorded outcome of a submission; nil if there is none, or one of other bytes with the same id.
    func outcome(
        of submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws -> SubmissionOutcome? {
        let row = try transaction.first(
            "SELECT * FROM settlement WHERE lane = ? AND submission_id = ?",
            [SQLValue(submission.enrolmentID), SQLValue(submission.submissionID)])
        guard let row, try row.text("digest") == submission.digest,
            let status = SubmissionStatus(rawValue: try row.text("status")), status.isFinal
        else { return nil }
        return SubmissionOutcome(
            status: status, reasonCode: row.textIfPresent("reason_code"), keyID: row.textIfPresent("key_id"),
            releasesHeld: try row.integer("releases_held") != 0)
    }

    /// Records a final outcome, in the transaction that stores its data.
    func record(
        _ outcome: SubmissionOutcome, of submission: QueuedSubmission, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard outcome.status.isFinal else { return }
        try write(outcome, of: submission, at: at, in: transaction)
    }

    /// Records that an unsigned submission was accepted and is held. It stays valid when its device begins to sign
    /// later.
    func recordHeldUnsigned(
        _ outcome: SubmissionOutcome, of submission: QueuedSubmission, at: Date, in transaction: any SQLTransaction
    ) throws {
        try write(outcome, of: submission, at: at, in: transaction)
    }

    /// Whether a submission with the same bytes was held as an accepted unsigned one.
    func wasHeldUnsigned(_ submission: QueuedSubmission, in transaction: any SQLTransaction) throws -> Bool {
        let row = try transaction.first(
            "SELECT digest, status FROM settlement WHERE lane = ? AND submission_id = ?",
            [SQLValue(submission.enrolmentID), SQLValue(submission.submissionID)])
        guard let row else { return false }
        return try row.text("digest") == submission.digest
            && row.text("status") == SubmissionStatus.held.rawValue
    }

    private func write(
        _ outcome: SubmissionOutcome, of submission: QueuedSubmission, at: Date, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO settlement (lane, submission_id, digest, number, status, reason_code, key_id, releases_held,
                settled_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (lane, submission_id) DO UPDATE SET digest = excluded.digest, number = excluded.number,
                status = excluded.status, reason_code = excluded.reason_code, key_id = excluded.key_id,
                releases_held = excluded.releases_held, settled_at = excluded.settled_at
            """,
            [
                SQLValue(submission.enrolmentID), SQLValue(submission.submissionID), SQLValue(submission.digest),
                SQLValue(submission.number), SQLValue(outcome.status.rawValue), SQLValue(outcome.reasonCode),
                SQLValue(outcome.keyID), SQLValue(outcome.releasesHeld), SQLValue(at),
            ])
    }

    /// Deletes the outcomes of submissions that devices sent while bound to a participant.
    func delete(
        _ stretches: [SubmissionStretch], in transaction: any SQLTransaction
    ) throws -> RowsDigest {
        RowsDigest(
            joining: try stretches.map { stretch in
                var condition = "lane = ?"
                var parameters = [SQLValue(stretch.enrolmentID)]
                if let after = stretch.after {
                    condition += " AND settled_at > ?"
                    parameters.append(SQLValue(after))
                }
                if let until = stretch.until {
                    condition += " AND settled_at <= ?"
                    parameters.append(SQLValue(until))
                }
                return try transaction.delete(
                    from: "settlement", where: condition, parameters, orderedBy: "lane, submission_id")
            })
    }

    /// Ties the records to their queue.
    ///
    /// - Throws: ``StorageError`` `queue-of-another-study` if they are tied to another one.
    package static func claim(queueID: String, in transaction: any SQLTransaction) throws {
        if let row = try transaction.first("SELECT queue_id FROM records_state WHERE id = 1") {
            guard try row.text("queue_id") == queueID else {
                throw StorageError(
                    code: "queue-of-another-study",
                    message: "The records belong to another queue; see \"queue\" and \"database\" in study.json.")
            }
            return
        }
        try transaction.execute("INSERT INTO records_state (id, queue_id) VALUES (1, ?)", [SQLValue(queueID)])
    }
}
