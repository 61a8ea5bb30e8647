import Storage

/// What searches find the records of a store by.
public enum RecordIndex {
    /// Makes all of it anew of the records' contents, some records in each transaction, while others work in the store.
    ///
    /// - Parameter show: told the number of records after each transaction.
    /// - Returns: how many records there were.
    /// - Throws: ``Storage/StorageError``. What was made until then stays.
    @discardableResult
    public static func remake(
        in database: any SQLDatabase, _ show: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        var (last, count): (Int64, Int) = (0, 0)
        while true {
            let behind = last
            let part = try await database.write { try SearchReindexing().next(behind: behind, in: $0) }
            guard let part else { return count }
            (last, count) = (part.last, count + part.count)
            show(count)
        }
    }
}
