import Foundation
import ServerHTTP
import Storage
import StudyFiles
import StudyOperations
import TestSupport
import Testing

/// Locations of a study's stores, and access to them.
@Suite struct StudyStoresTests {
    private func withFolder(
        _ change: (inout StudyConfiguration) -> Void = { _ in }, _ body: (StudyFolder) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = StudyFolder(path: root.path)
        var study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study")
        change(&study)
        try folder.make(study, antispam: "a-secret-word", now: Date())
        try await body(folder)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
    }

    @Test func queueIsAccessibleToAGroupAndRecordsOnlyToTheirOwner() async throws {
        try await withFolder { folder in
            let stores = try StudyStores(folder)
            _ = try await stores.migrate()
            #expect(stores.queuePath == folder.url.appendingPathComponent("queue/queue.sqlite").path)
            #expect(stores.recordsPath == folder.url.appendingPathComponent("data/records.sqlite").path)
            #expect(try mode(stores.queuePath) == 0o660)
            #expect(try mode((stores.queuePath as NSString).deletingLastPathComponent) == 0o2770)
            #expect(try mode(stores.recordsPath) == 0o600)
            #expect(try mode((stores.recordsPath as NSString).deletingLastPathComponent) == 0o700)
        }
    }

    @Test func studyFileSetsTheLocationsOfTheStoresAndOptionsOverrideIt() async throws {
        let elsewhere: (inout StudyConfiguration) -> Void = { study in
            study.queue = "elsewhere/q.sqlite"
            study.database = "sqlite:elsewhere/r.sqlite"
        }
        try await withFolder(elsewhere) { folder in
            let stores = try StudyStores(folder)
            #expect(stores.queuePath == folder.url.appendingPathComponent("elsewhere/q.sqlite").path)
            #expect(stores.recordsPath == folder.url.appendingPathComponent("elsewhere/r.sqlite").path)
            let given = try StudyStores(folder, queue: "/tmp/a.sqlite", database: "sqlite:/tmp/b.sqlite")
            #expect(given.queuePath == "/tmp/a.sqlite" && given.recordsPath == "/tmp/b.sqlite")
            #expect(throws: StorageError.self) { try StudyStores(folder, database: "mysql://x/y") }
        }
    }

    @Test func missingStoreIsNotCreatedByOpening() async throws {
        try await withFolder { folder in
            let stores = try StudyStores(folder)
            await #expect(throws: StorageError.self) { try await stores.openRecords() }
            await #expect(throws: StorageError.self) { try await stores.openQueue() }
            #expect(!FileManager.default.fileExists(atPath: stores.recordsPath))
        }
    }

    @Test func queueOpenedAsTheRecordsKeepsItsMode() async throws {
        try await withFolder { folder in
            let stores = try StudyStores(folder)
            _ = try await stores.migrate()
            let mistaken = try StudyStores(folder, database: stores.queuePath)
            let refused = await #expect(throws: StorageError.self) { try await mistaken.openRecords() }
            #expect(refused?.code == "storage-schema-mismatch")
            // The receiver's account also opens the companion files, if they exist.
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: stores.queuePath + suffix) {
                #expect(try mode(stores.queuePath + suffix) == 0o660, "\(suffix)")
            }
        }
    }

    @Test func interruptedCreationOfAStoreIsCompleted() async throws {
        try await withFolder { folder in
            let stores = try StudyStores(folder)
            try FileManager.default.createDirectory(at: folder.dataURL, withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: stores.recordsPath, contents: nil))
            let refused = await #expect(throws: StorageError.self) { try await stores.openRecords() }
            #expect(refused?.code == "storage-schema-older")
            _ = try await stores.migrate()
            try await stores.openRecords().close()
        }
    }

    @Test func studyWithASingleFormerStoreIsRefused() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder.dataURL, withIntermediateDirectories: true)
            try Data().write(to: folder.formerDatabaseURL)
            let refused = #expect(throws: StorageError.self) { try StudyStores(folder) }
            #expect(refused?.code == "storage-schema-former")
        }
    }

    /// The queue and the records of development versions before the baseline.
    @Test func storesOfFormerVersionsAreRefusedAndUnchanged() async throws {
        for isQueue in [true, false] {
            try await withFolder { folder in
                let stores = try StudyStores(folder)
                let path = isQueue ? stores.queuePath : stores.recordsPath
                let parent = (path as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                let former = Migration(number: isQueue ? 700 : 200, name: "former") { _ in
                    ["CREATE TABLE former (id bigint)"]
                }
                try await SQLiteDatabase.open(path: path, migrations: [former]).close()
                let unmigrated = await #expect(throws: StorageError.self) { _ = try await stores.migrate() }
                #expect(unmigrated?.code == "storage-schema-former")
                let unopened = await #expect(throws: StorageError.self) {
                    if isQueue { try await stores.openQueue().close() } else { try await stores.openRecords().close() }
                }
                #expect(unopened?.code == "storage-schema-former")
                let same = try await SQLiteDatabase.open(path: path, migrations: [former], schema: .exact)
                #expect(try await same.read { try $0.tableNames() } == ["former", "schema_migration"])
                try await same.close()
            }
        }
    }

    @Test func settingsOfTheStudyFileAreReadStrictly() throws {
        let text = """
            {"id":"s","title":"T","bundleIdentifier":"b","limits":{"submissionBytes":1,"resources":2,"tokenSeconds":3,\
            "heldBytesPerDevice":4,"rates":{"token-by-client":{"perSecond":0.5,"burst":7}}},"validation":"structure",\
            "c3pro":false,"acceptPlainFHIR":true,"development":true,"withdrawalGraceDays":5,"queue":"q","database":"d"}
            """
        let study = try StudyConfiguration(json: Data(text.utf8))
        #expect(study.maximumSubmissionBytes == 1 && study.maximumResourcesPerSubmission == 2)
        #expect(study.tokenLifetime == 3 && study.heldBytesPerDevice == 4)
        #expect(study.rates[.tokenByClient].perSecond == 0.5 && study.rates[.tokenByClient].burst == 7)
        #expect(study.validation == .structure && !study.c3pro.isAccepted && study.acceptPlainFHIR && study.development)
        #expect(study.withdrawalGraceDays == 5 && study.queue == "q" && study.database == "d")
        for wrong in [
            #""withdrawalGraceDays":-1"#, #""withdrawalGraceDays":"x""#, #""queue":"""#, #""c3pro":"no""#,
            #""c3pro":{"contractsWithoutTerms":1}"#,
            #""limits":{"rates":{"nobody":{"perSecond":1,"burst":1}}}"#, #""limits":{"rates":{"token-by-client":1}}"#,
            #""limits":{"heldBytesPerDevice":0}"#, #""enrolment":[]"#, #""enrolment":"invitation""#,
            #""enrolment":["invitation","paper"]"#, #""enrolment":["receipt","receipt"]"#,
        ] {
            let file = #"{"id":"s","title":"T","bundleIdentifier":"b",\#(wrong)}"#
            #expect(throws: ServerError.self, "\(wrong)") { try StudyConfiguration(json: Data(file.utf8)) }
        }
    }
}
