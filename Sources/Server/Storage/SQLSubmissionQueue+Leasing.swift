import Foundation

extension SQLSubmissionQueue {
    public func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool, passingOver lanes: [String]
    ) async throws -> [QueuedSubmission] {
        guard limit > 0 else { return [] }
        let (sql, passed) = Self.leasing(isIdle: isIdle, passingOver: lanes)
        let takesAlone = isIdle && lanes.isEmpty
        let clock = clock
        // Looking needs no write lock, and most of the time there is nothing. The bodies, which may be long, are read here too,
        // where nobody waits for the lock.
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
            // 1. What was never begun, or ended well. What changed since it was seen is looked at the next time, and what
            //    stands behind it.
            let found = try transaction.query(sql, parameters + passed + [SQLValue(limit)])
            var rows = try found.map { (row: $0, body: seen[try $0.integer("number")]) }.prefix { $0.body != nil }
            // 2. Then one that somebody died over, alone.
            while takesAlone, found.isEmpty, rows.isEmpty,
                let row = try transaction.first(Self.leaseBegunSQL, parameters)
            {
                // Whoever asks for what it has leased itself has not died over it.
                if try row.integer("begun") < Self.maximumBegun || row["lease_owner"] == .text(owner) {
                    rows = [(row, try Self.body(of: row, in: transaction))]
                } else {
                    try Self.settle(try row.integer("number"), as: Self.crashed, at: now, in: transaction)
                    // What waited behind it is free now, and comes before what was begun further back in its lane.
                    let freed = try Self.fitting(try transaction.query(sql, parameters + passed + [SQLValue(limit)]))
                    rows = try freed.map { (row: $0, body: try Self.body(of: $0, in: transaction)) }[...]
                }
            }
            guard !rows.isEmpty else { return [] }
            // 3. Whose lease in the lane ran out has lost all of it, also what stands behind: the order is the lane's.
            for lane in Set(try rows.map { try $0.row.text("lane") }) {
                try transaction.execute(Self.endOthersSQL, [SQLValue(lane), SQLValue(owner)])
            }
            // 4. That it is begun is durable before it is.
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
            throw StorageError.column("body", wanted: "the bytes of a submission that waits")
        }
        return try body.blob("body")
    }

    /// The bytes of bodies that are leased at a time; one is leased whatever it weighs.
    static let mostBytes: Int64 = 32 << 20

    /// The first rows whose bodies are not too much at a time.
    private static func fitting(_ rows: [SQLRow]) throws -> [SQLRow] {
        var bytes: Int64 = 0
        var count = 0
        for row in rows {
            bytes += try row.integer("size")
            guard count == 0 || bytes <= mostBytes else { break }
            count += 1
        }
        return Array(rows.prefix(count))
    }

    static let bodySQL = "SELECT body FROM submission_body WHERE number = ?"

    private static let crashed = SubmissionOutcome(
        status: .quarantined, reasonCode: "processing-crashed",
        detail: "The consumer was killed each time that it handled this; have a developer look at it.")

    static let anyReceivedSQL = "SELECT 1 AS one FROM submission WHERE status = 'received' LIMIT 1"

    /// No other owner has a live lease in the lane. Parameters: owner, now.
    private static let isFree = """
        NOT EXISTS (SELECT 1 FROM submission l WHERE l.lane = s.lane AND l.lease_owner IS NOT NULL
            AND l.lease_owner <> ? AND l.lease_until > ?)
        """

    /// For an owner that handles nothing. Parameters: owner, now, limit.
    static let leaseSQL = leaseSQL(without: "k.begun > 0 AND k.number <= s.number")

    /// For an owner that handles submissions: what was released comes before them in its lane, and waits all the same.
    /// Parameters: owner, now, limit.
    static let leaseBesideSQL = leaseSQL(without: "k.begun > 0")

    private static func leaseSQL(without condition: String, passingOver: Bool = false) -> String {
        let places = repeatElement("?", count: mostPassedOver).joined(separator: ", ")
        return """
            SELECT s.* FROM submission s
            WHERE s.status = 'received' AND \(isFree)
            AND NOT EXISTS (SELECT 1 FROM submission k WHERE k.lane = s.lane AND k.status = 'received' AND \(condition))
            \(passingOver ? "AND s.lane NOT IN (\(places))" : "") ORDER BY s.number LIMIT ?
            """
    }

    /// So many lanes can be passed over.
    public static let mostPassedOver = 64

    /// The statement that leases, and its parameters between the time and the limit.
    private static func leasing(isIdle: Bool, passingOver lanes: [String]) -> (sql: String, parameters: [SQLValue]) {
        guard let last = lanes.last else { return (isIdle ? leaseSQL : leaseBesideSQL, []) }
        let named = lanes.suffix(mostPassedOver).map { SQLValue($0) }
        // Always as many, so that it is one statement.
        let rest = repeatElement(SQLValue(last), count: mostPassedOver - named.count)
        return (isIdle ? leasePassingSQL : leaseBesidePassingSQL, named + rest)
    }

    /// Parameters: owner, now, lanes, limit.
    static let leasePassingSQL = leaseSQL(without: "k.begun > 0 AND k.number <= s.number", passingOver: true)
    /// Parameters: owner, now, lanes, limit.
    static let leaseBesidePassingSQL = leaseSQL(without: "k.begun > 0", passingOver: true)

    /// Parameters: owner, now.
    static let leaseBegunSQL = """
        SELECT s.* FROM submission s
        WHERE s.status = 'received' AND s.begun > 0 AND \(isFree)
        AND NOT EXISTS (SELECT 1 FROM submission k WHERE k.lane = s.lane AND k.status = 'received' AND k.begun > 0
            AND k.number < s.number)
        ORDER BY s.number LIMIT 1
        """

    /// Parameters: lane, owner.
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
            // Those behind it may not go before it, so their leases are given back too, also earlier ones of the owner.
            try transaction.execute(
                """
                UPDATE submission SET begun = 0, lease = NULL, lease_owner = NULL, lease_until = NULL
                WHERE lane = ? AND number >= ? AND lease_owner = ? AND status = 'received'
                """,
                [SQLValue(submission.lane), SQLValue(submission.number), SQLValue(submission.leaseOwner)])
        }
    }
}
