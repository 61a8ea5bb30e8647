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

    /// So often a transaction is begun anew that the server ended over others.
    private static let attempts = 5
    /// So long a server that restarts is waited for.
    private static let patience: Duration = .seconds(5)

    private let address: PostgreSQLAddress
    private let schema: PostgreSQLSchema
    private let purpose: DatabasePurpose
    private let executor: DispatchQueueExecutor
    private var connection: PostgreSQLConnection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ address: PostgreSQLAddress, schema: PostgreSQLSchema, purpose: DatabasePurpose) {
        self.address = address
        self.schema = schema
        self.purpose = purpose
        executor = DispatchQueueExecutor(
            label: "tributary.postgresql",
            qualityOfService: purpose == .recording ? BackgroundPriority.qualityOfService : .default)
    }

    /// Runs one transaction. It is durable when this returns, and undone when `body` throws.
    ///
    /// - Parameter onWait: told how long it waited for the turn to write.
    func run<T: Sendable>(
        _ kind: Kind, onWait: (@Sendable (Duration) -> Void)? = nil, since asked: ContinuousClock.Instant = .now,
        _ body: @Sendable (any SQLTransaction) throws -> T
    ) throws -> T {
        if purpose == .recording { BackgroundPriority.takeOnThread() }
        var attempt = 1
        while true {
            let connection = try begun(kind)
            onWait?(asked.duration(to: .now))
            do {
                let transaction = PostgreSQLTransaction(connection)
                let value = try body(transaction)
                try transaction.flush()
                guard !connection.isFailed else {
                    throw StorageError(
                        code: "storage-failed", message: "A statement of the transaction failed; nothing was written.")
                }
                _ = try connection.run("COMMIT")
                return value
            } catch {
                if connection.isAlive { _ = try? connection.run("ROLLBACK") }
                if !connection.isAlive || connection.isInTransaction { self.connection = nil }
                guard let refusal = error as? StorageError, refusal.isOverOthers, attempt < Self.attempts else {
                    throw error
                }
                attempt += 1
            }
        }
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
            _ = try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            _ = try connection.run("SELECT pg_advisory_xact_lock(\(schema.lockKey))")
        }
    }

    private func connect() throws -> PostgreSQLConnection {
        guard !isClosed else { throw StorageError(code: "storage-open", message: "The database was closed.") }
        let deadline = ContinuousClock.now + Self.patience
        var pause: UInt32 = 50_000
        while true {
            do {
                return try PostgreSQLConnection(address, settings: schema.settings(for: purpose))
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                // The thread is this session's own.
                usleep(pause)
                pause = min(pause * 2, 1_000_000)
            }
        }
    }
}
