import Storage
import TestSupport

/// Gives the body a database of these migrations, in a folder that is gone when the body ends.
public func withTemporaryDatabase(
    _ migrations: [Migration] = StorageSchema.migrations, on engine: TestEngine = .chosen,
    _ body: (any SQLDatabase) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let database = try await engine.open(path: "\(folder)/test.db", migrations: migrations)
        try await body(database)
        try await database.close()
    }
}
