import Foundation
import Storage
import StudyFiles

/// Copies a study's stores to other locations, on any engines, and updates `study.json`.
package enum StudyMove {
    /// The report of one moved store.
    package struct Report: Sendable, Hashable {
        package let from: String
        package let to: String
        /// The number of rows by table; nil if an earlier run copied them.
        package let rows: [String: Int]?
    }

    /// Moves the stores that have a new location. The data at the old location is kept, but no process writes to it
    /// any more.
    ///
    /// After an interruption it must be called again.
    ///
    /// - Parameters:
    ///   - queue: the new location of the queue, as in study.json: a relative path is below the study's folder; nil to
    ///     keep the location.
    ///   - database: the new location of the records, in the same format.
    ///   - people: the new location of the people store, in the same format.
    /// - Throws: ``ServerError`` `move-nowhere`, `accounts-missing`, errors of `study.json`; ``Storage/StorageError`` `storage-exists`,
    ///   `storage-locked`, of any store.
    package static func run(
        _ folder: StudyFolder, queue: String? = nil, database: String? = nil, people: String? = nil, at date: Date
    ) async throws -> (queue: Report?, records: Report?, people: Report?) {
        let stores = try StudyStores(folder)
        guard people == nil || stores.people != nil else { throw StudyStores.withoutAccounts }
        guard database == nil || stores.warehouse == .records else {
            throw ServerError(
                code: "move-warehouse",
                message: """
                    The facts are in another i2b2's schemas. Remove them with `tributary warehouse undo --all`, remove \
                    "warehouse" from study.json, and run `tributary warehouse init`; then move.
                    """)
        }
        let newQueue = try queue.map { StudyStores.queue(at: try location($0, in: folder)) }
        let newRecords = try database.map { StudyStores.records(at: try location($0, in: folder)) }
        let newPeople = try people.map { StudyStores.people(at: try location($0, in: folder)) }
        let isMove =
            newQueue.map { $0.location != stores.queue.location } ?? false
            || newRecords.map { $0.location != stores.records.location } ?? false
            || newPeople.map { $0.location != stores.people?.location } ?? false
        guard isMove else {
            throw ServerError(
                code: "move-nowhere", message: "Name a new location with --queue, --database or --people.")
        }
        // One move may succeed and the next one fail, so each is recorded at once.
        let records = try await move(stores.records, to: newRecords, at: date)
        if let newRecords { try folder.setLocation(of: .database, to: newRecords.location) }
        let moved = try await move(stores.queue, to: newQueue, at: date)
        if let newQueue { try folder.setLocation(of: .queue, to: newQueue.location) }
        guard let store = stores.people else { return (moved, records, nil) }
        let movedPeople = try await move(store, to: newPeople, at: date)
        if let newPeople { try folder.setLocation(of: .people, to: newPeople.location) }
        return (moved, records, movedPeople)
    }

    /// Returns a location as in study.json: a relative path is below the study's folder.
    private static func location(_ option: String, in folder: StudyFolder) throws -> StoreLocation {
        let location = try StoreLocation(option, below: folder.url)
        return location.path.map { .file(URL(fileURLWithPath: $0).standardizedFileURL.path) } ?? location
    }

    private static func move(_ store: Store, to target: Store?, at date: Date) async throws -> Report? {
        guard let target, target.location != store.location else { return nil }
        let move = try await store.move(to: target, at: date)
        return Report(
            from: store.location.description, to: target.location.description, rows: move.rows)
    }
}
