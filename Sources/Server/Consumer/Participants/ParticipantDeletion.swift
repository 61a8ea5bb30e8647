import AccessPolicy
import Admission
import Audit
import Enrolments
import Foundation
import RecordStorage
import Storage
import Submissions
import Warehouse

/// Deletes participants from the records' store, in the transaction of the caller, and returns the work that remains in
/// the queue, which is another store.
///
/// The same transaction registers the deletion, so that no data is stored again: a message that the consumer is
/// processing is either recorded before and deleted too, or refused afterwards.
package struct ParticipantDeletion: Sendable {
    /// Account of a deletion, with which an interrupted deletion is completed as it was begun.
    package struct Account: Sendable, Hashable, Codable {
        /// Periods whose submissions are to be emptied in the queue. Empty when that is done.
        package var stretches: [SubmissionStretch]
        /// Deleted rows by table.
        package var removed: [String: RowsDigest]
        /// Retained rows by kind.
        package var kept: [String: RowsDigest]
        /// Account that deleted.
        package let actor: String
        /// Reason that was given.
        package let reason: String?
        package let deletedAt: Date
    }

    let access: EnrolmentStore
    let actor: Actor
    let keeps: Set<KeptOnDelete>
    let reason: String?
    let others: Others

    /// Deletes the data of other modules about a participant, and returns the deleted rows by table.
    package typealias Others = @Sendable (String, any SQLTransaction) throws -> [String: RowsDigest]

    /// - Parameters:
    ///   - access: access control, whose clock is used.
    ///   - actor: actor that deletes.
    ///   - keeps: data that the study retains.
    ///   - others: deletes the data of modules that this one does not know.
    package init(
        access: EnrolmentStore, actor: Actor, keeps: Set<KeptOnDelete>, reason: String?,
        others: @escaping Others = { _, _ in [:] }
    ) {
        self.others = others
        self.access = access
        self.actor = actor
        self.keeps = keeps
        self.reason = reason
    }

    /// Deletes a participant, registers the deletion and writes the audit row.
    ///
    /// - Parameters:
    ///   - key: the study's key for the digests.
    ///   - queued: digests of their rows in the queue, read just before.
    ///   - links: store of links, whose rows the caller deletes afterwards; nil if there is none.
    /// - Throws: ``ConsumerError`` `participant-unknown`, ``AccessPolicy/AccessError``; then the transaction must not be
    ///   committed.
    package func delete(
        _ participant: String, key: Data, queued: SQLSubmissionQueue.Emptied, links: LinkStore? = nil, at: Date,
        in transaction: any SQLTransaction
    ) throws -> Account {
        guard try Self.isKnown(participant, in: transaction) else { throw ConsumerError.participantUnknown }
        // 1. Write the audit row while the participant still has a pseudonym.
        try access.audit.require(actor, .deleteParticipant, of: participant, in: transaction)
        // 2. Delete the participant's data, table by table.
        let stretches = try access.stretches(of: participant, in: transaction)
        let theirs = [SQLValue(participant)]
        let others = try others(participant, transaction)
        var (removed, contracts) = try RecordStore().delete(
            about: participant, keeping: KeptOnDelete.types(keeps), in: transaction)
        removed.merge(others) { _, new in new }
        let facts = try WarehouseLoader().delete(participant: participant, in: transaction) ?? [:]
        removed.merge(facts) { _, new in new }
        removed["participant_consent"] = try ConsentRegister().delete(participant, in: transaction)
        removed["participant_suspension"] = try transaction.delete(
            from: "participant_suspension", where: "participant = ?", theirs, orderedBy: "participant")
        removed["settlement"] = try OutcomeStore().delete(stretches, in: transaction)
        // Delete messages before the keys, because they are found by the keys.
        removed["device_message"] = try transaction.delete(
            from: "device_message",
            where: """
                key_id IN (SELECT key_id FROM device_key WHERE participant = ?)
                AND key_id NOT IN (SELECT key_id FROM device_key WHERE participant <> ?)
                """, theirs + theirs, orderedBy: "key_id, sequence")
        let forgotten = try EnrolmentStore.forget(
            participant, keepsAudit: keeps.contains(.audit), in: transaction)
        removed["device_binding"] = forgotten.bindings
        removed["move_code"] = forgotten.moveCodes
        removed["device_key"] = forgotten.keys
        removed["token_patient"] = forgotten.tokens
        removed["user_account"] = forgotten.accounts
        removed["access_authorization"] = forgotten.authorizations
        removed["submission_body"] = queued.bodies
        // After the commit no link can become theirs, so the counted links are those that the caller deletes.
        if let links { removed["links"] = try links.digest(participant: participant) }
        // 3. Collect the retained rows.
        var kept = ["submission": queued.submissions]
        if keeps.contains(.consent) { kept[KeptOnDelete.consent.rawValue] = contracts }
        if keeps.contains(.audit) {
            kept[KeptOnDelete.audit.rawValue] = forgotten.pseudonym
        } else {
            removed["participant_pseudonym"] = forgotten.pseudonym
        }
        // 4. Register the deletion.
        let account = Account(
            stretches: stretches, removed: removed, kept: kept, actor: actor.id, reason: reason, deletedAt: at)
        let register = DeletionRegister()
        try register.claim(key: key, in: transaction)
        try register.record(
            digest: DeletionRegister.digest(of: participant, key: key), deletedAt: at, work: try account.text,
            completedAt: nil, in: transaction)
        return account
    }

    /// Deletes the outcomes of messages that were processed before the queue was emptied, and registers that it is
    /// empty.
    package static func settle(
        _ account: Account, digest: String, in transaction: any SQLTransaction
    ) throws -> Account {
        _ = try OutcomeStore().delete(account.stretches, in: transaction)
        var account = account
        account.stretches = []
        try DeletionRegister().record(
            digest: digest, deletedAt: account.deletedAt, work: try account.text, completedAt: nil, in: transaction)
        return account
    }

    /// Whether there is any data of a participant: consent, a device, a resource or a fact.
    package static func isKnown(_ participant: String, in transaction: any SQLTransaction) throws -> Bool {
        let theirs = [SQLValue(participant)]
        for sql in [
            "SELECT 1 AS one FROM participant_consent WHERE subject = ?",
            "SELECT 1 AS one FROM device_binding WHERE participant = ? LIMIT 1",
            "SELECT 1 AS one FROM participant_suspension WHERE participant = ?",
        ] {
            if try transaction.first(sql, theirs) != nil { return true }
        }
        let records = RecordStore()
        return try records.hasRecords(about: participant, ofTypes: records.types(in: transaction), in: transaction)
            || WarehouseLoader.number(of: participant, in: transaction) != nil
    }

    /// Returns the ids of all participants with any data.
    package static func known(in transaction: any SQLTransaction) throws -> Set<String> {
        var known = try RecordStore().subjects(in: transaction)
        known.formUnion(try WarehouseLoader().participants(in: transaction))
        for sql in [
            "SELECT subject AS participant FROM participant_consent",
            "SELECT DISTINCT participant FROM device_binding WHERE participant IS NOT NULL",
            "SELECT participant FROM participant_suspension", "SELECT participant FROM participant_pseudonym",
        ] {
            for row in try transaction.query(sql) { known.insert(try row.text("participant")) }
        }
        return known
    }
}

extension ParticipantDeletion.Account {
    /// Parses the stored form of an account.
    package init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// Stored form of the account.
    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
