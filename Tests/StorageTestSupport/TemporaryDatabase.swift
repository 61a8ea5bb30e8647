import Storage
import Submissions
import TestSupport

/// Passes the body a database with these migrations, in a folder that is removed when the body ends.
public func withTemporaryDatabase(
    _ migrations: [Migration] = SubmissionsSchema.migrations, on engine: TestEngine = .chosen,
    _ body: (any SQLDatabase) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let database = try await engine.open(path: "\(folder)/test.db", migrations: migrations)
        try await body(database)
        try await database.close()
    }
}
