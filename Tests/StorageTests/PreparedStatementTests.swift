import Foundation
import Storage
import SubmissionsTestSupport
import Testing

/// Statements that are prepared once and run for many rows.
@Suite struct PreparedStatementTests {
    private static let table = Migration(number: 900, name: "things") { dialect in
        [
            "CREATE TABLE thing (number bigint PRIMARY KEY NOT NULL, name text, size double precision, body \(dialect.blob))"
        ]
    }

    @Test(arguments: Engine.allCases) func boundValuesStayUntilTheyAreBoundAgain(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            let rows = try await database.write { transaction in
                let insert = try transaction.prepare("INSERT INTO thing (number, name, size, body) VALUES (?, ?, ?, ?)")
                try insert.bind(["same", .real(0.5), .blob(Data([0, 1]))], from: 2)
                try insert.bind(1, at: 1)
                #expect(try insert.run() == 1)
                try insert.bind(2, at: 1)
                try insert.bind("", at: 2)
                try insert.bind(.null, at: 3)
                try insert.bind(.blob(Data()), at: 4)
                #expect(try insert.run() == 1)
                return try transaction.query("SELECT * FROM thing ORDER BY number")
            }
            #expect(try rows[0].text("name") == "same" && rows[0].real("size") == 0.5)
            #expect(try rows[0].blob("body") == Data([0, 1]))
            #expect(try rows[1].text("name") == "" && rows[1].realIfPresent("size") == nil)
            #expect(try rows[1].blob("body") == Data())
        }
    }

    @Test(arguments: Engine.allCases) func insertOfAnExistingRowChangesNone(_ engine: Engine) async throws {
        try await engine.withDatabase([Self.table]) { database async throws in
            try await database.write { transaction in
                let insert = try transaction.prepare("INSERT INTO thing (number) VALUES (?) ON CONFLICT DO NOTHING")
                try insert.bind(1, at: 1)
                #expect(try insert.run() == 1)
                #expect(try insert.run() == 0)
                try insert.bind(2, at: 1)
                #expect(try insert.run() == 1)
            }
        }
    }

    @Test(arguments: Engine.allCases) func refusedRowThrowsAndTheNextTransactionSucceeds(_ engine: Engine)
        async throws
    {
        try await engine.withDatabase([Self.table]) { database async throws in
            let error = await #expect(throws: StorageError.self) {
                try await database.write { transaction in
                    let insert = try transaction.prepare("INSERT INTO thing (number, name) VALUES (?, ?)")
                    try insert.bind([1, "a"], from: 1)
                    try insert.run()
                    try insert.run()
                }
            }
            #expect(error?.code == "storage-constraint")
            #expect(error?.message.contains("'a'") == false)
            try await database.write { transaction in
                let insert = try transaction.prepare("INSERT INTO thing (number, name) VALUES (?, ?)")
                let zero = #expect(throws: StorageError.self) { try insert.bind("a\u{0}b", at: 2) }
                #expect(zero?.code == "storage-text")
                try insert.bind([2, "b"], from: 1)
                #expect(try insert.run() == 1)
            }
            await #expect(throws: StorageError.self) {
                try await database.write { _ = try $0.prepare("INSERT INTO nothing VALUES (?)") }
            }
        }
    }
}
