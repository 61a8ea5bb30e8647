import Foundation
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage

/// The contract of every driver of ``SQLDatabase``.
@Suite(.timeLimit(.minutes(10)))
struct DatabaseContractTests {
    static let schema = [
        Migration(number: 900, name: "thing") { dialect in
            [
                """
                CREATE TABLE thing (id BIGINT PRIMARY KEY, name TEXT UNIQUE, weight DOUBLE PRECISION,
                raw \(dialect.blob), at TEXT)
                """,
                "CREATE TABLE part (id BIGINT PRIMARY KEY, thing BIGINT NOT NULL REFERENCES thing (id))",
            ]
        }
    ]

    @Test(arguments: Engine.allCases)
    func valuesAreReadUnchanged(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            let hostile = "'; DROP TABLE thing; -- \u{1F600}"
            let changed = try await database.write {
                try $0.execute(
                    "INSERT INTO thing (id, name, weight, raw, at) VALUES (?, ?, ?, ?, ?)",
                    [
                        SQLValue(Int64.max), SQLValue(hostile), SQLValue(0.1), SQLValue(Data([0, 255])),
                        SQLValue(time(1.5)),
                    ])
            }
            #expect(changed == 1)
            let row = try #require(try await database.read { try $0.query("SELECT * FROM thing") }.first)
            #expect(
                try row.integer("id") == Int64.max && row.text("name") == hostile
                    && row.real("weight") == 0.1)
            #expect(try row.blob("raw") == Data([0, 255]) && row.date("at") == time(1.5))
            #expect(row["absent"] == .null && row.textIfPresent("id") == nil)
            let error = #expect(throws: StorageError.self) { try row.text("absent") }
            #expect(error?.code == "storage-column")
            let zero = await #expect(throws: StorageError.self) {
                try await database.read { try $0.query("SELECT ? AS text", ["a\u{0}b"]).count }
            }
            #expect(zero?.code == "storage-text")
        }
    }

    @Test(arguments: Engine.allCases)
    func errorRollsBackTheWholeTransaction(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO thing (id, name) VALUES (1, 'a')")
                    try transaction.execute("INSERT INTO thing (id, name) VALUES (2, 'a')")
                }
            }
            #expect(error?.code == "storage-constraint")
            #expect(try await database.read { try $0.query("SELECT id FROM thing").count } == 0)
            let orphan = await #expect(throws: StorageError.self) {
                try await database.write { try $0.execute("INSERT INTO part (id, thing) VALUES (1, 99)") }
            }
            #expect(orphan?.code == "storage-constraint")
        }
    }

    @Test(arguments: Engine.allCases)
    func errorsCarryNoValues(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    for id in 1...2 {
                        try transaction.execute(
                            "INSERT INTO thing (id, name) VALUES (?, ?)", [SQLValue(id), "planted-secret"])
                    }
                }
            }
            #expect(error.map { "\($0)".contains("planted-secret") } == false)
        }
    }

    @Test(arguments: Engine.allCases)
    func eachCanRunTheSameStatementInItsBody(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            let pairs = try await database.write { transaction in
                for id in 1...20 {
                    try transaction.execute("INSERT INTO thing (id) VALUES (?)", [SQLValue(id)])
                }
                var pairs = 0
                let sql = "SELECT id FROM thing WHERE id > ? ORDER BY id"
                try transaction.each(sql, [0]) { outer in
                    try transaction.each(sql, [outer["id"]]) { _ in pairs += 1 }
                    #expect(try transaction.query(sql, [19]).count == 1)
                }
                return pairs
            }
            #expect(pairs == 190)
        }
    }

    @Test(arguments: Engine.allCases)
    func executeCountsTheRowsItChanged(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            let counts = try await database.write { transaction in
                try [
                    transaction.execute("INSERT INTO thing (id) VALUES (1), (2)"),
                    transaction.execute("INSERT INTO thing (id) VALUES (1) ON CONFLICT (id) DO NOTHING"),
                    transaction.execute("UPDATE thing SET name = 'x' WHERE id = 9"),
                    transaction.execute("CREATE TABLE another (id BIGINT)"),
                    transaction.execute("DELETE FROM thing"),
                ]
            }
            #expect(counts == [2, 0, 0, 0, 2])
        }
    }

    /// Alone, after others, and in a writing transaction, which must not continue then.
    @Test(arguments: Engine.allCases)
    func aQueryThatTakesTooLongIsEnded(engine: Engine) async throws {
        let endless = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n > ?)"
        let query = SQLQuery(endless + " SELECT COUNT(*) AS total FROM number", [0])
        let short = SQLQuery("SELECT CAST(? AS INTEGER) AS one", [1])
        try await engine.withDatabase(Self.schema) { database async throws in
            for queries in [[query], [short, query, short]] {
                let begun = ContinuousClock.now
                let error = await #expect(throws: StorageError.self) {
                    try await database.read { transaction in
                        try transaction.limited(until: .now + .milliseconds(100)) {
                            if queries.count == 1 {
                                return try transaction.query(query.sql, query.parameters).count
                            }
                            return try transaction.queries(queries).count
                        }
                    }
                }
                #expect(error?.isOfTimeLimit == true, "\(String(describing: error))")
                #expect(ContinuousClock.now - begun >= .milliseconds(100))
                // The connection is still usable.
                #expect(try await database.read { try $0.query(short.sql, short.parameters).count } == 1)
            }
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO thing (id) VALUES (1)")
                    let found = try transaction.limited(until: .now + .seconds(60)) {
                        try transaction.query("SELECT id FROM thing").count
                    }
                    #expect(found == 1)
                    try transaction.execute("INSERT INTO thing (id) VALUES (2)")
                    try transaction.limited(until: .now + .milliseconds(50)) {
                        _ = try transaction.query(query.sql, query.parameters)
                    }
                }
            }
            #expect(error?.isOfTimeLimit == true)
            #expect(try await database.read { try $0.query("SELECT id FROM thing").isEmpty })
            // Another error is rethrown unchanged, and a query after the deadline is not started.
            let other = await #expect(throws: StorageError.self) {
                try await database.read { transaction in
                    try transaction.limited(until: .now + .seconds(60)) {
                        try transaction.query("SELECT absent").count
                    }
                }
            }
            #expect(other?.code == "storage-tables", "\(String(describing: other))")
            let late = await #expect(throws: StorageError.self) {
                try await database.read { transaction in
                    try transaction.limited(until: .now) { try transaction.query("SELECT 1 AS one").count }
                }
            }
            #expect(late?.isOfTimeLimit == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func aClosedDatabaseThrows(engine: Engine) async throws {
        try await engine.withDatabase(Self.schema) { database async throws in
            try await database.close()
            await #expect(throws: (any Error).self) {
                try await database.read { try $0.query("SELECT 1 AS one").count }
            }
        }
    }

    @Test func timestampsAreOrderedTextAndAreReadUnchanged() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        #expect(SQLTimestamp.text(time()) == "2026-01-01T00:00:00.000Z")
        #expect(
            SQLTimestamp.text(Date(timeIntervalSince1970: 951_782_399.9996)) == "2000-02-29T00:00:00.000Z"
        )
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: -1)) == "1969-12-31T23:59:59.000Z")
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let milliseconds = (0..<500).map { _ in
            Int64.random(in: -60_000_000_000_000...250_000_000_000_000, using: &generator)
        }
        for value in milliseconds where value > -12_000_000_000_000 {
            let date = Date(timeIntervalSince1970: Double(value) / 1000)
            #expect(SQLTimestamp.text(date) == formatter.string(from: date))
        }
        for value in milliseconds {
            let date = Date(timeIntervalSince1970: Double(value) / 1000)
            #expect(SQLTimestamp.date(SQLTimestamp.text(date)) == date, "seed \(seed)")
        }
        let texts = milliseconds.sorted().map {
            SQLTimestamp.text(Date(timeIntervalSince1970: Double($0) / 1000))
        }
        #expect(texts == texts.sorted())
        for wrong in [
            "", "2026-01-01", "2026-13-01T00:00:00.000Z", "2026-01-01T00:00:00.000+",
            "2026-01-01 00:00:00.000Z",
        ] {
            #expect(SQLTimestamp.date(wrong) == nil)
        }
        #expect(SQLTimestamp.text(.distantFuture).count == 24)
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: .infinity)) == "9999-12-31T23:59:59.999Z")
    }
}
