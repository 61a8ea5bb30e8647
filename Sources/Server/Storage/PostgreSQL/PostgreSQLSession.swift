import Foundation

/// A connection and its thread. A connection that was lost is made anew for the next transaction.
actor PostgreSQLSession {
    /// The transactions that a session runs.
    enum Kind: Sendable {
        /// One consistent state of the database.
        case reading
        /// One at a time of all that write to this store, on whatever machine, as SQLite has it.
        case writing
    }

    /// What the connection's holder says of the store's schema, as long as it is connected.
    enum Use: Sendable {
        /// It works with the schema as it is: nobody changes it meanwhile.
        case shared
        /// It changes the schema: nobody else is connected to the store.
        case alone
    }

    /// So often a transaction is begun anew that the server ended over others.
    private static let attempts = 5
    /// So long a server that restarts is waited for.
    private static let patience: Duration = .seconds(5)

    private let address: PostgreSQLAddress
    private let schema: PostgreSQLSchema
    private let purpose: DatabasePurpose
    private let use: Use
    /// Looks at the store each time that a connection was made: it may have been changed since the last one.
    private let check: @Sendable (any SQLTransaction) throws -> Void
    private let executor: DispatchQueueExecutor
    private var connection: PostgreSQLConnection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ address: PostgreSQLAddress, schema: PostgreSQLSchema, purpose: DatabasePurpose, use: Use = .shared,
        check: @escaping @Sendable (any SQLTransaction) throws -> Void
    ) {
        self.address = address
        self.schema = schema
        self.purpose = purpose
        self.use = use
        self.check = check
        executor = DispatchQueueExecutor(
            label: "tributary.postgresql",
            qualityOfService: purpose == .recording ? BackgroundPriority.recording.qualityOfService : .default)
    }

    /// Runs one transaction. It is durable when this returns, and undone when `body` throws.
    ///
    /// - Parameter onWait: told how long it waited for the turn to write.
    func run<T: Sendable>(
        _ kind: Kind, onWait: (@Sendable (Duration) -> Void)? = nil, since asked: ContinuousClock.Instant = .now,
        _ body: @Sendable (any SQLTransaction) throws -> T
    ) throws -> T {
        if purpose == .recording { BackgroundPriority.recording.takeOnThread() }
        var attempt = 1
        while true {
            do {
                return try attemptOnce(kind, onWait: onWait, since: asked, body)
            } catch {
                guard let refusal = error as? StorageError, refusal.isOverOthers, attempt < Self.attempts else {
                    throw error
                }
                attempt += 1
            }
        }
    }

    /// Runs one transaction; once more where a table has other types than when its statements were prepared.
    private func attemptOnce<T>(
        _ kind: Kind, onWait: (@Sendable (Duration) -> Void)?, since asked: ContinuousClock.Instant,
        _ body: (any SQLTransaction) throws -> T
    ) throws -> T {
        do {
            return try transact(kind, onWait: onWait, since: asked, body)
        } catch {
            guard let connection, connection.prepared.isOutdated else { throw error }
            guard connection.prepared.isRepeatable else {
                try? connection.forgetPrepared()
                throw error
            }
            connection.setPreparedAside()
            do {
                let value = try transact(kind, onWait: onWait, since: asked, body)
                connection.endAside(keepingNew: true)
                return value
            } catch let second {
                // Tables that are wrong now refuse what is prepared for them as well, or hold values of the wrong type. What
                // was prepared for the right ones is kept then: it does again when they are mended, and until then the
                // server says of it what is the matter.
                let isWrongNow = connection.prepared.isRefused || (second as? StorageError)?.code == "storage-column"
                connection.endAside(keepingNew: !isWrongNow)
                throw isWrongNow ? error : second
            }
        }
    }

    private func transact<T>(
        _ kind: Kind, onWait: (@Sendable (Duration) -> Void)?, since asked: ContinuousClock.Instant,
        _ body: (any SQLTransaction) throws -> T
    ) throws -> T {
        let connection = try begun(kind)
        connection.beginTransaction()
        onWait?(asked.duration(to: .now))
        do {
            let transaction = PostgreSQLTransaction(connection)
            let value = try body(transaction)
            try transaction.commit()
            return value
        } catch {
            if connection.isAlive { _ = try? connection.run("ROLLBACK") }
            if !connection.isAlive || connection.isInTransaction { self.connection = nil }
            throw error
        }
    }

    /// Runs statements that must stand outside of every transaction.
    func runOutside(_ body: @Sendable (PostgreSQLConnection) throws -> Void) throws {
        let connection = try connection ?? connect()
        self.connection = connection
        try body(connection)
    }

    func close() {
        isClosed = true
        connection = nil
    }

    /// A connection in a new transaction. One that turns out to be gone is made anew, for nothing was done yet.
    private func begun(_ kind: Kind) throws -> PostgreSQLConnection {
        if let connection, connection.isAlive {
            do {
                try begin(kind, on: connection)
                return connection
            } catch {
                if connection.isAlive {
                    _ = try? connection.run("ROLLBACK")
                    throw error
                }
                self.connection = nil
            }
        }
        let made = try connect()
        connection = made
        do {
            try begin(kind, on: made)
        } catch {
            if made.isAlive { _ = try? made.run("ROLLBACK") } else { connection = nil }
            throw error
        }
        return made
    }

    private func begin(_ kind: Kind, on connection: PostgreSQLConnection) throws {
        switch kind {
        case .reading: _ = try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        case .writing:
            try connection.run(together: [
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                "SELECT pg_advisory_xact_lock(\(schema.lockKey))",
            ])
        }
    }

    private func connect() throws -> PostgreSQLConnection {
        guard !isClosed else { throw StorageError(code: "storage-open", message: "The database was closed.") }
        let deadline = ContinuousClock.now + Self.patience
        var pause: UInt32 = 50_000
        while true {
            do {
                return try Self.connected(address, schema, purpose: purpose, use: use, check: check)
            } catch {
                guard (error as? StorageError)?.code == "storage-open", ContinuousClock.now < deadline else {
                    throw error
                }
                // The thread is this session's own.
                usleep(pause)
                pause = min(pause * 2, 1_000_000)
            }
        }
    }

    /// A connection that holds what its use needs, to a store that was looked at.
    static func connected(
        _ address: PostgreSQLAddress, _ schema: PostgreSQLSchema, purpose: DatabasePurpose, use: Use,
        check: @Sendable (any SQLTransaction) throws -> Void
    ) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address, settings: schema.settings(for: purpose))
        do {
            let lock = use == .shared ? "pg_advisory_lock_shared" : "pg_advisory_lock"
            _ = try connection.run("SELECT \(lock)(\(schema.useKey))")
        } catch {
            guard error.code == "storage-busy" else { throw error }
            throw use == .shared ? isChanging : isInUse
        }
        try check(PostgreSQLTransaction(connection))
        return connection
    }

    private static let isChanging = StorageError(
        code: "storage-locked", message: "The store is being brought up to date; try again when that is done.")
    private static let isInUse = StorageError(
        code: "storage-locked",
        message: "Others work with the store; stop them before it is brought up to date.")
}
