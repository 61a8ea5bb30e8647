import Accounts
import Audit
import Consumer
import Core
import DeviceGateway
import Foundation
import Receiver
import RecordStorage
import Storage
import StudyFiles
import Submissions
import Warehouse

/// A study's two stores: the queue, which a receiver opens alone, and the records.
///
/// The location of each is that of its option (a path, `sqlite:PATH` or `postgresql://...`), or that of `study.json`
/// (a relative path is below the study's folder), or the default in the study's folder. Only `serve`, `tributary
/// migrate` and commands that create a store change a schema; all others refuse a store of another version.
package struct StudyStores: Sendable {
    package let folder: StudyFolder
    /// The store of the queue. Its file is shared with the receiver's account by its group.
    package let queue: Store
    /// The store of the records.
    package let records: Store
    /// The store of account holders; nil if the study has no accounts.
    package let people: Store?
    /// The location of i2b2's tables.
    package let warehouse: WarehouseLocation
    /// The data that i2b2's tables withhold about participants.
    let deidentification: Deidentification

    static let queuePermissions: mode_t = 0o660
    static let recordsPermissions: mode_t = 0o600

    /// - Throws: ``ServerError`` for an error of `study.json`; ``Storage/StorageError`` for a URL of another engine, and
    ///   `storage-schema-former` for a study whose two stores are still one.
    ///
    /// - Parameter people: the location of the people store.
    package init(
        _ folder: StudyFolder, queue: String? = nil, database: String? = nil, people: String? = nil
    ) throws {
        let study = try folder.configuration()
        self.people = try study.accounts.map { _ in
            Self.people(at: try Self.location(people, study.people, in: folder, or: folder.defaultPeopleURL))
        }
        self.folder = folder
        self.queue = Self.queue(at: try Self.location(queue, study.queue, in: folder, or: folder.defaultQueueURL))
        warehouse = study.warehouse
        deidentification = study.deidentification
        records = Self.records(
            at: try Self.location(database, study.database, in: folder, or: folder.defaultRecordsURL),
            warehouse: study.warehouse)
        guard records.path == nil || study.warehouse.isAmongRecords else {
            throw ServerError(
                code: "warehouse-needs-postgresql",
                message: "study.json: warehouse names schemas of a database, and the records are in a file.")
        }
        guard !FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path) else {
            throw StorageError.schemaFormer
        }
    }

    /// Returns the queue's store at a location.
    static func queue(at location: StoreLocation) -> Store {
        // New files inherit the group of the folder.
        Store(at: location, migrations: queueMigrations, schema: .queue, permissions: (queuePermissions, 0o2770))
    }

    /// Returns the records' store at a location.
    static func records(at location: StoreLocation, warehouse: WarehouseLocation = .records) -> Store {
        Store(
            at: location, migrations: recordsMigrations, schema: .records.searching(warehouse.schemas),
            permissions: (recordsPermissions, 0o700))
    }

    /// Returns the people store at a location.
    static func people(at location: StoreLocation) -> Store {
        Store(
            at: location, migrations: PeopleSchema.store.migrations, schema: .people,
            permissions: (recordsPermissions, 0o700))
    }

    private static func location(
        _ option: String?, _ stated: String?, in folder: StudyFolder, or standard: URL
    ) throws -> StoreLocation {
        if let option { return try StoreLocation(option) }
        guard let stated else { return .file(standard.path) }
        return try StoreLocation(stated, below: folder.url)
    }

    /// All migrations of the queue's schema.
    package static var queueMigrations: [Migration] { SubmissionsSchema.migrations }

    /// All migrations of the records' schema.
    package static var recordsMigrations: [Migration] { recordsSchema.migrations }

    /// The schema of the records' store, to which five modules contribute.
    package static let recordsSchema = StoreSchema(
        "records",
        sections: AccessSchema.sections + RecordsSchema.sections + WarehouseSchema.sections + ConsumerSchema.sections
            + GatewaySchema.sections)

    /// Opens the queue's store, which must exist and be of this version.
    ///
    /// - Parameter onWait: called with the waiting time of each write.
    package func openQueue(onWait: (@Sendable (Duration) -> Void)? = nil) async throws -> any SQLDatabase {
        try await queue.open(onWait: onWait)
    }

    /// Opens the records' store, which must exist and be of this version.
    ///
    /// - Parameter onWait: called with the waiting time of each write.
    package func openRecords(
        purpose: DatabasePurpose = .serving, onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> any SQLDatabase {
        let database = try await records.open(purpose: purpose, onWait: onWait)
        do {
            let warehouse = warehouse
            try await database.read { try warehouse.require(in: $0) }
            return database
        } catch {
            try? await database.close()
            throw error
        }
    }
}

// MARK: - Migration

extension StudyStores {
    /// The report of a migration of the stores.
    package struct MigrationReport: Sendable, Hashable {
        package let queue: StoreMigration.Report
        package let records: StoreMigration.Report
        /// That of the store of links; nil if the study has none.
        package let links: StoreMigration.Report?
        /// That of the people store; nil if the study has no accounts.
        package let people: StoreMigration.Report?
    }

    /// Creates or migrates both stores.
    ///
    /// - Throws: ``Storage/StorageError`` `storage-locked` while a consumer of an older version runs.
    package func migrate() async throws -> MigrationReport {
        let records = try await migrateRecords()
        try await withRecords { try await requireQueueOfRecords($0) }
        return MigrationReport(
            queue: try await migrateQueue(), records: records, links: try await migrateLinks(),
            people: try await migratePeople())
    }

    /// Creates or migrates the queue's store. A store of this version is not changed.
    @discardableResult
    package func migrateQueue() async throws -> StoreMigration.Report { try await queue.migrate() }

    /// Creates or migrates the records' store. No other process may use it meanwhile.
    @discardableResult
    package func migrateRecords() async throws -> StoreMigration.Report {
        let report = try await records.migrate()
        // As long as no participant has a number, the rules are those of study.json; later, `warehouse load` changes
        // them.
        let rules = deidentification
        try await records.open(purpose: .loading).closing { database in
            // An interrupted first load left indexes to be created.
            try await FirstLoad.end(in: database)
            guard try await database.read({ try Deidentification.recorded(in: $0) }) != rules else { return }
            let secret = Deidentification.newSecret()
            try await database.write { try rules.recordIfEmpty(secret: secret, in: $0) }
        }
        return report
    }
}

// MARK: - Together

extension StudyStores {
    /// Binds the queue to the study and, if given, the records to the queue.
    ///
    /// - Throws: ``Storage/StorageError`` `queue-of-another-study`.
    package static func claim(
        queue: any SQLDatabase, records: (any SQLDatabase)?, studyID: String
    ) async throws -> QueueState {
        let name = UUID().lowercaseText
        var state = try await queue.read { try QueueState.read(in: $0) }
        if state.studyID != studyID || state.queueID.isEmpty {
            state = try await queue.write { try QueueState.claim(studyID: studyID, newQueueID: name, in: $0) }
        }
        if let records {
            let id = state.queueID
            try await records.write { try OutcomeStore.claim(queueID: id, in: $0) }
        }
        return state
    }

    /// Checks that records that already have a queue do not get a new one because theirs is missing.
    ///
    /// - Throws: ``ServerError`` `queue-missing`.
    package func requireQueueOfRecords(_ records: any SQLDatabase) async throws {
        guard try await !queue.isThere() else { return }
        let hasQueue = try await records.read { try $0.first("SELECT 1 AS one FROM records_state") != nil }
        guard !hasQueue else {
            throw ServerError(
                code: "queue-missing",
                message:
                    "The records' queue is not at \(queue.location); say where it is with --queue, or restore a backup."
            )
        }
    }
}
