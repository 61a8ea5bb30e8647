import Storage

// Runs closures with open stores, which are closed in any case.
extension StudyStores {
    /// Runs a closure with the queue's store.
    package func withQueue<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openQueue().closing(body)
    }

    /// Runs a closure with the records' store.
    package func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openRecords().closing(body)
    }

    /// Runs a closure with both stores.
    package func withBoth<T>(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> T
    ) async throws -> T {
        try await withQueue { queue in try await withRecords { records in try await body(queue, records) } }
    }
}
