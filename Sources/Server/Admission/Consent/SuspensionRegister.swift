import Foundation
import InformedConsent
import Storage
import Submissions

/// Participants whose message may be a withdrawal but was not understood. Nothing of theirs is recorded until it is
/// understood or the study team decides.
package struct SuspensionRegister: Sendable {
    package init() {}

    /// Returns the arrival of the submission that suspended a participant; nil if they are not suspended.
    package func suspension(of participant: String, in transaction: any SQLTransaction) throws -> ConsentArrival? {
        let row = try transaction.first(
            "SELECT received_at, number FROM participant_suspension WHERE participant = ?", [SQLValue(participant)])
        return try row.map {
            ConsentArrival(receivedAt: try $0.date("received_at"), number: try $0.integer("number"))
        }
    }

    /// Suspends a participant; of several causes the latest counts.
    package func suspend(
        _ participant: String, because submission: QueuedSubmission, at: Date, in transaction: any SQLTransaction
    ) throws {
        let arrival = ConsentArrival(receivedAt: submission.receivedAt, number: submission.number)
        if let present = try suspension(of: participant, in: transaction), present > arrival { return }
        try transaction.execute(
            """
            INSERT INTO participant_suspension (participant, received_at, number, submission_id, since)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (participant) DO UPDATE SET received_at = excluded.received_at, number = excluded.number,
                submission_id = excluded.submission_id
            """,
            [
                SQLValue(participant), SQLValue(submission.receivedAt), SQLValue(submission.number),
                SQLValue(submission.submissionID), SQLValue(at),
            ])
    }

    /// Ends a participant's suspension; false if there is none.
    package func lift(_ participant: String, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM participant_suspension WHERE participant = ?", [SQLValue(participant)]) > 0
    }

    /// Returns the suspended participants with the time of the suspension.
    package func all(in transaction: any SQLTransaction) throws -> [String: Date] {
        var all: [String: Date] = [:]
        for row in try transaction.query("SELECT participant, since FROM participant_suspension") {
            all[try row.text("participant")] = try row.date("since")
        }
        return all
    }
}
