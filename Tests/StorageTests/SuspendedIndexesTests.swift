import Storage
import StorageTestSupport
import SubmissionsTestSupport
import Testing

/// Indexes that are dropped during a first load.
@Suite struct SuspendedIndexesTests {
    private static let migration = Migration(number: 1, name: "things") { dialect in
        [
            "CREATE TABLE thing (number bigint PRIMARY KEY NOT NULL, name text, size bigint)",
            "CREATE UNIQUE INDEX thing_by_name ON thing (name)",
            "CREATE INDEX thing_by_size ON thing (size, number)",
            "CREATE INDEX thing_by_large ON thing (name) WHERE size > 100",
            "CREATE TABLE other (number bigint PRIMARY KEY NOT NULL, size bigint)",
            "CREATE INDEX other_by_size ON other (size)",
        ] + SuspendedIndexes.section.statements(dialect).map(\.sql)
    }

    private func indexes(in transaction: any SQLTransaction) throws -> [String] {
        let sql =
            switch transaction.dialect {
            case .sqlite:
                "SELECT name || ': ' || sql AS line FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            case .postgresql:
                "SELECT indexname || ': ' || indexdef AS line FROM pg_indexes WHERE schemaname = current_schema()"
            }
        return try transaction.query(sql).map { try $0.text("line") }.sorted()
    }

    @Test(arguments: Engine.allCases)
    func suspendedIndexesAreRestoredAndUniqueOnesStay(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.migration]) { database async throws in
            let before = try await database.read { try indexes(in: $0) }
            let gone = try await database.write { transaction in
                try SuspendedIndexes.suspend(of: ["thing", "other"], except: ["other_by_size"], in: transaction)
            }
            #expect(gone.sorted() == ["thing_by_large", "thing_by_size"])
            let meanwhile = try await database.read { try indexes(in: $0) }
            #expect(before.filter { !meanwhile.contains($0) }.count == 2)
            try await database.write { transaction in
                #expect(try SuspendedIndexes.areThere(in: transaction))
                try transaction.execute("INSERT INTO thing (number, name, size) VALUES (1, 'a', 200), (2, 'b', 3)")
            }
            // The process may be interrupted between two of them.
            #expect(try await database.write { try SuspendedIndexes.makeNext(in: $0) } == "thing_by_large")
            #expect(try await database.write { try SuspendedIndexes.makeNext(in: $0) } == "thing_by_size")
            #expect(try await database.write { try SuspendedIndexes.makeNext(in: $0) } == nil)
            #expect(try await database.read { try indexes(in: $0) } == before)
            #expect(try await database.read { try !SuspendedIndexes.areThere(in: $0) })
        }
    }

    @Test(arguments: Engine.allCases)
    func existingIndexIsNotMadeAgain(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.migration]) { database async throws in
            try await database.write { transaction in
                try SuspendedIndexes.suspend(of: ["thing"], except: [], in: transaction)
                // The state of a store that was moved to another location meanwhile.
                try transaction.execute("CREATE INDEX thing_by_size ON thing (size)")
            }
            while try await database.write({ try SuspendedIndexes.makeNext(in: $0) }) != nil {}
            let after = try await database.read { try indexes(in: $0) }
            #expect(after.count { $0.hasPrefix("thing_by") } == 3)
        }
    }
}
