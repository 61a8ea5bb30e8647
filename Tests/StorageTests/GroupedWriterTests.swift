import Foundation
import SubmissionsTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(10)))
struct GroupedWriterTests {
    @Test(arguments: Engine.allCases)
    func failedWriteDoesNotAffectOtherWritesOfTheGroup(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database async throws in
            let writer = GroupedWriter(database: database)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for id in 0..<200 {
                    group.addTask {
                        do {
                            try await writer.write { transaction in
                                try transaction.execute("INSERT INTO thing (id) VALUES (?)", [SQLValue(id)])
                                if id % 10 == 3 { throw StorageError(code: "test", message: "Refused.") }
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count(where: { $0 }) == 180)
            let rows = try await database.read {
                try $0.query("SELECT id FROM thing WHERE id % 10 = 3").count
            }
            let all = try await database.read { try $0.query("SELECT id FROM thing").count }
            #expect(rows == 0 && all == 180)
        }
    }

    /// If a busy store refuses a batch of writes, its writes are not retried one by one, each with another wait; after
    /// a fault of one of its writes they are.
    @Test(arguments: [("storage-busy", true), ("storage-full", true), ("storage-constraint", false)])
    func aBatchFailsAsOneWhenTheStoreItselfFails(code: String, asOne: Bool) async throws {
        try await Engine.sqlite.withDatabase { database async throws in
            let refusing = RefusingDatabase(database, code: code)
            let writer = GroupedWriter(database: refusing)
            let begun = Counter()
            let runs = Counter()
            let failures = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        begun.add()
                        do {
                            _ = try await writer.write { _ in runs.add() }
                            return nil
                        } catch {
                            return (error as? StorageError)?.code
                        }
                    }
                }
                // The first transaction waits until all writes have arrived, so that the others queue after it.
                while begun.value < 60 { await Task.yield() }
                for _ in 0..<1000 { await Task.yield() }
                refusing.open()
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(failures.count == 60 && failures.allSatisfy { $0 == code })
            if asOne {
                #expect(runs.value == 60 && refusing.transactions < 60)
            } else {
                #expect(runs.value > 60 && refusing.transactions > 60)
            }
        }
    }
}

/// Refuses each write at its commit; none continues before the door is open.
private final class RefusingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let error: StorageError
    private let state = Mutex((isOpen: false, transactions: 0))

    init(_ database: any SQLDatabase, code: String) {
        self.database = database
        error = StorageError(code: code, message: "Refused.")
    }

    func open() { state.withLock { $0.isOpen = true } }

    var transactions: Int { state.withLock { $0.transactions } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        state.withLock { $0.transactions += 1 }
        let deadline = Patience.deadline
        while !state.withLock({ $0.isOpen }), ContinuousClock.now < deadline { await Task.yield() }
        return try await database.write { transaction in
            _ = try body(transaction)
            throw self.error
        }
    }

    func close() async throws { try await database.close() }
}
