import Foundation
import Storage
import StudyFiles

/// Suspends the indexes of the records' store during a first load (`health load --rebuild-indexes`).
package enum FirstLoad {
    /// The tables that a load fills.
    private static let tables = [
        "record", "record_version", "record_term", "record_print", "record_text", "record_time", "record_number",
        "record_part", "observation_fact", "warehouse_loaded",
    ]
    /// A correction needs this index to find its facts. Its keys are close together.
    private static let kept: Set<String> = ["of_idx_instance"]
    /// A store with more records than this is not loaded for the first time.
    private static let maximumRecords = 1_000

    /// Drops the indexes that ``end(in:_:)`` creates again.
    ///
    /// - Throws: ``ServerError`` `not-a-first-load` for a store that already has records, unless an earlier load
    ///   dropped its indexes.
    package static func begin(in database: any SQLDatabase) async throws {
        try await database.write { transaction in
            guard try !SuspendedIndexes.areThere(in: transaction) else { return }
            let records = try transaction.first(
                "SELECT count(*) AS records FROM (SELECT 1 AS one FROM record LIMIT ?) AS counted",
                [SQLValue(maximumRecords + 1)])
            guard try records?.integer("records") ?? 0 <= maximumRecords else {
                throw ServerError(
                    code: "not-a-first-load",
                    message: "The store has records already: its indexes stay. Load without --rebuild-indexes.")
            }
            try SuspendedIndexes.suspend(of: tables, except: kept, in: transaction)
        }
    }

    /// Creates the indexes that a load dropped, also an interrupted one; each in a transaction of its own.
    ///
    /// - Parameter show: called with the name of each created index.
    package static func end(in database: any SQLDatabase, _ show: (String) -> Void = { _ in }) async throws {
        while let name = try await database.write({ try SuspendedIndexes.makeNext(in: $0) }) { show(name) }
    }
}
