import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Submissions
import Synchronization
import Testing

@testable import Audit

@Suite(.timeLimit(.minutes(10)))
struct RefusalCounterTests {
    private func counts(_ database: any SQLDatabase) async throws -> [String: Int64] {
        try await database.read { transaction in
            var counts: [String: Int64] = [:]
            for row in try transaction.query("SELECT minute, code, count FROM refusal_count") {
                counts[try row.text("minute") + " " + row.text("code")] = try row.integer("count")
            }
            return counts
        }
    }

    @Test func floodOfRefusalsIsCountedInFewWrites() async throws {
        try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
            let clock = TestClock()
            let counted = CountingDatabase(database)
            let counter = RefusalCounter(database: counted, interval: 5, clock: { clock.now })
            for _ in 0..<1700 { await counter.count("token-invalid") }
            #expect(counted.writes == 1)
            clock.advance(5)
            await counter.count("token-invalid")
            #expect(counted.writes == 2)
            #expect(try await counts(database) == ["2026-01-01T00:00 token-invalid": 1701])
            clock.advance(60)
            for code in ["token-invalid", "receipt-invalid", "receipt-invalid"] { await counter.count(code) }
            await counter.flush()
            #expect(
                try await counts(database) == [
                    "2026-01-01T00:00 token-invalid": 1701, "2026-01-01T00:01 token-invalid": 1,
                    "2026-01-01T00:01 receipt-invalid": 2,
                ])
            // Without new refusals nothing is written.
            let writes = counted.writes
            await counter.flush()
            #expect(counted.writes == writes)
        }
    }

    @Test func aStoreThatCannotBeWrittenLosesNoCount() async throws {
        try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
            let clock = TestClock()
            let counted = CountingDatabase(database)
            let counter = RefusalCounter(database: counted, interval: 5, clock: { clock.now })
            counted.isBusy = true
            for _ in 0..<10 { await counter.count("a") }
            await counter.flush()
            #expect(try await counts(database).isEmpty)
            counted.isBusy = false
            await counter.count("a")
            await counter.flush()
            #expect(try await counts(database) == ["2026-01-01T00:00 a": 11])
        }
    }

    @Test func aClockThatIsSetBackDoesNotSilenceTheCounter() async throws {
        try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
            let clock = TestClock()
            let counted = CountingDatabase(database)
            let counter = RefusalCounter(database: counted, interval: 5, clock: { clock.now })
            await counter.count("a")
            clock.advance(-86_400)
            await counter.count("a")
            #expect(counted.writes == 2)
            #expect(try await counts(database).count == 2)
        }
    }

    @Test func concurrentRefusalsAreAllCounted() async throws {
        try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
            let clock = TestClock()
            let counter = RefusalCounter(database: database, interval: 0, clock: { clock.now })
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<200 { group.addTask { await counter.count("code \(index % 3)") } }
            }
            await counter.flush()
            #expect(try await counts(database).values.reduce(0, +) == 200)
        }
    }
}

/// Counts the transactions, and can simulate a busy store.
private final class CountingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let state = Mutex((writes: 0, isBusy: false))

    init(_ database: any SQLDatabase) { self.database = database }

    var writes: Int { state.withLock { $0.writes } }
    var isBusy: Bool {
        get { state.withLock { $0.isBusy } }
        set { state.withLock { $0.isBusy = newValue } }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        let isBusy = state.withLock { state in
            state.writes += 1
            return state.isBusy
        }
        if isBusy { throw StorageError(code: "storage-busy", message: "Busy.") }
        return try await database.write(body)
    }

    func close() async throws { try await database.close() }
}
