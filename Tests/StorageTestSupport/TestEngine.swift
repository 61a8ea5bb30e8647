import Core
import Crypto
import Foundation
import Storage
import TestSupport

/// The engines on which stores are tested: SQLite, and PostgreSQL if `TRIBUTARY_TEST_POSTGRESQL` names a database that
/// tests may fill (Scripts/unit-tests.sh starts a server and sets it).
public enum TestEngine: String, CaseIterable, Sendable {
    case sqlite
    case postgresql

    private static let address = ProcessInfo.processInfo.environment["TRIBUTARY_TEST_POSTGRESQL"]

    public static var allCases: [TestEngine] { address == nil ? [.sqlite] : [.sqlite, .postgresql] }

    /// The engine of the suites that run on one engine only: `TRIBUTARY_TEST_ENGINE`, or SQLite.
    public static let chosen =
        ProcessInfo.processInfo.environment["TRIBUTARY_TEST_ENGINE"].flatMap(TestEngine.init(rawValue:)) ?? .sqlite

    /// Opens the store of a path, and creates it the first time: the file, or with PostgreSQL a schema that belongs to
    /// this path only.
    public func open(
        path: String, migrations: [Migration], schema: SchemaPolicy = .migrate, purpose: DatabasePurpose = .serving
    ) async throws -> any SQLDatabase {
        switch self {
        case .sqlite:
            return try await SQLiteDatabase.open(
                path: path, migrations: migrations, purpose: purpose, schema: schema,
                patience: .seconds(Patience.seconds))
        case .postgresql:
            return try await PostgreSQLDatabase.open(
                Self.postgreSQL(), schema: Self.schema(of: path), migrations: migrations, purpose: purpose,
                policy: schema, patience: .seconds(Patience.seconds))
        }
    }

    /// Returns the database that tests may fill.
    public static func postgreSQL() throws -> PostgreSQLAddress {
        guard let address else {
            throw StorageError(code: "storage-address", message: "TRIBUTARY_TEST_POSTGRESQL is not set.")
        }
        return try PostgreSQLAddress(address)
    }

    /// Returns the schema for a path.
    public static func schema(of path: String) throws -> PostgreSQLSchema {
        let digest = Hexadecimal.text(SHA256.hash(data: Data(path.utf8)))
        return try PostgreSQLSchema("t_" + digest.prefix(32))
    }
}
