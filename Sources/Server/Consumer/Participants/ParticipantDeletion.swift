import Foundation
import Records
import Storage
import Trust
import Warehouse

/// Deletes participants from the records' store, in the transaction of its caller, and says what is left to do in the
/// queue, which is another store.
///
/// That they were deleted is noted in the same transaction, so that nothing comes back: a message that the consumer
/// handles at that moment was recorded before, and goes with the rest, or is refused after.
public struct ParticipantDeletion: Sendable {
    /// The account of a deletion, by which one that was interrupted is ended as it was begun.
    public struct Account: Sendable, Hashable, Codable {
        /// What the participant's devices sent: to be emptied in the queue. Empty once that was done.
        public var stretches: [SubmissionStretch]
        /// By their tables, the rows that went.
        public var removed: [String: RowsDigest]
        /// The rows that stayed, by what they are.
        public var kept: [String: RowsDigest]
        /// Whose account deleted.
        public let actor: String
        /// The reason that was given.
        public let reason: String?
        public let deletedAt: Date
    }

    let access: AccessControl
    let actor: Actor
    let keeps: Set<KeptOnDelete>
    let reason: String?
    let others: Others

    /// Deletes what other modules have of a participant, and returns by their tables the rows that went.
    public typealias Others = @Sendable (String, any SQLTransaction) throws -> [String: RowsDigest]

    /// - Parameters:
    ///   - access: whose clock counts.
    ///   - actor: who deletes.
    ///   - keeps: what the study keeps.
    ///   - others: what modules have that this one does not know.
    public init(
        access: AccessControl, actor: Actor, keeps: Set<KeptOnDelete>, reason: String?,
        others: @escaping Others = { _, _ in [:] }
    ) {
        self.others = others
        self.access = access
        self.actor = actor
        self.keeps = keeps
        self.reason = reason
    }

    /// Deletes a participant, notes it and writes its row of the audit.
    ///
    /// - Parameters:
    ///   - key: the study's key of digests.
    ///   - queued: what the queue has of them, as it was read just before.
    ///   - links: the store of links, whose rows the caller deletes after this; nil where there is none.
    /// - Throws: ``ConsumerError`` `participant-unknown`, ``Trust/TrustError``; then the transaction must not be committed.
    public func delete(
        _ participant: String, key: Data, queued: SQLSubmissionQueue.Emptied, links: LinkStore? = nil, at: Date,
        in transaction: any SQLTransaction
    ) throws -> Account {
        guard try Self.isKnown(participant, in: transaction) else { throw ConsumerError.participantUnknown }
        // 1. The audit's row, while the participant has a name there.
        try access.require(actor, .deleteParticipant, of: participant, in: transaction)
        // 2. All that is theirs, table by table.
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
        removed["settlement"] = try SettlementRegister().delete(stretches, in: transaction)
        // Before their keys are forgotten: what they signed is found by these.
        removed["device_message"] = try transaction.delete(
            from: "device_message",
            where: """
                key_id IN (SELECT key_id FROM device_key WHERE participant = ?)
                AND key_id NOT IN (SELECT key_id FROM device_key WHERE participant <> ?)
                """, theirs + theirs, orderedBy: "key_id, sequence")
        let forgotten = try AccessControl.forget(
            participant, keepsAudit: keeps.contains(.audit), in: transaction)
        removed["device_binding"] = forgotten.bindings
        removed["move_code"] = forgotten.moveCodes
        removed["device_key"] = forgotten.keys
        removed["token_patient"] = forgotten.tokens
        removed["user_account"] = forgotten.accounts
        removed["access_authorization"] = forgotten.authorizations
        removed["submission_body"] = queued.bodies
        // No link becomes theirs any more once this is committed: what is counted is what goes.
        if let links { removed["links"] = try links.digest(participant: participant) }
        // 3. What stays.
        var kept = ["submission": queued.submissions]
        if keeps.contains(.consent) { kept[KeptOnDelete.consent.rawValue] = contracts }
        if keeps.contains(.audit) {
            kept[KeptOnDelete.audit.rawValue] = forgotten.pseudonym
        } else {
            removed["participant_pseudonym"] = forgotten.pseudonym
        }
        // 4. That they were deleted.
        let account = Account(
            stretches: stretches, removed: removed, kept: kept, actor: actor.id, reason: reason, deletedAt: at)
        let register = DeletionRegister()
        try register.claim(key: key, in: transaction)
        try register.note(
            digest: DeletionRegister.digest(of: participant, key: key), deletedAt: at, work: try account.text,
            completedAt: nil, in: transaction)
        return account
    }

    /// Takes away what was noted of messages that were handled while the queue was not emptied yet, and notes that it is.
    public static func settle(
        _ account: Account, digest: String, in transaction: any SQLTransaction
    ) throws -> Account {
        _ = try SettlementRegister().delete(account.stretches, in: transaction)
        var account = account
        account.stretches = []
        try DeletionRegister().note(
            digest: digest, deletedAt: account.deletedAt, work: try account.text, completedAt: nil, in: transaction)
        return account
    }

    /// Whether there is anything of a participant: their consent, a device, a resource or a fact.
    public static func isKnown(_ participant: String, in transaction: any SQLTransaction) throws -> Bool {
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

    /// The ids of all participants of whom there is anything.
    public static func known(in transaction: any SQLTransaction) throws -> Set<String> {
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
    /// An account as it was noted.
    public init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// As it is noted.
    public var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
