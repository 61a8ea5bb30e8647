import Audit
import Foundation
import ResearchResults
import Storage

/// The mails that wait in the people store.
///
/// A mail is written in the transaction of its cause, so that there is neither a mail without cause nor a cause without
/// mail. One process at a time attempts to send a mail: the attempt has a lease. The lease of a process that ended
/// without giving it back expires.
package struct MailQueue: Sendable {
    /// Seconds of a lease: longer than an attempt and the record of its outcome take.
    static let leaseSeconds = 180.0

    /// Signalled after a mail was queued.
    package let arrivals: ArrivalSignal
    private let database: any SQLDatabase
    private let clock: QueueClock
    private let date: @Sendable () -> Date

    /// - Parameters:
    ///   - database: people store, with the tables of ``MailSchema``.
    ///   - clock: clock of the leases: that of the database if several hosts share it.
    ///   - date: current time of this host.
    package init(
        database: any SQLDatabase, clock: QueueClock = .ofDatabase, arrivals: ArrivalSignal = ArrivalSignal(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.database = database
        self.clock = clock
        self.arrivals = arrivals
        self.date = date
    }

    /// Queues a mail. After the transaction, `arrivals.send()` makes the delivery begin at once.
    ///
    /// - Returns: the id of the mail.
    @discardableResult
    package func enqueue(_ mail: MailContent, in transaction: any SQLTransaction) throws -> String {
        let now = try clock.now(date(), in: transaction)
        let id = RandomID.make(SystemRandom.bytes)
        try transaction.execute(
            "INSERT INTO mail_message (id, recipient, subject, body, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)",
            [
                SQLValue(id), SQLValue(mail.recipient.text), SQLValue(mail.subject), SQLValue(mail.text), SQLValue(now),
                SQLValue(now),
            ])
        return id
    }

    /// Removes the mails that wait for an address, for example those of a deleted account. One that is being sent at
    /// this time still arrives.
    ///
    /// - Returns: the number of removed mails.
    @discardableResult
    package static func removeAll(to recipient: EmailAddress, in transaction: any SQLTransaction) throws -> Int {
        try transaction.execute(removeSQL, [SQLValue(recipient.text)])
    }

    /// Returns the number of mails that wait.
    package func count() async throws -> Int {
        try await database.read {
            Int(try $0.first("SELECT count(*) AS total FROM mail_message")?.integer("total") ?? 0)
        }
    }

    /// Takes the mail that is due first, for one attempt; nil if none is due.
    package func lease(owner: String) async throws -> QueuedMail? {
        // The search needs no write lock, and usually finds nothing.
        guard try await untilNextDue().map({ $0 <= .zero }) ?? false else { return nil }
        return try await database.write { transaction in
            let now = try clock.now(date(), in: transaction)
            guard let row = try transaction.first(Self.dueSQL, [SQLValue(now)]) else { return nil }
            let mail = try QueuedMail(row, lease: RandomID.make(SystemRandom.bytes))
            let end = now.addingTimeInterval(Self.leaseSeconds)
            try transaction.execute(
                "UPDATE mail_message SET due_at = ?, lease = ?, lease_owner = ? WHERE number = ?",
                [SQLValue(end), SQLValue(mail.lease), SQLValue(owner), SQLValue(mail.number)])
            return mail
        }
    }

    /// Records the outcome of an attempt.
    ///
    /// - Returns: the future of the mail; nil if the attempt had lost its lease, or the mail was removed meanwhile.
    @discardableResult
    package func settle(
        _ mail: QueuedMail, as outcome: MailOutcome, schedule: MailSchedule = MailSchedule()
    ) async throws -> MailDecision? {
        try await database.write { transaction in
            let now = try clock.now(date(), in: transaction)
            let decision = schedule.decision(
                after: outcome, attempts: mail.attempts, created: mail.created, now: now)
            let changed =
                switch decision {
                case .remove:
                    try transaction.execute(
                        "DELETE FROM mail_message WHERE number = ? AND lease = ?",
                        [SQLValue(mail.number), SQLValue(mail.lease)])
                case .retry(let due, let attempts):
                    try transaction.execute(
                        """
                        UPDATE mail_message SET due_at = ?, attempts = ?, lease = NULL, lease_owner = NULL
                        WHERE number = ? AND lease = ?
                        """, [SQLValue(due), SQLValue(attempts), SQLValue(mail.number), SQLValue(mail.lease)])
                }
            return changed == 1 ? decision : nil
        }
    }

    /// Returns the time until the next mail is due; nil if none waits. It is not positive if one is due.
    package func untilNextDue() async throws -> Duration? {
        try await database.lookUp { transaction in
            guard let due = try transaction.first(Self.nextSQL)?.date("due_at") else { return nil }
            return .seconds(due.timeIntervalSince(try clock.now(date(), in: transaction)))
        }
    }

    /// Ends the leases of processes of this host that have ended, so that their mails are due at once.
    ///
    /// - Parameter owner: owner of this process's leases.
    package func releaseAbandoned(owner: String) async throws {
        let owners = try await database.read { try $0.query(Self.ownersSQL).map { try $0.text("lease_owner") } }
        let gone = owners.filter { $0 != owner && LeaseOwner($0)?.isGone ?? false }
        guard !gone.isEmpty else { return }
        try await database.write { transaction in
            let now = SQLValue(try clock.now(date(), in: transaction))
            for owner in gone { try transaction.execute(Self.releaseSQL, [now, SQLValue(owner)]) }
        }
    }

    /// Parameter: now.
    static let dueSQL = "SELECT * FROM mail_message WHERE due_at <= ? ORDER BY due_at, number LIMIT 1"
    static let nextSQL = "SELECT due_at FROM mail_message ORDER BY due_at, number LIMIT 1"
    static let ownersSQL = "SELECT DISTINCT lease_owner FROM mail_message WHERE lease_owner IS NOT NULL"
    /// Parameters: now, owner.
    static let releaseSQL = """
        UPDATE mail_message SET due_at = ?, lease = NULL, lease_owner = NULL
        WHERE lease_owner IS NOT NULL AND lease_owner = ?
        """
    /// Parameter: address.
    static let removeSQL = "DELETE FROM mail_message WHERE recipient = ?"
}
