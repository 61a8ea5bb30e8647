import Consumer
import Foundation
import Receiver
import Records
import Storage
import Trust
import Warehouse

/// A study's database with all tables of the house.
public enum StudyDatabase {
    /// All migrations, in their order.
    public static var migrations: [Migration] {
        (StorageSchema.migrations + TrustSchema.migrations + RecordsSchema.migrations + WarehouseSchema.migrations
            + ConsumerSchema.migrations)
            .sorted { $0.number < $1.number }
    }

    /// Opens the study's database and brings it up to date.
    public static func open(
        _ folder: StudyFolder, url: String? = nil, purpose: DatabasePurpose = .serving
    ) async throws -> any SQLDatabase {
        if url == nil {
            try FileManager.default.createDirectory(
                at: folder.dataURL, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return try await openDatabase(
            url: url ?? folder.defaultDatabase, migrations: migrations, purpose: purpose)
    }
}
