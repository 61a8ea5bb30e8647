import AccessPolicy
import Core
import Crypto
import Foundation
import Storage

/// Register of deleted participants, to recognize later data about them. It contains only keyed digests of their ids
/// (HMAC-SHA-256, RFC 2104).
package struct DeletionRegister: Sendable {
    /// Code that is reported to devices and people.
    package static let code = "participant-deleted"

    /// A deletion that was started.
    package struct Entry: Sendable, Hashable {
        /// Keyed digest of the participant's id, in lowercase hexadecimal.
        package let digest: String
        package let deletedAt: Date
        /// Time at which its report was written; nil if the deletion is not complete.
        package let completedAt: Date?
        /// Progress of the deletion, in the format of the code that deletes; nil when it is complete.
        package let work: String?

        init(_ row: SQLRow) throws {
            digest = try row.text("digest")
            deletedAt = try row.date("deleted_at")
            completedAt = row.dateIfPresent("completed_at")
            work = row.textIfPresent("work")
        }
    }

    package init() {}

    /// Returns the keyed digest of a participant's id, in lowercase hexadecimal.
    package static func digest(of participant: String, key: Data) -> String {
        Hexadecimal.text(
            HMAC<SHA256>.authenticationCode(for: Data(participant.utf8), using: SymmetricKey(data: key)))
    }

    /// Returns the study's key for the digests; nil before the first deletion.
    package func key(in transaction: any SQLTransaction) throws -> Data? {
        try transaction.first("SELECT digest_key FROM participant_deletion_key WHERE id = 1")?.blob("digest_key")
    }

    /// Stores the key, once.
    ///
    /// - Throws: ``AccessError`` `deletions-mismatch` if the store has a different one.
    package func claim(key: Data, in transaction: any SQLTransaction) throws {
        if let present = try self.key(in: transaction) {
            guard present == key else {
                throw AccessError(
                    code: "deletions-mismatch",
                    message: "The list of deleted participants belongs to another study than the records.")
            }
            return
        }
        try transaction.execute(
            "INSERT INTO participant_deletion_key (id, digest_key) VALUES (1, ?)", [SQLValue(key)])
    }

    /// Returns the deletion of a participant; nil if there is none.
    package func entry(of participant: String, in transaction: any SQLTransaction) throws -> Entry? {
        guard let key = try key(in: transaction) else { return nil }
        return try entry(digest: Self.digest(of: participant, key: key), in: transaction)
    }

    /// Returns the deletion for the keyed digest of a participant's id.
    package func entry(digest: String, in transaction: any SQLTransaction) throws -> Entry? {
        try transaction.first("SELECT * FROM participant_deletion WHERE digest = ?", [SQLValue(digest)])
            .map { try Entry($0) }
    }

    /// Whether data of a participant must be refused because they were deleted.
    package func isDeleted(_ participant: String, in transaction: any SQLTransaction) throws -> Bool {
        try entry(of: participant, in: transaction) != nil
    }

    /// Returns all deletions, sorted by their digests.
    package func all(in transaction: any SQLTransaction) throws -> [Entry] {
        try transaction.query("SELECT * FROM participant_deletion ORDER BY digest").map { try Entry($0) }
    }

    /// Returns the deletions that are not complete, sorted by their digests.
    package func unfinished(in transaction: any SQLTransaction) throws -> [Entry] {
        try transaction.query("SELECT * FROM participant_deletion WHERE work IS NOT NULL ORDER BY digest")
            .map { try Entry($0) }
    }

    /// Records a deletion, or its progress.
    ///
    /// - Parameter work: nil when the deletion is complete.
    package func record(
        digest: String, deletedAt: Date, work: String?, completedAt: Date?, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO participant_deletion (digest, deleted_at, completed_at, work) VALUES (?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET completed_at = excluded.completed_at, work = excluded.work
            """, [SQLValue(digest), SQLValue(deletedAt), SQLValue(completedAt), SQLValue(work)])
    }
}
