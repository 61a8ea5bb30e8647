import Core
import Foundation

/// A connection and its thread. A lost connection is replaced for the next transaction.
actor PostgreSQLSession {
    /// Kind of a transaction.
    enum Kind: Sendable {
        /// Reads one consistent snapshot of the database.
        case reading
        /// Writes. One writer at a time uses the store, across all machines, as in SQLite.
        case writing
    }

    /// The use of the store's schema by an open connection.
    enum Use: Sendable {
        /// Uses the schema as it is: no one changes it meanwhile.
        case shared
        /// Changes the schema: no one else is connected to the store.
        case alone
    }

    /// Maximum number of attempts of a transaction that the server ends because of others.
    private static let attempts = 5
    /// Maximum wait for a server that restarts.
    private static let patience: Duration = .seconds(5)

    private let address: PostgreSQLAddress
    private let schema: PostgreSQLSchema
    private let purpose: DatabasePurpose
    private let use: Use
    /// Checks the store after each connect, because the store may have changed since the last one.
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

    /// Runs one transaction. It is durable when this function returns, and rolled back when `body` throws.
    ///
    /// - Parameter onWait: receives the time that the transaction waited for the write lock.
    func run<T: Sendable>(
        _ kind: Kind, onWait: (@Sendable (Duration) -> Void)? = nil, since asked: ContinuousClock.Instant = .now,
        _ body: @Sendable (any SQLTransaction) throws -> T
    ) throws -> T {
        if purpose == .recording { BackgroundPriority.recording.applyToThread() }
        var attempt = 1
        while true {
            do {
                return try attemptOnce(kind, onWait: onWait, since: asked, body)
            } catch {
                guard let refusal = error as? StorageError, refusal.isConflict, attempt < Self.attempts else {
                    throw error
                }
                attempt += 1
            }
        }
    }

    /// Runs one transaction, a second time if a table's types have changed since its statements were prepared.
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
            connection.beginReplacingPrepared()
            do {
                let value = try transact(kind, onWait: onWait, since: asked, body)
                connection.endReplacingPrepared(keepingNew: true)
                return value
            } catch let second {
                // A table that is wrong now also rejects the new statements, or holds values of the wrong type. Then
                // keep the previous statements: they work again when the table is repaired, and until then the server's
                // error names the cause.
                let isWrongNow = connection.prepared.isRefused || (second as? StorageError)?.code == "storage-column"
                connection.endReplacingPrepared(keepingNew: !isWrongNow)
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

    /// Runs statements that must not be part of a transaction.
    func runOutside(_ body: @Sendable (PostgreSQLConnection) throws -> Void) throws {
        let connection = try connection ?? connect()
        self.connection = connection
        try body(connection)
    }

    func close() {
        isClosed = true
        connection = nil
    }

    /// Returns a connection in a new transaction. A lost connection is replaced, because nothing has run in it yet.
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
        var backoff = ExponentialBackoff<UInt32>(first: 50_000, longest: 1_000_000)
        while true {
            do {
                return try Self.connected(address, schema, purpose: purpose, use: use, check: check)
            } catch {
                guard (error as? StorageError)?.code == "storage-open", ContinuousClock.now < deadline else {
                    throw error
                }
                // The thread belongs to this session.
                usleep(backoff.nextDelay())
            }
        }
    }

    /// Returns a connection that holds the lock of its use, to a store that passed the check.
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
        code: "storage-locked", message: "The store is being migrated; try again when the migration has ended.")
    private static let isInUse = StorageError(
        code: "storage-locked",
        message: "Other processes use the store; stop them before it is migrated.")
}
