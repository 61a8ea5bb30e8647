import Foundation
import Storage

/// Carries a study's stores over to other places, on whatever engines, and says so in `study.json`.
public enum StudyMove {
    /// A report of one store that was moved.
    public struct Report: Sendable, Hashable {
        public let from: String
        public let to: String
        /// The rows by their tables; nil where an earlier run had copied them.
        public let rows: [String: Int]?
    }

    /// Moves the stores that have a new place. What stands at the old place stays until somebody removes it; nobody writes to
    /// it any more.
    ///
    /// Stopped anywhere it is to be called again.
    ///
    /// - Parameters:
    ///   - queue: the new place of the queue, as study.json has it: a relative path is one below the study's folder; nil leaves
    ///     it where it is.
    ///   - database: the new place of the records, likewise.
    /// - Throws: ``ServerError`` `move-nowhere`, of `study.json`; ``Storage/StorageError`` `storage-exists`,
    ///   `storage-locked`, of either store.
    public static func run(
        _ folder: StudyFolder, queue: String?, database: String?, at date: Date
    ) async throws -> (queue: Report?, records: Report?) {
        let stores = try StudyStores(folder)
        guard database == nil || stores.warehouse == .records else {
            throw ServerError(
                code: "move-warehouse",
                message: """
                    The facts stand in another's schemas. Take them out with `tributary warehouse undo --all`, remove \
                    "warehouse" from study.json, and run `tributary warehouse init`; then move.
                    """)
        }
        let newQueue = try queue.map { StudyStores.queue(at: try location($0, in: folder)) }
        let newRecords = try database.map { StudyStores.records(at: try location($0, in: folder)) }
        let isMove =
            newQueue.map { $0.location != stores.queue.location } ?? false
            || newRecords.map { $0.location != stores.records.location } ?? false
        guard isMove else {
            throw ServerError(
                code: "move-nowhere", message: "Say where to, with --queue, --database or both: another place.")
        }
        // Of two moves the first may be done and the second not: each is noted when it is.
        let records = try await move(stores.records, to: newRecords, at: date)
        if let newRecords { try folder.setPlace(of: .database, to: newRecords.location) }
        let moved = try await move(stores.queue, to: newQueue, at: date)
        if let newQueue { try folder.setPlace(of: .queue, to: newQueue.location) }
        return (moved, records)
    }

    /// A place as study.json has it: a relative path is one below the study's folder.
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
