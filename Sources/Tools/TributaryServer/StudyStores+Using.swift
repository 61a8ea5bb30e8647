import Storage

// Stores that are opened for a use, and closed whatever comes of it.
extension StudyStores {
    /// Opens the queue's store for a use.
    public func withQueue<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await Self.using(openQueue(), body)
    }

    /// Opens the records' store for a use.
    public func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await Self.using(openRecords(), body)
    }

    /// Opens both stores for a use.
    public func withBoth<T>(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> T
    ) async throws -> T {
        try await withQueue { queue in try await withRecords { records in try await body(queue, records) } }
    }

    private static func using<T>(
        _ database: any SQLDatabase, _ body: (any SQLDatabase) async throws -> T
    ) async throws -> T {
        do {
            let result = try await body(database)
            try await database.close()
            return result
        } catch {
            try? await database.close()
            throw error
        }
    }
}
