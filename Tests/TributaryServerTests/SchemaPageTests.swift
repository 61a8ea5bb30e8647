import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import TributaryServer

@testable import StudyOperations

/// The baselines of the stores, their page, and the tables that an engine creates from them.
@Suite struct SchemaPageTests {
    @Test func pageIsThatOfTheBaselines() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/schema.md"), encoding: .utf8)
        let isCurrent = page == SchemaPage.text(StudyStores.schemas)
        #expect(isCurrent, "Run: tributary study schema --markdown > docs/schema.md")
    }

    /// A column that a baseline does not name, or that its reader does not find, is missing here.
    @Test(arguments: TestEngine.allCases, StudyStores.schemas.indices)
    func freshStoreHasTheTablesOfItsBaseline(_ engine: TestEngine, _ index: Int) async throws {
        let schema = StudyStores.schemas[index]
        try await withTemporaryDatabase(schema.migrations, on: engine) { database in
            try await database.read { transaction in
                let tables = schema.sections.flatMap { $0.tables(transaction.dialect) }
                #expect(try transaction.tableNames() == (tables.map(\.name) + ["schema_migration"]).sorted())
                for table in tables {
                    #expect(try transaction.columnNames(of: table.name) == table.columns.map(\.name), "\(table.name)")
                    #expect(try transaction.keyColumnNames(of: table.name) == table.key, "\(table.name)")
                }
                let sql =
                    switch transaction.dialect {
                    case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
                    case .postgresql:
                        """
                        SELECT CAST(i.indexname AS text) AS name FROM pg_indexes i
                        WHERE i.schemaname = current_schema() AND NOT EXISTS (
                            SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname
                                AND c.connamespace = CAST(current_schema() AS regnamespace))
                        """
                    }
                let indexes = try transaction.query(sql).map { try $0.text("name") }
                let named = tables.flatMap(\.indexes).map { $0.sql.split(separator: " ").drop { $0 != "INDEX" } }
                #expect(indexes.sorted() == named.compactMap { $0.dropFirst().first.map(String.init) }.sorted())
            }
        }
    }

    @Test func everyTableAndViewHasAComment() {
        for schema in StudyStores.schemas {
            let statements = schema.sections.flatMap { $0.statements(.postgresql) }
            let silent = statements.filter { statement in
                statement.comment.isEmpty
                    && !["CREATE INDEX", "CREATE UNIQUE INDEX", "INSERT INTO"].contains {
                        statement.sql.hasPrefix($0)
                    }
            }
            #expect(silent.map(\.sql) == [])
        }
    }

    @Test func namesAreUnique() {
        #expect(Set(StudyStores.schemas.map(\.name)).count == StudyStores.schemas.count)
        for schema in StudyStores.schemas {
            let tables = SchemaPage.tables(of: [schema]).map(\.table.name)
            #expect(Set(tables).count == tables.count)
            #expect(Set(schema.sections.map(\.title)).count == schema.sections.count)
            let numbers = schema.migrations.map(\.number)
            #expect(numbers == Array(1...numbers.count))
        }
    }
}
