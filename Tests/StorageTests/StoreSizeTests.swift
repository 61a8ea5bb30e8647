import Foundation
import Storage
import StorageTestSupport
import Testing

@Suite struct StoreSizeTests {
    private static let migrations = [
        Migration(number: 900, name: "sized") { dialect in
            [
                "CREATE TABLE sized (number bigint PRIMARY KEY NOT NULL, name text NOT NULL, long \(dialect.blob))",
                "CREATE INDEX sized_by_name ON sized (name)",
            ]
        }
    ]

    private func fill(_ database: any SQLDatabase) async throws {
        try await database.write { transaction in
            for number in 0..<2000 {
                // Incompressible values, so that PostgreSQL stores them out of line.
                let long = Data((0..<(number % 100 == 0 ? 5000 : 0)).map { _ in UInt8.random(in: 0...255) })
                try transaction.execute(
                    "INSERT INTO sized (number, name, long) VALUES (?, ?, ?)",
                    [SQLValue(number), SQLValue("name \(number)"), SQLValue(long)])
            }
        }
    }

    @Test(arguments: TestEngine.allCases) func eachTableAndIndexIsCounted(engine: TestEngine) async throws {
        try await withTemporaryDatabase(Self.migrations, on: engine) { database in
            try await fill(database)
            let size = try await database.read { try StoreSize(in: $0) }
            let table = try #require(size.tables.first)
            #expect(table.name == "sized" && table.rows == 2000)
            #expect(table.bytes > 2000 * 10)
            let index = try #require(table.indexes.first { $0.name == "sized_by_name" })
            #expect(index.bytes > 2000 * 10)
            #expect(engine == .sqlite || table.asideBytes > 20 * 5000)
            #expect(size.totalBytes >= table.totalBytes)
            #expect(size.tables.contains { $0.name == "schema_migration" })
        }
    }

    @Test func everyPageOfAFileIsCountedOnce() async throws {
        try await withTemporaryDatabase(Self.migrations, on: .sqlite) { database in
            try await fill(database)
            _ = try await database.write { try $0.execute("DELETE FROM sized WHERE number > ?", [1000]) }
            let (size, pages) = try await database.read { transaction in
                let pages = try transaction.first(
                    "SELECT c.page_count * p.page_size AS bytes FROM pragma_page_count c, pragma_page_size p")
                return (try StoreSize(in: transaction), try pages?.integer("bytes"))
            }
            #expect(size.freeBytes > 0)
            #expect(size.totalBytes == pages)
        }
    }
}
