import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import RecordStorage

/// Rows in a table with a separate row number are moved to one with the record's number as SQLite's row id.
@Suite(.enabled(if: TestEngine.chosen == .sqlite)) struct RecordRowsTests {
    private static let at = Date(timeIntervalSince1970: 1_780_000_000)
    private static let former = RecordsSchema.migrations.filter { $0.number < 426 }

    private func observation(_ number: Int, _ note: String = "") -> String {
        #"{"resourceType":"Observation","id":"o\#(number)","status":"final","code":{"text":"c\#(number % 7)"},"#
            + #""subject":{"reference":"Patient/p\#(number % 3)"},"note":[{"text":"n\#(note)"}]}"#
    }

    /// Creates a store at the former step, in which resources were stored, replaced and deleted.
    private func makeFormer(_ path: String, count: Int) async throws {
        let database = try await TestEngine.chosen.open(path: path, migrations: Self.former)
        // The current version of the program writes to it, and needs an additional column and table.
        try await database.write { transaction in
            try transaction.execute(RecordTypeChanges.tableSQL)
            try transaction.execute("ALTER TABLE record ADD COLUMN address_digest blob")
            try transaction.execute("CREATE UNIQUE INDEX record_by_address ON record (address_digest)")
        }
        try await put((0..<count).map { observation($0) }, "first", at: Self.at, in: database)
        try await put(
            stride(from: 0, to: count, by: 5).map { observation($0, "again") }, "second", at: Self.at + 60,
            in: database)
        try await database.write { transaction in
            try transaction.execute("DROP INDEX record_by_address")
            try transaction.execute("ALTER TABLE record DROP COLUMN address_digest")
            try transaction.execute("DROP TABLE record_type_change")
        }
        try await database.close()
    }

    private func put(_ resources: [String], _ name: String, at: Date, in database: any SQLDatabase) async throws {
        let provenance = RecordProvenance(submissionID: name, clientID: "c", keyID: nil, receivedAt: at)
        try await database.write { transaction in
            try RecordStore().write(provenance, at: at, in: transaction) { writer in
                for text in resources {
                    let resource = try Resource(Data(text.utf8))
                    _ = try writer.put(
                        NewRecord(resource, id: try #require(resource.id), content: Data(text.utf8)))
                }
            }
        }
    }

    private func contents(_ database: any SQLDatabase) async throws -> [[String]] {
        try await database.read { transaction in
            let records = """
                SELECT number, type, id, version, subject, updated_ms, deleted, received_ms, received_number, signer,
                    signed_sequence, date_low, date_high FROM record
                """
            return [
                try transaction.query(records).map { row in (0..<13).map { "\(row[$0])" }.joined(separator: " ") }
                    .sorted()
            ]
                + (try ["record_version", "record_history", "record_former", "record_term"].map {
                    try transaction.rowTexts(of: $0).sorted()
                })
        }
    }

    private func schema(_ database: any SQLDatabase) async throws -> [String] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_master ORDER BY type, name"
            ).map { row in
                // A renamed table has its name in quotes.
                try row.text("type") + " " + row.text("sql").replacingOccurrences(of: "\"", with: "")
            }
        }
    }

    @Test func movedRowsAreTheSame() async throws {
        try await withTemporaryFolder { folder in
            let (path, empty) = ("\(folder)/former.db", "\(folder)/empty.db")
            try await makeFormer(path, count: 300)
            let former = try await TestEngine.chosen.open(path: path, migrations: Self.former)
            let before = try await contents(former)
            try await former.close()
            let database = try await TestEngine.chosen.open(path: path, migrations: RecordsSchema.migrations)
            #expect(try await contents(database) == before)
            let fresh = try await TestEngine.chosen.open(path: empty, migrations: RecordsSchema.migrations)
            #expect(try await schema(database) == schema(fresh))
            try await database.read { transaction in
                #expect(try transaction.referencedTableNames(of: "record_version") == ["record", "record_source"])
                #expect(try transaction.query("PRAGMA foreign_key_check").isEmpty)
                #expect(try transaction.first("PRAGMA integrity_check")?.text("integrity_check") == "ok")
                let plan = try QueryPlan("SELECT type FROM record WHERE number = ?", [SQLValue(1)], in: transaction)
                #expect(plan.uses(index: "INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
            }
            // Their foreign keys refer to the new table.
            await #expect(throws: (any Error).self) {
                try await database.write { try $0.execute("DELETE FROM record WHERE number = 1") }
            }
            // Content equal to that of the former version makes no new version, and other content does.
            try await put([observation(1), observation(2, "new")], "third", at: Self.at + 120, in: database)
            let versions = try await database.read {
                try $0.query("SELECT version FROM record WHERE id IN ('o1', 'o2') ORDER BY id").map {
                    try $0.integer("version")
                }
            }
            #expect(versions == [1, 2])
            try await database.close()
            try await fresh.close()
        }
    }

    /// For a process that ends at any point.
    @Test(arguments: 0...4) func interruptedMoveContinues(parts: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/former.db"
            try await makeFormer(path, count: 12_000)
            let former = try await TestEngine.chosen.open(path: path, migrations: Self.former)
            let before = try await contents(former)
            let migration = try #require(RecordsSchema.migrations.first { $0.number == 426 })
            let slice = try #require(migration.slice)
            for statement in migration.statements(.sqlite) {
                try await former.write { _ = try $0.execute(statement) }
            }
            // The fifth part is complete, and not recorded as such.
            for _ in 0..<parts { _ = try await former.write { try slice($0) } }
            try await former.close()
            let database = try await TestEngine.chosen.open(path: path, migrations: RecordsSchema.migrations)
            #expect(try await contents(database) == before)
            #expect(try await schema(database).filter { $0.contains("record_moved") }.isEmpty)
            try await database.close()
        }
    }
}
