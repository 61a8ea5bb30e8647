import SubmissionsTestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(10)))
struct GroupedReaderTests {
    @Test(arguments: Engine.allCases)
    func failedReadDoesNotAffectOtherReadsOfTheGroup(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database async throws in
            try await database.write { transaction in
                for id in 0..<200 { try transaction.execute("INSERT INTO thing (id) VALUES (?)", [SQLValue(id)]) }
            }
            let reader = GroupedReader(database: database)
            let outcomes = await withTaskGroup(of: (Int, Int64?).self) { group in
                for id in 0..<200 {
                    group.addTask {
                        let found = try? await reader.read { transaction in
                            // A statement that fails, and an error of the caller.
                            if id % 10 == 3 {
                                _ = try transaction.query("SELECT abs(CAST(? AS bigint))", [SQLValue(Int64.min)])
                            }
                            if id % 10 == 7 { throw CancellationError() }
                            return try transaction.first("SELECT id FROM thing WHERE id = ?", [SQLValue(id)])?
                                .integer("id")
                        }
                        return (id, found ?? nil)
                    }
                }
                return await group.reduce(into: [Int: Int64?]()) { $0[$1.0] = $1.1 }
            }
            for id in 0..<200 {
                #expect(outcomes[id] == .some([3, 7].contains(id % 10) ? nil : Int64(id)), "\(id)")
            }
        }
    }

    @Test func errorOfTheStoreIsReportedToEachReader() async throws {
        try await Engine.sqlite.withDatabase(DatabaseContractTests.schema) { database async throws in
            try await database.close()
            let reader = GroupedReader(database: database)
            let failures = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            _ = try await reader.read { try $0.query("SELECT id FROM thing", []) }
                            return false
                        } catch {
                            return error is StorageError
                        }
                    }
                }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(failures == Array(repeating: true, count: 20))
        }
    }
}
