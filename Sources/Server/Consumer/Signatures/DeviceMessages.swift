import Foundation
import Storage
import Submissions
import Wire

/// Messages that devices' keys have signed and that were received. They show replays, reused numbers and gaps.
package struct DeviceMessages: Sendable {
    package init() {}

    /// Result of comparing a signed submission with earlier ones of its key.
    enum Status: Sendable, Hashable {
        case first
        /// An identical one was received before.
        case known
        /// The key signed something else with this number or id.
        case conflict
    }

    func status(
        of signature: SubmissionSignature, in transaction: any SQLTransaction
    ) throws -> Status {
        let rows = try transaction.query(
            "SELECT digest FROM device_message WHERE key_id = ? AND (sequence = ? OR submission_id = ?)",
            [SQLValue(signature.keyID), SQLValue(signature.sequence), SQLValue(signature.submissionID)])
        guard !rows.isEmpty else { return .first }
        return try rows.allSatisfy { try $0.text("digest") == signature.jws.digest } ? .known : .conflict
    }

    /// Whether the key signed a later change of the consent that is in force.
    func hasLaterConsent(than signature: SubmissionSignature, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            """
            SELECT 1 AS one FROM device_message WHERE key_id = ? AND sequence > ? AND changes_consent = 1 LIMIT 1
            """, [SQLValue(signature.keyID), SQLValue(signature.sequence)]) != nil
    }

    /// Records a submission with a valid signature, once; in the transaction that decides about it.
    func record(
        _ signature: SubmissionSignature, of submission: QueuedSubmission, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO device_message (key_id, sequence, submission_id, digest, previous, device, received_at,
                changes_consent) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
            ON CONFLICT (key_id, sequence) DO NOTHING
            """,
            [
                SQLValue(signature.keyID), SQLValue(signature.sequence), SQLValue(signature.submissionID),
                SQLValue(signature.jws.digest), SQLValue(signature.previous), SQLValue(submission.enrolmentID),
                SQLValue(submission.receivedAt),
            ])
    }

    /// Records that the signed message is the consent in force.
    func recordConsent(_ signature: SubmissionSignature, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE device_message SET changes_consent = 1 WHERE key_id = ? AND sequence = ?",
            [SQLValue(signature.keyID), SQLValue(signature.sequence)])
    }
}

/// A gap in a key's chain: a message references a predecessor that was not received.
package struct MessageGap: Sendable, Hashable {
    /// Enrolment of the device.
    package let enrolmentID: String
    /// First number that may be missing.
    package let from: Int64
    /// Last number that may be missing.
    package let to: Int64
    /// Receipt time of the message after the gap.
    package let since: Date
}

/// A fork of a key's chain: two messages with the same predecessor. The device was restored from an older state, or two
/// devices have its key.
package struct MessageFork: Sendable, Hashable {
    /// Enrolment of the device.
    package let enrolmentID: String
    /// Numbers of the messages with the same predecessor.
    package let sequences: [Int64]
}

extension DeviceMessages {
    /// Returns the enrolments whose devices have signed messages.
    package func signers(in transaction: any SQLTransaction) throws -> Set<String> {
        Set(try transaction.query("SELECT DISTINCT device FROM device_message").map { try $0.text("device") })
    }

    /// Returns all gaps, by enrolment and number. A number that the device skipped at a stop is not a gap, because the
    /// chain continues across it.
    package func gaps(in transaction: any SQLTransaction) throws -> [MessageGap] {
        let rows = try transaction.query(
            """
            SELECT m.device, m.sequence, m.received_at, (SELECT max(b.sequence) FROM device_message b
                WHERE b.key_id = m.key_id AND b.sequence < m.sequence) AS before_it
            FROM device_message m WHERE m.previous IS NOT NULL AND NOT EXISTS (SELECT 1 FROM device_message p
                WHERE p.key_id = m.key_id AND p.digest = m.previous) ORDER BY m.device, m.sequence
            """)
        return try rows.compactMap { row in
            let to = try row.integer("sequence") - 1
            let from = (row.integerIfPresent("before_it") ?? 0) + 1
            // Without a free number there is no gap but a fork.
            guard from <= to else { return nil }
            return MessageGap(
                enrolmentID: try row.text("device"), from: from, to: to, since: try row.date("received_at"))
        }
    }

    /// Returns all forks, by enrolment.
    package func forks(in transaction: any SQLTransaction) throws -> [MessageFork] {
        let rows = try transaction.query(
            """
            SELECT m.device, m.key_id, m.sequence, COALESCE(m.previous, '') AS predecessor FROM device_message m
            WHERE EXISTS (SELECT 1 FROM device_message o WHERE o.key_id = m.key_id AND o.sequence <> m.sequence
                AND COALESCE(o.previous, '') = COALESCE(m.previous, ''))
            OR (m.previous IS NOT NULL AND NOT EXISTS (SELECT 1 FROM device_message p WHERE p.key_id = m.key_id
                AND p.digest = m.previous) AND EXISTS (SELECT 1 FROM device_message n WHERE n.key_id = m.key_id
                AND n.sequence = m.sequence - 1))
            ORDER BY m.device, m.key_id, predecessor, m.sequence
            """)
        var forks: [MessageFork] = []
        var last: (String, String)?
        for row in rows {
            let key = (try row.text("key_id"), try row.text("predecessor"))
            let sequence = try row.integer("sequence")
            if let last, last == key, let fork = forks.popLast() {
                forks.append(MessageFork(enrolmentID: fork.enrolmentID, sequences: fork.sequences + [sequence]))
            } else {
                forks.append(MessageFork(enrolmentID: try row.text("device"), sequences: [sequence]))
            }
            last = key
        }
        return forks
    }
}
