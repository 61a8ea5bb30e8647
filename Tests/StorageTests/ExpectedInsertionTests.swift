import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage

/// Insertions that keep existing rows, with announced rows: the results are those without the announcement.
@Suite struct ExpectedInsertionTests {
    private struct Thing: Hashable {
        let name: String
        let number: Int64
        let body: Data
    }

    private static let tables = Migration(number: 900, name: "things") { dialect in
        [
            """
            CREATE TABLE thing (place bigint NOT NULL, origin varchar(50) NOT NULL, name text NOT NULL,
                number bigint NOT NULL, body \(dialect.blob) NOT NULL, PRIMARY KEY (name, origin, number, body))
            """,
            "CREATE UNIQUE INDEX thing_by_place ON thing (place)",
            "CREATE TABLE part (thing bigint NOT NULL REFERENCES thing (place), name text NOT NULL)",
        ]
    }

    private typealias Row = (key: Int64, thing: Thing)

    private static let insertion = SQLInsertion<Row, String>(
        into: "thing", onConflict: .keepsPresent(key: ["name", "origin", "number", "body"]),
        columns: [
            SQLColumn("place") { .integer($0.key) }, SQLColumn("body") { .blob($0.thing.body) },
            SQLColumn("name") { .text($0.thing.name) }, SQLColumn("number") { .integer($0.thing.number) },
        ],
        shared: [SQLColumn("origin") { .text($0) }])

    private static let parts = SQLInsertion<(thing: Int64, name: String), Void>(
        into: "part", columns: [SQLColumn("thing") { .integer($0.thing) }, SQLColumn("name") { .text($0.name) }])

    /// Texts with a meaning in arrays, or with a similar form.
    private static let names = [
        "", "a", "A", "NULL", "null", "{", "}", "a,b", "\"", "\\", "\\\"", "'", " ", "a b", "\t", "\n", "?", "$1",
        "caf\u{E9}", "cafe\u{301}", "\u{212A}", "K", "漢", "{\"a\"}", "\\x00",
    ]

    private static func rows(_ transaction: any SQLTransaction) throws -> [String] {
        try transaction.query("SELECT place, origin, name, number, body FROM thing ORDER BY place").map { row in
            """
            \(try row.integer("place")) \(try row.text("origin")) \(Array(try row.text("name").utf8)) \
            \(try row.integer("number")) \(Array(try row.blob("body")))
            """
        }
    }

    @Test(arguments: Engine.allCases) func resultsAreTheSameWithAndWithoutExpectation(_ engine: Engine) async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let batches = (0..<6).map { _ in
            (0..<60).map { _ in
                Thing(
                    name: Self.names.randomElement(using: &generator) ?? "",
                    number: .random(in: -1...1, using: &generator),
                    body: [Data(), Data([0]), Data([0x5C, 0x22])].randomElement(using: &generator) ?? Data())
            }
        }
        // Some rows of a batch are expected, others are not, and some expected rows are never inserted.
        let expected = batches.map { batch in
            batch.filter { _ in Bool.random(using: &generator) } + batches[0].prefix(5)
        }
        func answers(expecting: Bool, _ database: any SQLDatabase) async throws -> (answers: [Bool], rows: [String]) {
            var all: [Bool] = []
            for (batch, expected) in zip(batches, expected) {
                let firstKey = Int64(all.count)
                all += try await database.write { transaction in
                    let things = try transaction.inserter(
                        Self.insertion, sharing: batch.count % 2 == 0 ? "here" : "there")
                    if expecting { try things.expect(expected.map { (key: 0, thing: $0) }) }
                    return try batch.enumerated().map { index, thing in
                        try things.insert((key: firstKey + Int64(index), thing: thing))
                    }
                }
            }
            return (all, try await database.read { try Self.rows($0) })
        }
        var found: [(answers: [Bool], rows: [String])] = []
        for expecting in [false, true] {
            try await engine.withDatabase([Self.tables]) { database async throws in
                found.append(try await answers(expecting: expecting, database))
            }
        }
        #expect(found[0].answers == found[1].answers, "seed \(seed)")
        #expect(found[0].rows == found[1].rows, "seed \(seed)")
        #expect(found[0].rows.count == found[0].answers.count { $0 } && found[0].answers.contains(false))
    }

    @Test(arguments: Engine.allCases) func expectedRowIsVisibleToTheNextStatement(_ engine: Engine) async throws {
        @Sendable func thing(_ number: Int64) -> Row { (number, Thing(name: "a", number: number, body: Data())) }
        try await engine.withDatabase([Self.tables]) { database async throws in
            try await database.write { transaction in
                let things = try transaction.inserter(Self.insertion, sharing: "here")
                try things.expect((1...3).map(thing))
                #expect(try things.insert(thing(1)))
                #expect(try things.insert(thing(1)) == false)
                #expect(try Self.rows(transaction).count == 1)
                #expect(try things.insert(thing(2)))
                // The next expectation replaces the expected rows, not the inserted ones.
                try things.expect((2...4).map(thing))
                #expect(try things.insert(thing(2)) == false)
                #expect(try things.insert(thing(4)))
                #expect(try things.insert(thing(5)))
            }
            let keys = try await database.read { transaction in
                try transaction.query("SELECT place FROM thing ORDER BY place").map { try $0.integer("place") }
            }
            #expect(keys == [1, 2, 4, 5])
        }
    }

    /// In any order of the rows of two tables, referenced rows are written before those that refer to them.
    @Test(arguments: Engine.allCases) func rowsThatReferToExpectedOnesAreWrittenAfterThem(_ engine: Engine) async throws
    {
        try await engine.withDatabase([Self.tables]) { database async throws in
            try await database.write { transaction in
                let things = try transaction.inserter(Self.insertion, sharing: "here")
                var parts = try transaction.inserter(Self.parts)
                let rows: [Row] = (1...6_000).map { ($0, Thing(name: "a", number: $0, body: Data())) }
                try things.expect(rows)
                #expect(try things.insert(rows[0]))
                // The parts begin to wait before the things to which later parts refer.
                try transaction.execute("DELETE FROM part")
                for row in rows {
                    if row.key > 1 { #expect(try things.insert(row)) }
                    for name in ["x", "y"] { try parts.add((row.key, name)) }
                    if row.key == 1 { try parts.flush() }
                }
                try parts.flush()
            }
            let counts = try await database.read { transaction in
                try ["thing", "part"].map {
                    try transaction.first("SELECT count(*) AS number FROM \($0)")?.integer("number")
                }
            }
            #expect(counts == [6_000, 12_000])
        }
    }

    @Test(arguments: Engine.allCases) func rolledBackRowsAreNotInserted(_ engine: Engine) async throws {
        struct Stop: Error {}
        let rows: [Row] = (1...10).map { ($0, Thing(name: "a", number: $0, body: Data())) }
        try await engine.withDatabase([Self.tables]) { database async throws in
            await #expect(throws: Stop.self) {
                try await database.write { transaction in
                    let things = try transaction.inserter(Self.insertion, sharing: "here")
                    try things.expect(rows)
                    for row in rows { #expect(try things.insert(row)) }
                    throw Stop()
                }
            }
            try await database.write { transaction in
                let things = try transaction.inserter(Self.insertion, sharing: "here")
                try things.expect(rows)
                for row in rows { #expect(try things.insert(row)) }
            }
            let number = try await database.read { try Self.rows($0).count }
            #expect(number == 10)
        }
    }

    /// For any number of rows in the table each key is looked up.
    @Test(.enabled(if: Engine.allCases.contains(.postgresql))) func lookUpOfKeysUsesTheirIndex() async throws {
        try await Engine.postgresql.withDatabase([Self.tables]) { database async throws in
            let plan = try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO thing (place, origin, name, number, body)
                    SELECT n, 'here', 'a', n, CAST('' AS bytea) FROM generate_series(1, 3000) AS g (n)
                    """)
                try transaction.execute("ANALYZE thing")
                let sql = PostgreSQLTransaction.presentSQL(
                    [("name", "text"), ("origin", "character varying"), ("number", "bigint"), ("body", "bytea")],
                    of: "thing")
                let row = [SQLValue.text("a"), "here", 1, .blob(Data())]
                let arrays = row.map { value in
                    SQLValue.text(PostgreSQLArray.text(of: repeatElement(value, count: 2_000)))
                }
                return try QueryPlan(sql, arrays, in: transaction)
            }
            #expect(plan.uses(index: "thing_pkey") && !plan.readsAll, "\(plan)")
        }
    }
}
