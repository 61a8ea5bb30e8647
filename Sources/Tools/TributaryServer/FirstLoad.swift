import Foundation
import Storage

/// The indexes of the records' store while a first load does without them (`health load --rebuild-indexes`).
public enum FirstLoad {
    /// The tables that a load fills.
    private static let tables = [
        "record", "record_version", "record_term", "record_print", "record_text", "record_time", "record_number",
        "record_part", "observation_fact", "warehouse_loaded",
    ]
    /// A correction finds what it corrects by this one; its keys lie beside each other.
    private static let kept: Set<String> = ["of_idx_instance"]
    /// A store with more records than these is none that is loaded for the first time.
    private static let mostRecords = 1_000

    /// Drops what is made again by ``end(in:_:)``.
    ///
    /// - Throws: ``ServerError`` `not-a-first-load` for a store that has records already, unless an earlier load dropped them.
    public static func begin(in database: any SQLDatabase) async throws {
        try await database.write { transaction in
            guard try !SuspendedIndexes.areThere(in: transaction) else { return }
            let records = try transaction.first(
                "SELECT count(*) AS records FROM (SELECT 1 AS one FROM record LIMIT ?) AS counted",
                [SQLValue(mostRecords + 1)])
            guard try records?.integer("records") ?? 0 <= mostRecords else {
                throw ServerError(
                    code: "not-a-first-load",
                    message: "The store has records already: its indexes stay. Load without --rebuild-indexes.")
            }
            try SuspendedIndexes.suspend(of: tables, except: kept, in: transaction)
        }
    }

    /// Makes the indexes again that a load dropped, also one that was cut off; each in a transaction of its own.
    ///
    /// - Parameter show: told the name of each that was made.
    public static func end(in database: any SQLDatabase, _ show: (String) -> Void = { _ in }) async throws {
        while let name = try await database.write({ try SuspendedIndexes.makeNext(in: $0) }) { show(name) }
    }
}
