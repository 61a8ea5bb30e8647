import Foundation
import Storage
import Synchronization

/// A database that fails at its n-th statement, or at the commit of a transaction: for tests of the state after a
/// failure.
///
/// Statements are counted from 1 across transactions, and each commit of a write counts as one.
final class FaultingDatabase: SQLDatabase {
    private struct State {
        var count = 0
        var fault: Int?
        var hasFailed = false
    }

    private let database: any SQLDatabase
    private let error: StorageError
    private let state = Mutex(State())

    init(_ database: any SQLDatabase, code: String = "storage-io") {
        self.database = database
        error = StorageError(code: code, message: "The test's database fails here.")
    }

    /// Makes the n-th statement from now on fail, once; nil for none.
    func fail(at statement: Int?) {
        state.withLock { $0 = State(fault: statement) }
    }

    /// Whether the fault has occurred.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Counts a statement, and throws if it is the failing one.
    fileprivate func count() throws {
        let isFault = state.withLock { state in
            state.count += 1
            guard state.count == state.fault else { return false }
            state.hasFailed = true
            return true
        }
        if isFault { throw error }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read { try body(FaultingTransaction(transaction: $0, database: self)) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.write { transaction in
            let value = try body(FaultingTransaction(transaction: transaction, database: self))
            try self.count()
            return value
        }
    }

    func close() async throws { try await database.close() }
}

private struct FaultingTransaction: SQLTransaction {
    let transaction: any SQLTransaction
    let database: FaultingDatabase

    var dialect: SQLDialect { transaction.dialect }

    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
        try database.count()
        return try transaction.execute(sql, parameters)
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try database.count()
        return try transaction.query(sql, parameters)
    }

    func each(_ sql: String, _ parameters: [SQLValue], body: (SQLRow) throws -> Void) throws {
        try database.count()
        try transaction.each(sql, parameters, body: body)
    }

    func limited<T>(until end: ContinuousClock.Instant, _ body: () throws -> T) throws -> T {
        try transaction.limited(until: end, body)
    }

    func prepare(_ sql: String) throws -> any SQLStatement {
        FaultingStatement(statement: try transaction.prepare(sql), database: database)
    }
}

private struct FaultingStatement: SQLStatement {
    let statement: any SQLStatement
    let database: FaultingDatabase

    func bind(_ value: SQLValue, at position: Int) throws { try statement.bind(value, at: position) }

    func run() throws -> Int {
        try database.count()
        return try statement.run()
    }
}
