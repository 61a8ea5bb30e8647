import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage

/// Behaviour of PostgreSQL only: connections that break, servers that refuse, types that SQLite does not have.
@Suite(.enabled(if: TestEngine.allCases.contains(.postgresql), "TRIBUTARY_TEST_POSTGRESQL is not set"))
struct PostgreSQLTests {
    private static let table = Migration(number: 1, name: "thing") { dialect in
        ["CREATE TABLE thing (number BIGINT PRIMARY KEY, name TEXT, bytes \(dialect.blob))"]
    }

    private func count(_ database: any SQLDatabase) async throws -> Int64? {
        try await database.read { try $0.first("SELECT count(*) AS total FROM thing")?.integer("total") }
    }

    @Test func closedConnectionIsReplacedForTheNextTransaction() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            for number in 1...3 {
                let process = try await database.write { transaction in
                    try transaction.execute("INSERT INTO thing (number) VALUES (?)", [SQLValue(number)])
                    return try transaction.first("SELECT pg_backend_pid() AS process")?["process"]
                }
                // Another session ends the connection, as a restart of the server or a firewall does.
                try await end(try #require(process), by: database)
            }
            #expect(try await count(database) == 3)
        }
    }

    @Test func statisticsOfAGrownTableAreUpdated() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            func known() async throws -> (rows: Int64?, analyzed: Int64?) {
                try await database.read { transaction in
                    let row = try transaction.first(
                        """
                        SELECT CAST(c.reltuples AS bigint) AS rows, (SELECT count(*) FROM pg_statistic s WHERE s.starelid = c.oid) AS columns
                        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                        WHERE n.nspname = current_schema() AND c.relname = 'thing'
                        """)
                    return (try row?.integer("rows"), try row?.integer("columns"))
                }
            }
            func add(_ numbers: ClosedRange<Int>) async throws {
                try await database.write { transaction in
                    for number in numbers {
                        try transaction.execute(
                            "INSERT INTO thing (number, name) VALUES (?, ?)",
                            [SQLValue(number), SQLValue(String(repeating: "x", count: 200))])
                    }
                }
            }
            // The server analyses tables automatically each minute.
            _ = try await database.write { try $0.execute("ALTER TABLE thing SET (autovacuum_enabled = false)") }
            try await add(1...2_000)
            try await database.analyzeGrownTables()
            #expect(try await known() == (2_000, 3))
            // A few more rows change nothing, many more do.
            try await add(2_001...2_010)
            try await database.analyzeGrownTables()
            #expect(try await known().rows == 2_000)
            try await add(2_011...4_000)
            try await database.analyzeGrownTables()
            #expect(try await known().rows == 4_000)
        }
    }

    @Test func connectionLostInATransactionIsAStoreErrorAndWritesNothing() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO thing (number) VALUES (1)")
                    try transaction.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                    try transaction.execute("INSERT INTO thing (number) VALUES (2)")
                }
            }
            #expect(error?.code == "storage-open")
            #expect(error?.concernsStore == true)
            #expect(try await count(database) == 0)
        }
    }

    @Test func transactionWithAnIgnoredErrorIsNotCommitted() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO thing (number) VALUES (1)")
                    _ = try? transaction.execute("INSERT INTO thing (number) VALUES (1)")
                }
            }
            #expect(try await count(database) == 0)
        }
    }

    @Test func writersOfTwoMachinesTakeTurns() async throws {
        try await withTemporaryStores { first, second in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for database in [first, second] {
                    group.addTask {
                        for _ in 0..<50 {
                            // Without turns two writers would read the same number and write the same next one.
                            try await database.write { transaction in
                                let last = try transaction.first("SELECT max(number) AS last FROM thing")
                                let next = (last?.integerIfPresent("last") ?? 0) + 1
                                try transaction.execute("INSERT INTO thing (number) VALUES (?)", [SQLValue(next)])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await count(first) == 100)
        }
    }

    @Test func aReaderSeesOneState() async throws {
        try await withTemporaryStores { first, second in
            let (begun, written) = (Counter(), Counter())
            async let counts = first.read { transaction in
                let before = try transaction.query("SELECT number FROM thing").count
                begun.add()
                let deadline = Patience.deadline
                while written.value == 0, ContinuousClock.now < deadline { usleep(1_000) }
                return [before, try transaction.query("SELECT number FROM thing").count]
            }
            let deadline = Patience.deadline
            while begun.value == 0, ContinuousClock.now < deadline { await Task.yield() }
            try await second.write { _ = try $0.execute("INSERT INTO thing (number) VALUES (2)") }
            written.add()
            #expect(try await counts == [0, 0])
            #expect(try await count(first) == 1)
        }
    }

    @Test func bufferedRowsAreVisibleToLaterStatements() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            let insertion = SQLInsertion<Int64, Void>(
                into: "thing",
                columns: [
                    SQLColumn("number") { .integer($0) }, SQLColumn("name") { .text("a\tb\\\n\r'\($0)") },
                    SQLColumn("bytes") { .blob(Data([0, 92, 255, UInt8(truncatingIfNeeded: $0)])) },
                ])
            try await database.write { transaction in
                let inserter = try transaction.inserter(insertion)
                for number in Int64(1)...20_000 { try inserter.insert(number) }
                #expect(try transaction.first("SELECT count(*) AS total FROM thing")?.integer("total") == 20_000)
                try inserter.insert(20_001)
            }
            #expect(try await count(database) == 20_001)
            let row = try #require(try await database.read { try $0.first("SELECT * FROM thing WHERE number = 300") })
            #expect(try row.text("name") == "a\tb\\\n\r'300")
            #expect(try row.blob("bytes") == Data([0, 92, 255, 44]))
        }
    }

    @Test func rowsOfALongQueryAreReadBetweenOtherStatements() async throws {
        try await Engine.postgresql.withDatabase([Self.table]) { database async throws in
            try await database.write { transaction in
                for number in 1...1_000 {
                    try transaction.execute("INSERT INTO thing (number) VALUES (?)", [SQLValue(number)])
                }
                var seen: [Int64] = []
                try transaction.each("SELECT number FROM thing WHERE number > ? ORDER BY number", [200]) { row in
                    let number = try row.integer("number")
                    seen.append(number)
                    try transaction.execute("UPDATE thing SET name = 'seen' WHERE number = ?", [SQLValue(number)])
                }
                #expect(seen == Array(201...1_000))
                let marked = try transaction.first("SELECT count(*) AS total FROM thing WHERE name = 'seen'")
                #expect(try marked?.integer("total") == 800)
            }
        }
    }

    @Test(
        arguments: [
            ("1::bool", .integer(1)), ("(-32768)::int2", .integer(-32_768)),
            ("2147483647::int4", .integer(2_147_483_647)),
            ("(-9223372036854775808)::int8", .integer(.min)), ("1.5::float4", .real(1.5)), ("0.1::float8", .real(0.1)),
            ("12345.67890::numeric(18,5)", .real(12_345.6789)), ("(-0.00001)::numeric(18,5)", .real(-0.00001)),
            ("0::numeric(18,5)", .real(0)), ("120000000::numeric", .integer(120_000_000)),
            ("9999999999999.99999::numeric(18,5)", .real(9_999_999_999_999.99999)), ("'NaN'::numeric", .text("nan")),
            ("sum(x) FROM (VALUES (1::int8), (2)) AS v(x)", .integer(3)), ("'x'::varchar(5)", .text("x")),
            ("'ä'::text", .text("ä")), ("'\\x00ff'::bytea", .blob(Data([0, 255]))), ("NULL::text", .null),
            ("timestamp '1969-12-31 23:59:58.5'", .text("1969-12-31 23:59:58.500000")),
            ("timestamp '2026-03-01 08:00:00'", .text("2026-03-01 08:00:00")),
            ("date '1999-12-31'", .text("1999-12-31")),
        ] as [(String, SQLValue)])
    func valuesAreReadByTheirTypes(expression: String, expected: SQLValue) async throws {
        try await Engine.postgresql.withDatabase([]) { database async throws in
            let row = try await database.read { try $0.first("SELECT \(expression)") }
            let value = try #require(row).onlyValue
            // NaN equals nothing.
            if case .real(let number) = value, number.isNaN {
                #expect(expected == .text("nan"))
            } else {
                #expect(value == expected)
            }
        }
    }

    @Test func decimalNumbersAreReadAsTheNearestDouble() async throws {
        var random = Seeded.fresh()
        var texts = ["0.1", "-0.3", "4503599627370497.5", "0.00001", "9999.9999", "100000000.00000001"]
        for _ in 0..<500 {
            let scale = Int.random(in: 1...20, using: &random)
            let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }
            let fraction = (0..<scale).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            texts.append((Bool.random(using: &random) ? "-" : "") + digits.joined() + "." + fraction)
        }
        let asked = texts
        try await Engine.postgresql.withDatabase([]) { database async throws in
            for text in asked {
                let row = try await database.read { try $0.first("SELECT (\(text))::numeric AS number") }
                #expect(try row?.real("number") == Double(text), "\(text)")
            }
        }
    }

    @Test func textIsOrderedByItsBytesAsInSQLite() async throws {
        for engine in Engine.allCases {
            try await engine.withDatabase([Self.table]) { database async throws in
                try await database.write { transaction in
                    for (number, name) in ["b", "B", "a-z", "aa", "ä", "Z", "_"].enumerated() {
                        try transaction.execute(
                            "INSERT INTO thing (number, name) VALUES (?, ?)", [SQLValue(number), SQLValue(name)])
                    }
                }
                let names = try await database.read {
                    try $0.query("SELECT name FROM thing ORDER BY name").map { try $0.text("name") }
                }
                #expect(names == ["B", "Z", "_", "a-z", "aa", "b", "ä"], "\(engine)")
            }
        }
    }

    @Test func missingOrOlderSchemaIsRefusedWithoutMigration() async throws {
        let address = try TestEngine.postgreSQL()
        let schema = try TestEngine.schema(of: UUID().uuidString)
        func open(_ migrations: [Migration], _ policy: SchemaPolicy) async -> String {
            do {
                try await PostgreSQLDatabase.open(address, schema: schema, migrations: migrations, policy: policy)
                    .close()
                return "open"
            } catch {
                return (error as? StorageError)?.code ?? "\(error)"
            }
        }
        #expect(await open([Self.table], .exact) == "storage-missing")
        #expect(await open([Self.table], .migrate) == "open")
        #expect(await open([Self.table], .exact) == "open")
        let next = Migration(number: 2, name: "next") { _ in [] }
        #expect(await open([Self.table, next], .exact) == "storage-schema-older")
        #expect(await open([Self.table, next], .migrate) == "open")
        #expect(await open([Self.table], .exact) == "storage-schema-newer")
    }

    @Test func refusedConnectionIsAStoreError() async throws {
        let address = try PostgreSQLAddress("postgresql://tributary@127.0.0.1:1/none")
        let error = await #expect(throws: StorageError.self) {
            _ = try await PostgreSQLDatabase.open(address, schema: .queue, migrations: [])
        }
        #expect(error?.code == "storage-open")
        #expect(error?.concernsStore == true)
    }

    private func end(_ process: SQLValue, by database: any SQLDatabase) async throws {
        // Readers have their own session.
        let isEnded = try await database.read {
            try $0.first("SELECT pg_terminate_backend(CAST(? AS int)) AS ended", [process])?.integer("ended")
        }
        #expect(isEnded == 1)
    }

    /// Passes one store opened by two databases, as by two processes.
    private func withTemporaryStores(
        _ body: (any SQLDatabase, any SQLDatabase) async throws -> Void
    ) async throws {
        let path = UUID().uuidString
        let first = try await Engine.postgresql.open(path: path, migrations: [Self.table])
        let second = try await Engine.postgresql.open(path: path, migrations: [Self.table], schema: .exact)
        try await body(first, second)
        try await first.close()
        try await second.close()
    }
}

/// Tests that need no server.
@Suite struct PostgreSQLTextTests {
    @Test(arguments: [
        ("SELECT ? , ?", "SELECT $1 , $2", 2), ("SELECT '?' || ?", "SELECT '?' || $1", 1),
        ("SELECT 'it''s ?' || ?", "SELECT 'it''s ?' || $1", 1),
        ("SELECT \"a?\" FROM t WHERE x = ?", "SELECT \"a?\" FROM t WHERE x = $1", 1),
        ("SELECT 1 -- ?\nWHERE x = ?", "SELECT 1 -- ?\nWHERE x = $1", 1), ("SELECT 1 - ?", "SELECT 1 - $1", 1),
        ("", "", 0),
    ])
    func questionMarksBecomeNumbers(sql: String, expected: String, count: Int) {
        let numbered = PlaceholderSQL(sql)
        #expect(numbered.text == expected)
        #expect(numbered.count == count)
    }

    @Test(arguments: [
        ("postgresql://app:secret@host/x", "storage-password-in-url"),
        ("postgresql://app@host/x?password=secret", "storage-password-in-url"),
        ("postgresql://host/x?sslpassword=secret", "storage-password-in-url"),
        ("postgresql://host/x?secret", "storage-address"), ("mysql://host/x", "storage-address"),
        ("postgresql://[secret", "storage-address"),
    ])
    func errorOfAnInvalidAddressDoesNotContainTheSecret(url: String, code: String) {
        let error = #expect(throws: StorageError.self) { try PostgreSQLAddress(url) }
        #expect(error?.code == code)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(arguments: ["postgresql://app@host:5432/x?sslmode=verify-full", "postgres:///x", "postgresql://%2Frun/x"])
    func addressWithoutASecretIsAccepted(url: String) throws {
        #expect(try PostgreSQLAddress(url).url == url)
        #expect(PostgreSQLAddress.isOne(url))
    }

    @Test(arguments: [
        ("a", true), ("tributary_2", true), ("", false), ("2a", false), ("A", false), ("a;b", false), ("ä", false),
    ])
    func aSchemaHasANameThatNeedsNoQuotes(name: String, isTaken: Bool) {
        #expect(((try? PostgreSQLSchema(name)) != nil) == isTaken)
    }

    @Test(arguments: [
        ("53100", "storage-full", true), ("23505", "storage-constraint", false), ("22001", "storage-constraint", false),
        ("22021", "storage-text", false), ("55P03", "storage-busy", true), ("57014", "storage-busy", true),
        ("40001", "storage-conflict", false), ("40P01", "storage-conflict", false), ("58030", "storage-io", true),
        ("XX001", "storage-corrupt", true), ("25006", "storage-read-only", true), ("42501", "storage-read-only", true),
        ("57P01", "storage-open", true), ("53300", "storage-open", true), ("28P01", "storage-open", true),
        ("42601", "storage-failed", false), ("42P01", "storage-tables", true), ("42804", "storage-tables", true),
        ("0A000", "storage-tables", true),
    ])
    func errorsOfPostgreSQLHaveStorageCodes(state: String, code: String, concernsStore: Bool) {
        let error = StorageError(sqlState: state, location: "table thing", primary: "planted")
        #expect(error.code == code)
        #expect(error.concernsStore == concernsStore)
        // The server's messages about data contain the data.
        if state.hasPrefix("22") || state.hasPrefix("23") { #expect(!error.message.contains("planted")) }
    }

    @Test func definitionsCompareTextByItsBytes() {
        let sql = "CREATE TABLE t (a TEXT PRIMARY KEY, text_b varchar(50) NOT NULL, c BIGINT, d text)"
        #expect(SQLDialect.sqlite.definition(sql) == sql)
        #expect(
            SQLDialect.postgresql.definition(sql)
                == "CREATE TABLE t (a TEXT COLLATE \"C\" PRIMARY KEY, text_b varchar(50) COLLATE \"C\" NOT NULL, c BIGINT, d text COLLATE \"C\")"
        )
        let other = "UPDATE t SET a = 'text'"
        #expect(SQLDialect.postgresql.definition(other) == other)
    }
}

extension SQLRow {
    fileprivate var onlyValue: SQLValue { self[columnNames.first ?? ""] }
}
