import Core
import Foundation
import Storage
import Submissions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension StudyUpgrade {
    /// Counters that change with every write to the queue's part of the former database.
    struct Marks: Sendable, Hashable {
        let change: Int64
        let counts: [Int64]

        init(in transaction: any SQLTransaction) throws {
            change = try transaction.first("SELECT value FROM submission_counter WHERE id = 1")?.integer("value") ?? 0
            counts = try ["submission", "submission_body", "enrolment", "client", "access_token"].map {
                try transaction.first("SELECT count(*) AS rows FROM \($0)")?.integer("rows") ?? 0
            }
        }
    }

    /// Deletes the files of an earlier run.
    func removePartial() {
        for end in ["", "-wal", "-shm"] { unlink(partial + end) }
    }

    /// Step 1: creates the queue's store next to its final path. Returns the counters that it was made from.
    func makeQueue() async throws -> Marks {
        removePartial()
        let parent = URL(fileURLWithPath: queue).deletingLastPathComponent().path
        if !StudyBackupFiles.exists(parent) { try StudyBackupFiles.makeFolder(parent, permissions: 0o2770) }
        let marks = try await openFormer().closing { former in
            let marks = try await former.read { try Marks(in: $0) }
            let made = try await SQLiteDatabase.open(
                path: partial, migrations: StudyStores.queueMigrations, permissions: StudyStores.queuePermissions)
            try await made.closing { made in
                for table in Self.tables { try await copy(table, from: former, to: made) }
                try await copyBodies(from: former, to: made)
                let name = UUID().lowercaseText
                let studyID = studyID
                try await made.write { transaction in
                    try transaction.execute("UPDATE queue_state SET change = ? WHERE id = 1", [SQLValue(marks.change)])
                    _ = try QueueState.claim(studyID: studyID, newQueueID: name, in: transaction)
                }
            }
            return marks
        }
        try SQLiteDatabase.settle(path: partial)
        try StudyBackupFiles.synchronize(partial)
        try synchronizeFolder(of: partial)
        return marks
    }

    /// A table that is copied to the other database.
    struct Table: Sendable {
        let name: String
        /// The columns; the first one is the key.
        let columns: [String]
        /// A value below all keys.
        let start: SQLValue
        /// The expressions of columns that are not copied unchanged.
        var readings: [String: String] = [:]
    }

    /// In the order of references. Of a settled submission, the following columns are not copied: its participant, its
    /// resources and their versions, and the notes of its processing.
    static let tables = [
        Table(name: "enrolment", columns: ["id", "receipt_digest", "created_at", "last_seen_at"], start: ""),
        Table(name: "client", columns: ["id", "enrolment_id", "secret_digest", "created_at", "revoked_at"], start: ""),
        Table(name: "access_token", columns: ["token_digest", "client_id", "created_at", "expires_at"], start: ""),
        Table(
            name: "submission",
            columns: [
                "number", "client_id", "lane", "submission_id", "digest", "format", "sequence", "resource_type_hint",
                "size", "received_at", "status", "changed_at", "change", "attempts", "reason_code", "detail", "key_id",
            ], start: -1,
            readings: [
                "detail": "CASE WHEN status IN ('stored', 'refused') THEN NULL ELSE detail END",
                "status": "CASE WHEN status = 'parked' THEN 'quarantined' ELSE status END",
            ]),
    ]

    private static let slice = 2000
    private static let sliceBytes: Int64 = 16 << 20

    private func copy(_ table: Table, from former: SQLiteDatabase, to made: SQLiteDatabase) async throws {
        let key = table.columns[0]
        let readings = table.columns.map { table.readings[$0].map { reading in "\(reading) AS " } ?? "" }
        let select = """
            SELECT \(zip(readings, table.columns).map { $0 + $1 }.joined(separator: ", ")) FROM \(table.name)
            WHERE \(key) > ? ORDER BY \(key) LIMIT \(Self.slice)
            """
        var last = table.start
        while true {
            let after = last
            let rows = try await former.read { try $0.query(select, [after]) }
            guard let end = rows.last else { return }
            try await made.write { try Self.insert(rows, into: table.name, table.columns, in: $0) }
            last = end[key]
        }
    }

    /// Copies sealed bodies, which are large, in slices of some megabytes.
    private func copyBodies(from former: SQLiteDatabase, to made: SQLiteDatabase) async throws {
        var last: Int64 = -1
        while true {
            let after = last
            let rows = try await former.read { transaction in
                let sizes = try transaction.query(
                    """
                    SELECT number, length(body) AS bytes FROM submission_body WHERE number > ? ORDER BY number
                    LIMIT \(Self.slice)
                    """, [SQLValue(after)])
                var end = after
                var bytes: Int64 = 0
                for row in sizes {
                    bytes += try row.integer("bytes")
                    guard end == after || bytes <= Self.sliceBytes else { break }
                    end = try row.integer("number")
                }
                return try transaction.query(
                    "SELECT number, body FROM submission_body WHERE number > ? AND number <= ? ORDER BY number",
                    [SQLValue(after), SQLValue(end)])
            }
            guard let end = rows.last else { return }
            try await made.write { try Self.insert(rows, into: "submission_body", ["number", "body"], in: $0) }
            last = try end.integer("number")
        }
    }

    private static func insert(
        _ rows: [SQLRow], into table: String, _ columns: [String], in transaction: any SQLTransaction
    ) throws {
        let placeholders = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try transaction.prepare(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))")
        for row in rows {
            try statement.bind(columns.map { row[$0] }, from: 1)
            try statement.run()
        }
    }
}
