import Storage

// Stores that are opened for a use, and closed whatever comes of it.
extension StudyStores {
    /// Opens the queue's store for a use.
    public func withQueue<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openQueue().closing(body)
    }

    /// Opens the records' store for a use.
    public func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openRecords().closing(body)
    }

    /// Opens both stores for a use.
    public func withBoth<T>(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> T
    ) async throws -> T {
        try await withQueue { queue in try await withRecords { records in try await body(queue, records) } }
    }
}
