import Foundation
import Storage
import Submissions

/// Used links in the records' store. The transaction that settles the submission writes them, so that a link stays
/// spent even if the store of links is restored from an older copy. They contain neither participant nor record.
struct LinkUse {
    /// Whether another submission has used a link.
    func isSpent(_ id: String, excluding submission: QueuedSubmission, in transaction: any SQLTransaction) throws
        -> Bool
    {
        let row = try transaction.first(
            "SELECT submission_id, digest FROM link_use WHERE jti = ?", [SQLValue(id)])
        guard let row else { return false }
        return try row.text("submission_id") != submission.submissionID || row.text("digest") != submission.digest
    }

    /// Records the use of a link. The first submission is kept.
    func record(_ id: String, by submission: QueuedSubmission, in transaction: any SQLTransaction) throws {
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
