import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import RecordStorage

@Suite struct RecordsSchemaTests {
    /// A database written by an earlier version of the program: its schema ends with step 400.
    @Test func theVersionsOfAnOlderDatabaseStayReadable() async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url
        let url = "sqlite:" + folder.appendingPathComponent("test.sqlite").path
        let at = try #require(DateTime.init("2026-01-02T03:04:05.006Z")?.start())
        let older = try await TestEngine.chosen.open(
            path: StoreLocation(url).path ?? "", migrations: RecordsSchema.migrations.filter { $0.number == 400 })
        try await older.write { transaction in
            for (number, id, versions) in [(7, "b", 2), (9, "a", 1), (12, "c", 3)] {
                try transaction.execute(
                    "INSERT INTO record (number, type, id, version, updated_ms) VALUES (?, 'Observation', ?, ?, 0)",
                    [SQLValue(Int64(number)), SQLValue(id), SQLValue(Int64(versions))])
                for version in 1...versions {
                    try transaction.execute(
                        """
                        INSERT INTO record_version (type, id, version, content, original, original_fhir_version, digest,
                            last_updated, submission_id, client_id, key_id, received_at)
                        VALUES ('Observation', ?, ?, ?, ?, '1.0.2', 'd', ?, 's', 'c', NULL, ?)
                        """,
                        [
                            SQLValue(id), SQLValue(Int64(version)), SQLValue(Data("\(id)\(version)".utf8)),
                            SQLValue(Data("old".utf8)), SQLValue(at), SQLValue(at),
                        ])
                }
            }
        }
        try await older.close()

        let database = try await TestEngine.chosen.open(
            path: StoreLocation(url).path ?? "", migrations: RecordsSchema.migrations)
        let store = RecordStore()
        let (read, rows) = try await database.read { transaction in
            (
                try ["a", "b", "c"].map { id in
                    try store.history(type: "Observation", id: id, before: nil, limit: 9, in: transaction).map {
                        String(decoding: $0.content, as: UTF8.self)
                    }
                },
                try transaction.query(
                    "SELECT number, original, original_fhir_version, digest, key_id FROM record_history ORDER BY number, version"
                )
            )
        }
        #expect(read == [["a1"], ["b2", "b1"], ["c3", "c2", "c1"]])
        let orders = try await database.read { try $0.query("SELECT received_ms, received_number FROM record") }
        #expect(orders.count == 3)
        let milliseconds = SQLValue(Int64((at.timeIntervalSince1970 * 1000).rounded()))
        #expect(orders.allSatisfy { $0["received_ms"] == milliseconds && $0["received_number"] == SQLValue(Int64(0)) })
        #expect(try rows.map { try $0.integer("number") } == [7, 7, 9, 12, 12, 12])
        #expect(try rows.allSatisfy { try $0.blob("original") == Data("old".utf8) })
        #expect(rows.allSatisfy { $0.textIfPresent("original_fhir_version") == "1.0.2" })
        #expect(rows.allSatisfy { $0.blobIfPresent("digest") == Data("d".utf8) && $0.textIfPresent("key_id") == nil })
        let content = Data(#"{"resourceType":"Observation","id":"b"}"#.utf8)
        let resource = try Resource(content)
        let put = try await database.write { transaction in
            try store.put(
                resource, content: content, original: nil, id: "b",
                provenance: RecordProvenance(submissionID: "t", clientID: "c", keyID: nil, receivedAt: at), at: at,
                in: transaction)
        }
        #expect(put.became == [.updated: 3])
        try await database.close()
    }

    @Test(
        arguments: [
            ("present", RecordWriter.presentSQL, 1), ("current", RecordStore.currentSQL, 1),
            ("one version", RecordStore.versionSQL, 2), ("what was deleted", RecordStore.deletedSQL, 2),
            ("number of versions", RecordStore.versionCountSQL, 1),
        ])
    func everyReadUsesTheKeys(name: String, sql: String, parameters: Int) async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read {
            try QueryPlan(
                sql,
                [RecordKey.value(type: "Observation", id: "o")]
                    + Array(repeating: SQLValue(Int64(1)), count: parameters - 1), in: $0)
        }
        let indexes =
            TestEngine.chosen == .sqlite
            ? ["record_by_address (address_digest=?)", "sqlite_autoindex_record_version_1 (number=?"]
            : ["record_by_address"]
        for index in indexes { #expect(plan.uses(index: index), "\(name): \(plan)") }
        #expect(!plan.readsAll, "\(name): \(plan)")
        // For a few rows PostgreSQL reads those of one record and sorts them.
        if TestEngine.chosen == .sqlite { #expect(!plan.sorts, "\(name): \(plan)") }
        try await fixture.close()
    }

    @Test(
        arguments: [
            ("history", RecordStore.historySQL, 5, "record_version_by_order (number=?"),
            ("what a submission brought", RecordWriter.broughtSQL, 3, "sqlite_autoindex_record_version_1 (number=?"),
        ])
    func versionsOfARecordAreFoundByItsNumber(name: String, sql: String, parameters: Int, index: String) async throws {
        let fixture = try await RecordsFixture()
        let first = parameters == 3 ? SQLValue(1) : RecordKey.value(type: "Observation", id: "o")
        let plan = try await fixture.database.read {
            try QueryPlan(sql, [first] + Array(repeating: SQLValue(Int64(1)), count: parameters - 1), in: $0)
        }
        if TestEngine.chosen == .sqlite { #expect(plan.uses(index: index), "\(name): \(plan)") }
        #expect(!plan.readsAll, "\(name): \(plan)")
        // For a few rows PostgreSQL reads those of one record and sorts them.
        if TestEngine.chosen == .sqlite { #expect(!plan.sorts, "\(name): \(plan)") }
        try await fixture.close()
    }

    /// The engine makes no lookup for an entry, in a new store as in one that had foreign keys.
    @Test func searchEntriesHaveNoForeignKeys() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/test.db"
            let tables = RecordsSchema.searchEntryTables.map { "\($0.table)" }
            func references(_ database: any SQLDatabase) async throws -> [Set<String>] {
                try await database.read { transaction in
                    try tables.map { try transaction.referencedTableNames(of: $0) }
                }
            }
            let older = try await TestEngine.chosen.open(
                path: path, migrations: RecordsSchema.migrations.filter { $0.number < 425 })
            #expect(try await references(older).allSatisfy { $0 == ["record", "search_term"] })
            try await older.close()
            let database = try await TestEngine.chosen.open(path: path, migrations: RecordsSchema.migrations)
            #expect(try await references(database).allSatisfy { $0.isEmpty })
            // The engine reads its own output.
            if TestEngine.chosen == .sqlite {
                let found = try await database.write { transaction in
                    let check = try transaction.query("PRAGMA integrity_check").compactMap {
                        $0.textIfPresent("integrity_check")
                    }
                    let isGuarded = try transaction.first("PRAGMA writable_schema")?.integer("writable_schema") == 0
                    return (check, isGuarded)
                }
                #expect(found == (["ok"], true))
            }
            try await database.close()
        }
    }
}
