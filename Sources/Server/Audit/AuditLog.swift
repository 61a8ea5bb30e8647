import AccessPolicy
import Foundation
import Storage

/// The audit in the records' store: every decision of the policy and its row in the table `audit`.
///
/// The rows contain participants under pseudonyms that one row of another table resolves; without that row, the audit
/// no longer identifies them. All methods throw ``Storage/StorageError`` when the database fails: there is no decision
/// without its row.
package struct AuditLog: Sendable {
    /// The records' store.
    package let database: any SQLDatabase
    /// Policy that decides.
    package let policy: Policy
    /// Returns the current time.
    package let clock: @Sendable () -> Date
    /// Returns a number of random bytes that are suitable for secrets.
    package let random: @Sendable (Int) -> [UInt8]
    private let writer: GroupedWriter

    /// Creates the audit of a records' database.
    ///
    /// - Parameters:
    ///   - clock: returns the current time.
    ///   - random: returns a number of random bytes that are suitable for secrets.
    package init(
        database: any SQLDatabase, policy: Policy = Policy(), clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
    ) {
        self.database = database
        self.policy = policy
        self.clock = clock
        self.random = random
        writer = GroupedWriter(database: database)
    }

    /// Runs `body` together with the audit rows of its decisions in one transaction, possibly with others, and returns
    /// when it is durable. `body` may run more than once, and must be short because other writers wait for it.
    package func recorded<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await writer.write(body)
    }

    /// Returns the policy's decision without an audit row, for callers that write the row together with the
    /// participants shown.
    package func decision(_ actor: Actor?, action: Action, target: Target) -> Decision {
        policy.decide(actor, action: action, target: target)
    }

    /// Decides and writes the audit row.
    package func decide(_ actor: Actor?, action: Action, target: Target) async throws -> Decision {
        try await writer.write { try decide(actor, action: action, target: target, in: $0) }
    }

    /// Decides and writes the audit row as part of a transaction.
    package func decide(
        _ actor: Actor?, action: Action, target: Target, in transaction: any SQLTransaction
    ) throws -> Decision {
        let decision = policy.decide(actor, action: action, target: target)
        try record(decision, by: actor, action: action, target: target, in: transaction)
        return decision
    }

    /// Decides and writes the audit row as part of a transaction.
    ///
    /// - Parameter message: message of the error, for users.
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason if the policy denies the action.
    package func require(
        _ actor: Actor, _ action: Action, target: Target, message: String, in transaction: any SQLTransaction
    ) throws {
        let decision = try decide(actor, action: action, target: target, in: transaction)
        guard decision.allowed else { throw AccessError(code: decision.reason, message: message) }
    }

    /// Writes the audit row of an act of the study team for participants.
    ///
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason if the policy denies it.
    package func require(
        _ actor: Actor, _ action: Action, of participant: String?, in transaction: any SQLTransaction
    ) throws {
        try require(
            actor, action, target: Target(resourceType: "Patient", resourceID: participant, subject: participant),
            message: "This account may not do this for participants.", in: transaction)
    }

    /// Writes the audit row of a decision, with the participants that the response contains.
    package func record(
        _ decision: Decision, by actor: Actor?, action: Action, target: Target, showing participants: Set<String>
    ) async throws {
        try await writer.write { transaction in
            let number = try record(decision, by: actor, action: action, target: target, in: transaction)
            for participant in participants.sorted() {
                try transaction.execute(
                    "INSERT INTO audit_participant (number, pseudonym) VALUES (?, ?)",
                    [SQLValue(number), SQLValue(try pseudonym(of: participant, in: transaction))])
            }
        }
    }

    /// Writes the audit row of a decision as part of a transaction.
    ///
    /// - Parameter amount: number of resources, if the target is the first of several.
    /// - Returns: the number of the row.
    @discardableResult
    package func record(
        _ decision: Decision, by actor: Actor?, action: Action, target: Target, amount: Int? = nil,
        in transaction: any SQLTransaction
    ) throws -> Int64 {
        let row = AuditRow(
            at: clock(), actor: actor, action: action, decision: decision, target: target,
            pseudonym: try target.participant.map { try pseudonym(of: $0, in: transaction) }, amount: amount,
            removable: RemovableID(of: target, random: random))
        let rows = try transaction.query(AuditRow.numberedSQL, AuditRow.insertion.values(of: row))
        return try rows.first?.integer("number") ?? 0
    }

    /// Writes the audit rows of one decision about several resources, as part of a transaction.
    package func record(
        _ decision: Decision, by actor: Actor?, action: Action, targets: [Target], in transaction: any SQLTransaction
    ) throws {
        let now = clock()
        var pseudonyms: [String: String] = [:]
        var rows = try transaction.inserter(AuditRow.insertion)
        for target in targets {
            var name: String?
            if let participant = target.participant {
                name = try pseudonyms[participant] ?? pseudonym(of: participant, in: transaction)
                pseudonyms[participant] = name
            }
            try rows.add(
                AuditRow(
                    at: now, actor: actor, action: action, decision: decision, target: target, pseudonym: name,
                    amount: nil, removable: RemovableID(of: target, random: random)))
        }
        try rows.flush()
    }

    /// Returns the pseudonym of a participant in the audit; creates one at the first use.
    func pseudonym(of participant: String, in transaction: any SQLTransaction) throws -> String {
        let known = try transaction.first(
            "SELECT pseudonym FROM participant_pseudonym WHERE participant = ?", [SQLValue(participant)])
        if let known { return try known.text("pseudonym") }
        // A deleted participant gets no new row, so that a request with their id does not restore it.
        if let deleted = try DeletionRegister().entry(of: participant, in: transaction) {
            return "deleted-" + deleted.digest
        }
        let pseudonym = RandomID.make(random)
        try transaction.execute(
            "INSERT INTO participant_pseudonym (participant, pseudonym) VALUES (?, ?)",
            [SQLValue(participant), SQLValue(pseudonym)])
        return pseudonym
    }
}
