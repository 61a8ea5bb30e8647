import Foundation
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
struct SQLiteTests {
    @Test func commitsAreFlushedAndTheFileIsPrivate() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
            let settings = try await database.write { transaction in
                try ["synchronous", "foreign_keys"].map { name in
                    try transaction.first("PRAGMA \(name)")?.integer(name)
                }
            }
            #expect(settings == [2, 1])
            let mode = try await database.read {
                try $0.first("PRAGMA journal_mode")?.text("journal_mode")
            }
            #expect(mode == "wal")
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
            }
            // A closed database is one file: the log of a large load uses no space any more.
            try await database.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test func statementNeedsAValueForEachParameter() async throws {
        try await Engine.sqlite.withDatabase { database async throws in
            for values in [[], [1], [1, 2, 3]] as [[SQLValue]] {
                for isQuery in [false, true] {
                    let error = await #expect(throws: StorageError.self) {
                        try await database.write { transaction in
                            if isQuery {
                                _ = try transaction.query("SELECT ? + ? AS sum", values)
                            } else {
                                _ = try transaction.execute("UPDATE queue_state SET change = ? + ?", values)
                            }
                        }
                    }
                    #expect(error?.code == "storage-failed")
                }
            }
            // A statement that failed can be used again.
            let row = try await database.read { try $0.first("SELECT ? + ? AS sum", [1, 2]) }
            #expect(row?["sum"] == 3)
        }
    }

    @Test func valuesAreReadUnchanged() async throws {
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .real(0.1), .real(-0.0), .text(""), .text("Zoë 👩‍⚕️ \u{FEFF}"),
            .blob(Data()), .blob(Data([0, 255, 0])), .text(String(repeating: "é", count: 100_000)),
        ]
        try await Engine.sqlite.withDatabase { database async throws in
            for value in values {
                let row = try await database.read { try $0.first("SELECT ? AS a, 1 AS a, ? AS b", [value, value]) }
                #expect(row?["a"] == value && row?["b"] == value && row?["c"] == .null)
            }
            let error = await #expect(throws: StorageError.self) {
                _ = try await database.read { try $0.first("SELECT ? AS a", ["a\0b"]) }
            }
            #expect(error?.code == "storage-text")
        }
    }

    @Test func aUrlThatNamesNoKnownEngineIsRefused() async throws {
        for (url, code) in [
            ("mysql://host/name", "storage-engine-unknown"), ("host:name", "storage-engine-unknown"),
            ("sqlite:", "storage-open"), ("sqlite:/nowhere/at/all.db", "storage-open"),
            ("", "storage-open"), ("/nowhere/at/all.db", "storage-open"),
        ] {
            let error = await #expect(throws: StorageError.self) {
                let path = try StoreLocation(url).path ?? ""
                _ = try await SQLiteDatabase.open(path: path, migrations: [])
            }
            #expect(error?.code == code)
        }
    }

    @Test func databaseAddressIsAPathOrAURL() throws {
        for (url, path) in [
            ("sqlite:/a/b.db", "/a/b.db"), ("SQLITE:b.db", "b.db"), ("/a/b.db", "/a/b.db"), ("b.db", "b.db"),
            ("/a:b/c.db", "/a:b/c.db"), ("./x:y", "./x:y"),
        ] {
            #expect(try StoreLocation(url) == .file(path))
        }
    }

    @Test func aStoreThatAGroupSharesHasItsModeFromTheFirst() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(
                path: path, migrations: SubmissionsSchema.migrations, permissions: 0o660)
            _ = try await SQLSubmissionQueue(database: database).enqueue(submission("1"))
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o660, "\(suffix)")
            }
            try await database.close()
        }
    }

    @Test func fileThatIsNotADatabaseIsRefused() async throws {
        try await withTemporaryFolder { folder async throws in
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: folder + "/x.db"))
            let error = await #expect(throws: StorageError.self) {
                _ = try await SQLiteDatabase.open(path: "\(folder)/x.db", migrations: [])
            }
            #expect(error?.code == "storage-corrupt")
        }
    }

    /// A mistyped path must not change an existing file.
    @Test func fileThatIsNotAStoreStaysUnchanged() async throws {
        try await withTemporaryFolder { folder async throws in
            let files = FileManager.default
            let (words, empty, inner) = (folder + "/words.txt", folder + "/empty.db", folder + "/folder")
            try Data("Not a database at all.".utf8).write(to: URL(fileURLWithPath: words))
            #expect(files.createFile(atPath: empty, contents: nil))
            try files.createDirectory(atPath: inner, withIntermediateDirectories: false)
            for (path, mode) in [(words, 0o644), (empty, 0o644), (inner, 0o755)] { chmod(path, mode_t(mode)) }
            for (path, code) in [
                (words, "storage-corrupt"), (empty, "storage-schema-older"), (inner, "storage-open"),
                (folder + "/none.db", "storage-missing"), (folder + "/none/none.db", "storage-missing"),
            ] {
                let error = await #expect(throws: StorageError.self) {
                    _ = try await SQLiteDatabase.open(
                        path: path, migrations: SubmissionsSchema.migrations, schema: .exact, permissions: 0o600)
                }
                #expect(error?.code == code, "\(path)")
            }
            #expect(try files.contentsOfDirectory(atPath: folder).sorted() == ["empty.db", "folder", "words.txt"])
            for (path, mode) in [(words, 0o644), (empty, 0o644), (inner, 0o755)] {
                let attributes = try files.attributesOfItem(atPath: path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: empty)).isEmpty)
        }
    }

    @Test func tooPermissiveModeOfAStoreIsCorrected() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let made = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
            try await made.close()
            chmod(path, 0o644)
            let database = try await SQLiteDatabase.open(
                path: path, migrations: SubmissionsSchema.migrations, schema: .exact, permissions: 0o600)
            _ = try await SQLSubmissionQueue(database: database).enqueue(submission("1"))
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
            }
            try await database.close()
        }
    }

    #if os(Linux)
        /// Closing any descriptor of a file ends the process's POSIX locks on it, including SQLite's; another process
        /// would then consider itself the last one and delete the log.
        @Test func openingAFileAgainLeavesTheLocksOfTheFirst() async throws {
            try await withTemporaryFolder { folder async throws in
                let path = folder + "/s.db"
                let first = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
                let second = try await SQLiteDatabase.open(
                    path: path, migrations: SubmissionsSchema.migrations, schema: .exact, permissions: 0o600)
                #expect(try isShared(path))
                try await second.close()
                try await first.close()
                #expect(try !isShared(path))
            }
        }

        /// Whether a process has SQLite's shared lock on a file: a part of the 510 bytes from 2^30 + 2. A lock of an
        /// open file description (`F_OFD_GETLK`) conflicts with those of its own process too.
        private func isShared(_ path: String) throws -> Bool {
            let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0)
            defer { Glibc.close(descriptor) }
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = 0x4000_0002
            range.l_len = 510
            let result = withUnsafeMutablePointer(to: &range) { fcntl(descriptor, 36, UnsafeMutableRawPointer($0)) }
            try #require(result == 0)
            return range.l_type != Int16(F_UNLCK)
        }
    #endif

    #if os(Linux)
        @Test func fullDiskStoresNothingPartiallyAndTheNextSubmissionSucceeds() async throws {
            try await withSmallDisk("2m") { disk async throws in
                let database = try await SQLiteDatabase.open(
                    path: "\(disk.path)/full.db", migrations: SubmissionsSchema.migrations)
                let queue = SQLSubmissionQueue(database: database)
                let large = String(repeating: "x", count: 100_000)
                var accepted: [String] = []
                var refusal: StorageError?
                for index in 0..<100 {
                    do {
                        _ = try await queue.enqueue(submission("s\(index)", body: large))
                        accepted.append("s\(index)")
                    } catch let error as StorageError {
                        refusal = error
                        break
                    }
                }
                #expect(refusal?.code == "storage-full")
                #expect(!accepted.isEmpty)
                #expect(try await queue.status(now: time()).depth == accepted.count)
                let bodies = try await database.read {
                    try $0.query("SELECT number FROM submission_body").count
                }
                #expect(bodies == accepted.count)
                // After space is freed the refused submission is accepted, and no accepted one is lost.
                try disk.resize(to: "16m")
                #expect(try await queue.enqueue(submission("s\(accepted.count)", body: large)) == .accepted)
                let leased = try await queue.lease(owner: "o", limit: 200, duration: 1, now: time(), isIdle: true)
                #expect(leased.map(\.submissionID) == accepted + ["s\(accepted.count)"])
                #expect(leased.allSatisfy { $0.body.count == 100_000 })
                try await database.close()
            }
        }
    #endif
}
