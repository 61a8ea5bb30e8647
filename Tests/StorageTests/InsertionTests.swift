import Foundation
import Storage
import Testing

/// Rows whose columns have names.
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

    @Test(arguments: Engine.allCases) func eachValueStandsInTheColumnOfItsName(_ engine: Engine) async throws {
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

    /// Rows that nobody asks about may wait while others are asked about, but not those that these refer to.
    @Test(arguments: Engine.allCases) func aRowThatRefersToOneThatWaitsFindsIt(_ engine: Engine) async throws {
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
                // A key that waits is taken.
                let others = try transaction.inserter(
                    Self.insertion(.keepsPresent(key: ["number"])), sharing: "there")
                try things.insert(Thing(number: 6, name: nil))
                #expect(try others.insert(Thing(number: 6, name: "x")) == false)
            }
            let rows = try await database.read { try Self.rows($0) }
            #expect(rows == (1...6).map { "\($0) - here" })
        }
    }

    @Test(arguments: Engine.allCases) func aTakenKeyIsRefusedKeptOrReplaced(_ engine: Engine) async throws {
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

    @Test(arguments: Engine.allCases) func insertersOfOneKindDoNotMixWhatTheyShare(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            for round in 0..<2 {
                let first = Int64(round * 10)
                let rows = try await database.write { transaction in
                    let insertion = Self.insertion(.fails)
                    let one = try transaction.inserter(insertion, sharing: "one")
                    let two = try transaction.inserter(insertion, sharing: "two")
                    try one.insert(Thing(number: first, name: nil))
                    try two.insert(Thing(number: first + 1, name: nil))
                    // The same statement from elsewhere has values of its own.
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

    @Test(arguments: Engine.allCases) func whatIsAddedIsThereOnceWhenItWasFlushed(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            try await database.write { transaction in
                var things = try transaction.inserter(Self.insertion(.fails), sharing: "here")
                for number in 1...3 { try things.add(Thing(number: Int64(number), name: nil)) }
                try things.flush()
                try things.flush()
                #expect(try Self.rows(transaction) == ["1 - here", "2 - here", "3 - here"])
                // More than wait at a time.
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
}
