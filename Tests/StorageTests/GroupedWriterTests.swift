import Foundation
import Testing

@testable import Storage

@Suite("Writes in groups", .timeLimit(.minutes(1)))
struct GroupedWriterTests {
    @Test(arguments: Engine.allCases)
    func oneThatFailsDoesNotHarmTheOthers(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database in
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
}
