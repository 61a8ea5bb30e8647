import Foundation
import Storage

extension SQLSubmissionQueue {
    public func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool, passingOver enrolmentIDs: [String]
    ) async throws -> [QueuedSubmission] {
        guard limit > 0 else { return [] }
        let (sql, passed) = Self.leasing(isIdle: isIdle, passingOver: enrolmentIDs)
        let takesAlone = isIdle && enrolmentIDs.isEmpty
        let clock = clock
        // The search needs no write lock, and usually finds nothing. It also reads the bodies, which may be long, while
        // no one waits for the lock.
        let seen: [Int64: Data]? = try await database.read { transaction in
            guard try transaction.first(Self.anyReceivedSQL) != nil else { return nil }
            let parameters = [SQLValue(owner), SQLValue(try clock.now(now, in: transaction))]
            let rows = try Self.fitting(try transaction.query(sql, parameters + passed + [SQLValue(limit)]))
            return Dictionary(
                try rows.map { (try $0.integer("number"), try Self.body(of: $0, in: transaction)) },
                uniquingKeysWith: { first, _ in first })
        }
        guard let seen else { return [] }
        return try await database.write { transaction in
            let now = try clock.now(now, in: transaction)
            let parameters = [SQLValue(owner), SQLValue(now)]
            // 1. Lease submissions that were never begun, or were given back. One that changed since the search ends
            //    the batch; it and the later ones are left for the next call.
            let found = try transaction.query(sql, parameters + passed + [SQLValue(limit)])
            var rows = try found.map { (row: $0, body: seen[try $0.integer("number")]) }.prefix { $0.body != nil }
            // 2. Otherwise lease one submission that was begun and not ended, by itself.
            while takesAlone, found.isEmpty, rows.isEmpty,
                let row = try transaction.first(Self.leaseBegunSQL, parameters)
            {
                // A submission that the owner itself has leased did not crash its process.
                if try row.integer("begun") < Self.maximumBegun || row["lease_owner"] == .text(owner) {
                    rows = [(row, try Self.body(of: row, in: transaction))]
                } else {
                    try Self.settle(try row.integer("number"), as: Self.crashed, at: now, in: transaction)
                    // The submissions after it are free now, and precede begun ones that are later in its device queue.
                    let freed = try Self.fitting(try transaction.query(sql, parameters + passed + [SQLValue(limit)]))
                    rows = try freed.map { (row: $0, body: try Self.body(of: $0, in: transaction)) }[...]
                }
            }
            guard !rows.isEmpty else { return [] }
            // 3. End expired leases of other owners in these device queues, also of later submissions: a device queue
            //    is processed in order.
            for enrolmentID in Set(try rows.map { try $0.row.text("lane") }) {
                try transaction.execute(Self.endOthersSQL, [SQLValue(enrolmentID), SQLValue(owner)])
            }
            // 4. Record durably that the submissions are begun before their processing begins.
            let lease = try Self.nextLease(in: transaction)
            let until = SQLValue(now.addingTimeInterval(duration))
            return try rows.map { row, body in
                let submission = try QueuedSubmission(row, body: body ?? Data(), leaseOwner: owner, lease: lease)
                try transaction.execute(
                    """
                    UPDATE submission SET begun = begun + CASE WHEN lease_owner = ? THEN 0 ELSE 1 END,
                    lease = ?, lease_owner = ?, lease_until = ? WHERE number = ?
                    """,
                    [SQLValue(owner), SQLValue(lease), SQLValue(owner), until, SQLValue(submission.number)])
                return submission
            }
        }
    }

    private static func body(of row: SQLRow, in transaction: any SQLTransaction) throws -> Data {
        guard let body = try transaction.first(bodySQL, [row["number"]]) else {
            throw StorageError.column("body", wanted: "the bytes of a waiting submission")
        }
        return try body.blob("body")
    }

    /// Maximum bytes of bodies per lease; a single larger submission is still leased.
    static let maximumBytes: Int64 = 32 << 20

    /// Returns the first rows whose bodies fit into the limit.
    private static func fitting(_ rows: [SQLRow]) throws -> [SQLRow] {
        var bytes: Int64 = 0
        var count = 0
        for row in rows {
            bytes += try row.integer("size")
            guard count == 0 || bytes <= maximumBytes else { break }
            count += 1
        }
        return Array(rows.prefix(count))
    }

    static let bodySQL = "SELECT body FROM submission_body WHERE number = ?"

    private static let crashed = SubmissionOutcome(
        status: .quarantined, reasonCode: "processing-crashed",
        detail: "The consumer was killed each time that it processed this; report it to a developer.")

    static let anyReceivedSQL = "SELECT 1 AS one FROM submission WHERE status = 'received' LIMIT 1"

    /// Condition that no other owner has a valid lease in the device queue. Parameters: owner, now.
    private static let isFree = """
        NOT EXISTS (SELECT 1 FROM submission l WHERE l.lane = s.lane AND l.lease_owner IS NOT NULL
            AND l.lease_owner <> ? AND l.lease_until > ?)
        """

    /// For an owner without submissions in progress. Parameters: owner, now, limit.
    static let leaseSQL = leaseSQL(without: "k.begun > 0 AND k.number <= s.number")

    /// For an owner with submissions in progress. A submission that was released may precede them in its device queue,
    /// and still waits.
    /// Parameters: owner, now, limit.
    static let concurrentLeaseSQL = leaseSQL(without: "k.begun > 0")

    private static func leaseSQL(without condition: String, passingOver: Bool = false) -> String {
        let placeholders = repeatElement("?", count: maximumPassedOver).joined(separator: ", ")
        return """
            SELECT s.* FROM submission s
            WHERE s.status = 'received' AND \(isFree)
            AND NOT EXISTS (SELECT 1 FROM submission k WHERE k.lane = s.lane AND k.status = 'received' AND \(condition))
            \(passingOver ? "AND s.lane NOT IN (\(placeholders))" : "") ORDER BY s.number LIMIT ?
            """
    }

    /// Maximum number of device queues that can be passed over.
    public static let maximumPassedOver = 64

    /// Returns the leasing statement, and its parameters between the time and the limit.
    private static func leasing(isIdle: Bool, passingOver enrolmentIDs: [String]) -> (
        sql: String, parameters: [SQLValue]
    ) {
        guard let last = enrolmentIDs.last else { return (isIdle ? leaseSQL : concurrentLeaseSQL, []) }
        let named = enrolmentIDs.suffix(maximumPassedOver).map { SQLValue($0) }
        // Pad to a fixed number of parameters, so that one prepared statement serves all.
        let rest = repeatElement(SQLValue(last), count: maximumPassedOver - named.count)
        return (isIdle ? leasePassingSQL : concurrentLeasePassingSQL, named + rest)
    }

    /// Parameters: owner, now, device queues, limit.
    static let leasePassingSQL = leaseSQL(without: "k.begun > 0 AND k.number <= s.number", passingOver: true)
    /// Parameters: owner, now, device queues, limit.
    static let concurrentLeasePassingSQL = leaseSQL(without: "k.begun > 0", passingOver: true)

    /// Parameters: owner, now.
    static let leaseBegunSQL = """
        SELECT s.* FROM submission s
        WHERE s.status = 'received' AND s.begun > 0 AND \(isFree)
        AND NOT EXISTS (SELECT 1 FROM submission k WHERE k.lane = s.lane AND k.status = 'received' AND k.begun > 0
            AND k.number < s.number)
        ORDER BY s.number LIMIT 1
        """

    /// Parameters: device queue, owner.
    static let endOthersSQL = """
        UPDATE submission SET lease = NULL, lease_owner = NULL, lease_until = NULL
        WHERE lane = ? AND lease_owner IS NOT NULL AND lease_owner <> ?
        """

    /// Parameter: owner.
    static let takeOverSQL = """
        UPDATE submission SET lease = NULL, lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND lease_owner <> ?
        """

    static let ownersSQL = "SELECT DISTINCT lease_owner FROM submission WHERE lease_owner IS NOT NULL"

    /// Parameter: owner.
    static let endSQL = """
        UPDATE submission SET lease = NULL, lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND lease_owner = ?
        """

    /// Parameters: until, owner.
    static let renewSQL = "UPDATE submission SET lease_until = ? WHERE lease_owner IS NOT NULL AND lease_owner = ?"

    /// Parameter: owner.
    static let giveBackSQL = """
        UPDATE submission SET begun = 0, lease = NULL, lease_owner = NULL, lease_until = NULL
        WHERE lease_owner = ? AND status = 'received'
        """

    public func takeOverLeases(owner: String) async throws {
        _ = try await database.write { transaction in
            try transaction.execute(Self.takeOverSQL, [SQLValue(owner)])
        }
    }

    public func leaseOwners() async throws -> [String] {
        try await database.read { transaction in
            try transaction.query(Self.ownersSQL).map { try $0.text("lease_owner") }
        }
    }

    public func endLeases(of owner: String) async throws {
        _ = try await database.write { try $0.execute(Self.endSQL, [SQLValue(owner)]) }
    }

    public func renew(owner: String, duration: TimeInterval, now: Date) async throws {
        let clock = clock
        _ = try await database.write { transaction in
            let until = try clock.now(now, in: transaction).addingTimeInterval(duration)
            try transaction.execute(Self.renewSQL, [SQLValue(until), SQLValue(owner)])
        }
    }

    public func giveBack(owner: String) async throws {
        _ = try await database.write { transaction in
            try transaction.execute(Self.giveBackSQL, [SQLValue(owner)])
        }
    }

    public func postpone(_ submission: QueuedSubmission, isFailure: Bool) async throws {
        try await database.write { transaction in
            guard try Self.isHeld(submission, in: transaction) else { return }
            if isFailure {
                try transaction.execute(
                    "UPDATE submission SET attempts = attempts + 1 WHERE number = ?", [SQLValue(submission.number)])
            }
            // Later submissions must keep their order after it, so their leases are given back too, including earlier
            // leases of the owner.
            try transaction.execute(
                """
                UPDATE submission SET begun = 0, lease = NULL, lease_owner = NULL, lease_until = NULL
                WHERE lane = ? AND number >= ? AND lease_owner = ? AND status = 'received'
                """,
                [SQLValue(submission.enrolmentID), SQLValue(submission.number), SQLValue(submission.leaseOwner)])
        }
    }
}
