import StorageTestSupport
import Testing

@testable import Storage

@Suite struct SchemaSectionTests {
    private static func addPart(in transaction: any SQLTransaction) throws {
        _ = try transaction.execute("INSERT INTO part (thing, name) VALUES (1, 'filled')")
    }

    private static let section = SchemaSection(
        "Things", fill: addPart
    ) { dialect in
        """
        -- Things
        -- and their parts.

        -- A thing.
        CREATE TABLE thing (
            number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            -- Its name,
            -- with a comma.
            name varchar(50) DEFAULT 'a' NOT NULL, size decimal(18,5),
            CHECK_free text
        );
        -- The large ones.
        CREATE INDEX thing_by_size ON thing (size, number)
        WHERE size > 100;
        INSERT INTO thing (number, name) VALUES (1, 'one');

        -- A part.
        CREATE TABLE part (
            thing bigint NOT NULL REFERENCES thing (number),
            name text NOT NULL,
            PRIMARY KEY (thing, name)
        ) \(dialect.keptInKey);
        \(dialect.word(postgresql: "CREATE INDEX part_by_name ON part (name);"))
        """
    }

    @Test func statementsAndCommentsAreSeparated() {
        #expect(Self.section.about == "Things and their parts.")
        let statements = Self.section.statements(.sqlite)
        #expect(statements.map(\.comment) == ["A thing.", "The large ones.", "", "A part."])
        #expect(statements.map(\.table) == ["thing", "thing", nil, "part"])
        #expect(statements.allSatisfy { !$0.sql.contains("--") && !$0.sql.hasSuffix(";") })
        #expect(Self.section.statements(.postgresql).count == 5)
    }

    @Test func tablesHaveColumnsKeysAndIndexes() throws {
        let tables = Self.section.tables(.sqlite)
        let thing = try #require(tables.first)
        #expect(thing.columns.map(\.name) == ["number", "name", "size", "CHECK_free"])
        #expect(thing.columns.map(\.type) == ["INTEGER", "varchar(50)", "decimal(18,5)", "text"])
        #expect(thing.columns.map(\.comment) == ["", "Its name, with a comma.", "", ""])
        #expect(thing.key == ["number"] && thing.constraints == [])
        #expect(thing.indexes.map(\.comment) == ["The large ones."] && thing.statements.count == 2)
        let part = try #require(tables.last)
        #expect(part.columns[0].definition == "bigint NOT NULL REFERENCES thing (number)")
        #expect(part.key == ["thing", "name"] && part.constraints == ["PRIMARY KEY (thing, name)"])
        #expect(part.options == "WITHOUT ROWID" && part.comment == "A part.")
    }

    @Test(arguments: TestEngine.allCases) func baselineCreatesAndFillsTheTables(_ engine: TestEngine) async throws {
        try await withTemporaryDatabase([.baseline(of: "things", [Self.section])], on: engine) { database in
            let found = try await database.read { transaction in
                (
                    try transaction.query("SELECT name FROM schema_migration").map { try $0.text("name") },
                    try transaction.query("SELECT p.name FROM part p JOIN thing t ON t.number = p.thing").map {
                        try $0.text("name")
                    }
                )
            }
            #expect(found == (["things"], ["filled"]))
        }
    }
}
