import Storage
import StorageTestSupport
import Testing

@testable import RecordStorage

@Suite struct RecordsSchemaTests {
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

    /// The engine makes no lookup for an entry.
    @Test func searchEntriesHaveNoForeignKeys() async throws {
        let fixture = try await RecordsFixture()
        let references = try await fixture.database.read { transaction in
            try RecordsSchema.searchEntryTables.map { try transaction.referencedTableNames(of: "\($0.table)") }
        }
        #expect(references.allSatisfy { $0.isEmpty })
        try await fixture.close()
    }
}
