import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage

/// Column types of tables change while connections have prepared statements for them, as by a manual change or a
/// restored copy.
@Suite(.enabled(if: TestEngine.allCases.contains(.postgresql), "TRIBUTARY_TEST_POSTGRESQL is not set"))
struct ChangedTableTests {
    private struct Refused: Error {}

    private static let table = Migration(number: 1, name: "thing") { _ in
        ["CREATE TABLE thing (number BIGINT PRIMARY KEY, at BIGINT)"]
    }

    /// Passes a store with one row, and a function that changes the type of its column on a connection of its own.
    private func withThing(
        _ body: (any SQLDatabase, _ alter: (String) async throws -> Void) async throws -> Void
    ) async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            try await database.write { _ = try $0.execute("INSERT INTO thing (number, at) VALUES (1, 7000)") }
            try await body(database) { type in
                try await database.write { _ = try $0.execute("ALTER TABLE thing ALTER at TYPE \(type)") }
            }
        }
    }

    private func instant(_ database: any SQLDatabase) async throws -> Int64? {
        try await database.read { try $0.first("SELECT * FROM thing WHERE number = ?", [1])?.integer("at") }
    }

    private static let wrong = "timestamptz USING to_timestamp(at / 1000.0)"
    private static let right = "bigint USING (extract(epoch FROM at) * 1000)::bigint"

    @Test func statementIsPreparedAgainAfterATypeChange() async throws {
        try await withThing { database, alter in
            let text: @Sendable (any SQLTransaction) throws -> String? = {
                try $0.first("SELECT number, at FROM thing").map { "\($0["at"])" }
            }
            _ = try await database.read(text)
            try await alter("text USING at::text")
            #expect(try await database.read(text) == "\(SQLValue.text("7000"))")
            try await alter("bigint USING at::bigint")
            #expect(try await database.read(text) == "\(SQLValue.integer(7000))")
        }
    }

    @Test func statementForWrongTablesIsDiscardedAfterTheirRepair() async throws {
        try await withThing { database, alter in
            try await alter(Self.wrong)
            // Prepared for the first time, and the result has the wrong type.
            let error = await #expect(throws: StorageError.self) { try await instant(database) }
            #expect(error?.code == "storage-column")
            try await alter(Self.right)
            #expect(try await instant(database) == 7000)
        }
    }

    @Test(arguments: [wrong, "text USING at::text"])
    func parameterTypeFromWrongTablesIsDiscardedAfterTheirRepair(wrong: String) async throws {
        try await withThing { database, alter in
            let later: @Sendable (any SQLTransaction) throws -> Int = {
                try $0.query("SELECT number FROM thing WHERE at >= ?", [6000]).count
            }
            try await alter(wrong)
            _ = try? await database.read(later)
            try await alter(wrong == Self.wrong ? Self.right : "bigint USING at::bigint")
            #expect(try await database.read(later) == 1)
        }
    }

    @Test func wrongTablesAreReportedUntilTheyAreRepaired() async throws {
        try await withThing { database, alter in
            #expect(try await instant(database) == 7000)
            try await alter(Self.wrong)
            for _ in 0..<3 {
                let error = await #expect(throws: StorageError.self) { try await instant(database) }
                #expect(error?.code == "storage-tables")
            }
            try await alter(Self.right)
            #expect(try await instant(database) == 7000)
        }
    }

    @Test func callersErrorInTheRepeatedRunIsRethrown() async throws {
        try await withThing { database, alter in
            let refusing: @Sendable (any SQLTransaction) throws -> Void = {
                _ = try $0.first("SELECT number, at FROM thing")
                throw Refused()
            }
            await #expect(throws: Refused.self) { try await database.read(refusing) }
            try await alter("text USING at::text")
            await #expect(throws: Refused.self) { try await database.read(refusing) }
        }
    }

    @Test func transactionThatPassedRowsIsNotRepeatedButWorksTheNextTime() async throws {
        try await withThing { database, alter in
            let rows = Counter()
            let handing: @Sendable (any SQLTransaction) throws -> Void = { transaction in
                try transaction.each("SELECT number FROM thing", []) { _ in rows.add() }
                _ = try transaction.first("SELECT number, at FROM thing")
            }
            try await database.read(handing)
            try await alter("text USING at::text")
            await #expect(throws: StorageError.self) { try await database.read(handing) }
            #expect(rows.value == 2)
            try await database.read(handing)
            #expect(rows.value == 3)
        }
    }

    @Test func pipelinedStatementsArePreparedAgain() async throws {
        try await withThing { database, alter in
            let together: @Sendable (any SQLTransaction) throws -> Int = { transaction in
                try transaction.queries([
                    SQLQuery("SELECT count(*) AS total FROM thing", []), SQLQuery("SELECT at FROM thing", []),
                ]).count
            }
            #expect(try await database.read(together) == 2)
            try await alter("text USING at::text")
            #expect(try await database.read(together) == 2)
        }
    }
}
