import Storage

/// The search index of a store's records.
package enum RecordIndex {
    /// Makes the whole index again from the records' contents, some records in each transaction, while the store is in
    /// use.
    ///
    /// - Parameter show: called with the number of processed records after each transaction.
    /// - Returns: the number of records.
    /// - Throws: ``Storage/StorageError``. The completed transactions stay.
    @discardableResult
    package static func remake(
        in database: any SQLDatabase, _ show: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        var (last, count): (Int64, Int) = (0, 0)
        while true {
            let previous = last
            let part = try await database.write { try SearchReindexing().next(after: previous, in: $0) }
            guard let part else { return count }
            (last, count) = (part.last, count + part.count)
            show(count)
        }
    }
}
