import Foundation
import Storage

/// Which links were handed in, in the records' store: written by the transaction that settles the submission, so that a
/// link stays spent also where the store of links is an older copy. It names neither participant nor record.
struct LinkUse {
    /// Whether a link was handed in by another submission than this.
    func isSpent(_ id: String, besides submission: QueuedSubmission, in transaction: any SQLTransaction) throws -> Bool
    {
        let row = try transaction.first(
            "SELECT submission_id, digest FROM link_use WHERE jti = ?", [SQLValue(id)])
        guard let row else { return false }
        return try row.text("submission_id") != submission.submissionID || row.text("digest") != submission.digest
    }

    /// Notes that a link was handed in. The first submission stays.
    func note(_ id: String, by submission: QueuedSubmission, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO link_use (jti, submission_id, digest, used_at) VALUES (?, ?, ?, ?) ON CONFLICT (jti) DO NOTHING
            """,
            [
                SQLValue(id), SQLValue(submission.submissionID), SQLValue(submission.digest),
                SQLValue(submission.receivedAt),
            ])
    }
}
