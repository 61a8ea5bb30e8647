import Foundation
import Storage
import SubmissionsTestSupport
import TestSupport
import Testing

/// Rows with named columns.
@Suite struct InsertionTests {
    private struct Thing {
        let number: Int64
        let name: String?
        var body = Data()
    }

    private static let table = Migration(number: 900, name: "things") { dialect in
        ["CREATE TABLE thing (number bigint PRIMARY KEY NOT NULL, name text, origin text, body \(dialect.blob))"]
    }

    private static func insertion(_ conflict: SQLInsertionTarget.Conflict) -> SQLInsertion<Thing, String> {
        SQLInsertion(
            into: "thing", onConflict: conflict,
            columns: [
                // Not in the order of the table.
                SQLColumn("name") { SQLValue($0.name) }, SQLColumn("number") { .integer($0.number) },
                SQLColumn("body") { .blob($0.body) },
            ],
            shared: [SQLColumn("origin") { .text($0) }])
    }

    private static func rows(_ transaction: any SQLTransaction) throws -> [String] {
        try transaction.query("SELECT * FROM thing ORDER BY number").map { row in
            "\(try row.integer("number")) \(row.textIfPresent("name") ?? "-") \(try row.text("origin"))"
        }
    }

    @Test(arguments: Engine.allCases) func valuesAreInsertedIntoTheirNamedColumns(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            let rows = try await database.write { transaction in
                let things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                try things.insert(Thing(number: 1, name: "a", body: Data([7])))
                try things.insert(Thing(number: 2, name: nil))
                #expect(try transaction.first("SELECT body FROM thing WHERE number = 1")?.blob("body") == Data([7]))
                return try Self.rows(transaction)
            }
            #expect(rows == ["1 a here", "2 - here"])
        }
    }

    /// Rows can be buffered while others are queried, except for rows that the queried ones refer to.
    @Test(arguments: Engine.allCases) func rowFindsABufferedRowThatItRefersTo(_ engine: Engine) async throws {
        let part = Migration(number: 901, name: "parts") { _ in
            [
                """
                CREATE TABLE part (number bigint PRIMARY KEY NOT NULL,
                    thing bigint NOT NULL REFERENCES thing (number))
                """
            ]
        }
        let parts = SQLInsertion<(number: Int64, thing: Int64), Void>(
            into: "part", onConflict: .keepsPresent(key: ["number"]),
            columns: [SQLColumn("number") { .integer($0.number) }, SQLColumn("thing") { .integer($0.thing) }])
        try await engine.withDatabase([Self.table, part]) { database async throws in
            try await database.write { transaction in
                let things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                let keeping = try transaction.inserter(parts)
                for number in Int64(1)...5 {
                    try things.insert(Thing(number: number, name: nil))
                    #expect(try keeping.insert((number, number)))
                    #expect(try keeping.insert((number, number)) == false)
                }
                // The key of a buffered row is in use.
                let others = try transaction.inserter(
                    Self.insertion(.keepsPresent(key: ["number"])), sharing: "there")
                try things.insert(Thing(number: 6, name: nil))
                #expect(try others.insert(Thing(number: 6, name: "x")) == false)
            }
            let rows = try await database.read { try Self.rows($0) }
            #expect(rows == (1...6).map { "\($0) - here" })
        }
    }

    @Test(arguments: Engine.allCases) func duplicateKeyFailsKeepsOrReplacesTheRow(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            try await database.write { transaction in
                try transaction.inserter(Self.insertion(.fails), sharing: "first").insert(Thing(number: 1, name: "a"))
                let keeping = try transaction.inserter(
                    Self.insertion(.keepsPresent(key: ["number"])), sharing: "second")
                #expect(try keeping.insert(Thing(number: 1, name: "c")) == false)
                #expect(try keeping.insert(Thing(number: 2, name: "c")))
                #expect(try Self.rows(transaction) == ["1 a first", "2 c second"])
                let replacing = try transaction.inserter(
                    Self.insertion(.replaces(key: ["number"])), sharing: "third")
                #expect(try replacing.insert(Thing(number: 1, name: nil)))
                #expect(try replacing.insert(Thing(number: 3, name: "d")))
                #expect(try Self.rows(transaction) == ["1 - third", "2 c second", "3 d third"])
            }
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    try transaction.inserter(Self.insertion(.fails), sharing: "b").insert(Thing(number: 1, name: "b"))
                }
            }
            #expect(error?.code == "storage-constraint")
            let kept = try await database.read { try Self.rows($0) }
            #expect(kept == ["1 - third", "2 c second", "3 d third"])
        }
    }

    @Test(arguments: Engine.allCases) func insertersOfOneKindKeepTheirOwnSharedValues(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            for round in 0..<2 {
                let first = Int64(round * 10)
                let rows = try await database.write { transaction in
                    let insertion = Self.insertion(.fails)
                    let one = try transaction.inserter(insertion, sharing: "one")
                    let two = try transaction.inserter(insertion, sharing: "two")
                    try one.insert(Thing(number: first, name: nil))
                    try two.insert(Thing(number: first + 1, name: nil))
                    // The same statement of another caller has its own values.
                    try transaction.execute(
                        insertion.target.sql, ["b", .integer(first + 2), .blob(Data()), "elsewhere"])
                    try one.insert(Thing(number: first + 3, name: nil))
                    return try Self.rows(transaction)
                }
                #expect(
                    rows.suffix(4) == [
                        "\(first) - one", "\(first + 1) - two", "\(first + 2) b elsewhere", "\(first + 3) - one",
                    ])
            }
        }
    }

    @Test(arguments: Engine.allCases) func addedRowsAreInsertedOnceByAFlush(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            try await database.write { transaction in
                var things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                for number in 1...3 { try things.add(Thing(number: Int64(number), name: nil)) }
                try things.flush()
                try things.flush()
                #expect(try Self.rows(transaction) == ["1 - here", "2 - here", "3 - here"])
                // More rows than are buffered at a time.
                for number in 4...5_000 { try things.add(Thing(number: Int64(number), name: nil)) }
                try things.flush()
                #expect(try Self.rows(transaction).count == 5_000)
            }
            await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    var things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                    try things.add(Thing(number: 1, name: nil))
                    try things.flush()
                    Issue.record("a row whose key is taken was written")
                }
            }
        }
    }

    @Test(arguments: Engine.allCases) func anUndoneTransactionLeavesNoRowAndNoValue(_ engine: Engine) async throws {
        struct Stop: Error {}
        try await engine.withDatabase([Self.table]) { database async throws in
            await #expect(throws: Stop.self) {
                try await database.write { transaction in
                    try transaction.inserter(Self.insertion(.fails), sharing: "gone")
                        .insert(Thing(number: 1, name: "gone"))
                    throw Stop()
                }
            }
            let rows = try await database.write { transaction in
                try transaction.inserter(Self.insertion(.fails), sharing: "here").insert(Thing(number: 1, name: nil))
                return try Self.rows(transaction)
            }
            #expect(rows == ["1 - here"])
        }
    }

    /// Several rows in one statement give the same result as separate ones, for long, repeated and existing values.
    @Test(
        arguments: Engine.allCases,
        [
            SQLInsertionTarget.Conflict.fails, .keepsPresent(key: ["number"]), .replaces(key: ["number"]),
        ])
    func rowsThatWereAddedAreThoseThatWereInserted(
        _ engine: Engine, _ conflict: SQLInsertionTarget.Conflict
    ) async throws {
        var random = Seeded.fresh()
        let seed = random.seed
        let lengths = [0, 1, 40, 63, 64, 65, 300, 4_096, 4_097, 70_000]
        let things = (0..<300).map { number in
            let length = lengths[Int.random(in: 0..<(number % 40 == 0 ? lengths.count : 7), using: &random)]
            return Thing(
                number: conflict == .fails ? Int64(number) : Int64.random(in: 0..<120, using: &random),
                name: number % 7 == 0 ? nil : String(repeating: "\(number)é", count: length / 5),
                body: Data((0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
        }
        func stored(_ body: @escaping @Sendable (inout SQLInserter<Thing>) throws -> Void) async throws -> [[SQLValue]]
        {
            var found: [[SQLValue]] = []
            try await engine.withDatabase([Self.table]) { database async throws in
                found = try await database.write { transaction in
                    let known = try transaction.inserter(Self.insertion(.fails), sharing: "before")
                    if conflict != .fails { try known.insert(Thing(number: 7, name: "known")) }
                    var inserter = try transaction.inserter(Self.insertion(conflict), sharing: "here")
                    try body(&inserter)
                    return try transaction.query("SELECT number, name, origin, body FROM thing ORDER BY number").map {
                        row in ["number", "name", "origin", "body"].map { row[$0] }
                    }
                }
            }
            return found
        }
        let one = try await stored { for thing in things { try $0.insert(thing) } }
        let added = try await stored { inserter in
            // In batches, since earlier bound values are still present.
            for start in stride(from: 0, to: things.count, by: 90) {
                for thing in things[start..<min(start + 90, things.count)] { try inserter.add(thing) }
                try inserter.flush()
            }
        }
        let numbers = Set(things.map(\.number)).union(conflict == .fails ? [] : [7])
        #expect(one.count == numbers.count && added == one, "seed \(seed)")
        guard case .keepsPresent = conflict else { return }
        let together = try await stored { inserter in
            guard let groups = try inserter.insert(contentsOf: things) else {
                for thing in things { try inserter.insert(thing) }
                return
            }
            #expect(groups.flatMap(\.rows) == Array(things.indices))
            #expect(groups.reduce(0) { $0 + $1.new } == one.count - 1, "seed \(seed)")
        }
        #expect(together == one, "seed \(seed)")
    }

    /// If one of several rows is refused, none is committed.
    @Test(arguments: Engine.allCases) func refusedRowRollsBackAllRows(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    var things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                    for number in Int64(0)..<40 { try things.add(Thing(number: number == 20 ? 3 : number, name: "a")) }
                    try things.flush()
                }
            }
            #expect(try await database.read { try Self.rows($0) } == [])
        }
    }
}
