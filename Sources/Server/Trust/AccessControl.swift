import Foundation
import Storage

/// Who is who and who may do what. Every decision leaves a row in the table `audit`.
///
/// All methods throw ``Storage/StorageError`` when the database fails: no decision without its row.
public struct AccessControl: Sendable {
    let database: any SQLDatabase
    let policy: Policy
    let clock: @Sendable () -> Date
    let random: @Sendable (Int) -> [UInt8]
    private let writer: GroupedWriter

    /// - Parameters:
    ///   - clock: tells the time.
    ///   - random: gives so many random bytes, fit for secrets.
    public init(
        database: any SQLDatabase, policy: Policy = Policy(), clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8] = AccessControl.systemRandom
    ) {
        self.database = database
        self.policy = policy
        self.clock = clock
        self.random = random
        writer = GroupedWriter(database: database)
    }

    /// Decides and writes the audit row.
    public func decide(_ actor: Actor?, _ action: Action, _ target: Target) async throws -> Decision {
        try await writer.write { try decide(actor, action, target, in: $0) }
    }

    /// Decides and writes the audit row as part of a transaction.
    public func decide(
        _ actor: Actor?, _ action: Action, _ target: Target, in transaction: any SQLTransaction
    ) throws -> Decision {
        let decision = policy.decide(actor, action, target)
        try record(decision, actor, action, target, in: transaction)
        return decision
    }

    /// Writes the audit row of a proof that was refused before the policy was asked, such as a wrong receipt.
    public func recordRefusal(_ reason: String, _ actor: Actor?, _ action: Action, _ target: Target)
        async throws
    {
        try await writer.write { try record(.denied(reason), actor, action, target, in: $0) }
    }

    func record(
        _ decision: Decision, _ actor: Actor?, _ action: Action, _ target: Target,
        in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO audit (at, actor_id, role, action, resource_type, resource_id, subject, allowed, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(clock()), SQLValue(actor?.id), SQLValue(actor?.role.rawValue),
                SQLValue(action.rawValue),
                SQLValue(target.resourceType), SQLValue(target.resourceID), SQLValue(target.subject),
                SQLValue(decision.allowed), SQLValue(decision.reason),
            ])
    }

    /// Bytes of the system's generator.
    public static let systemRandom: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
