import DeviceCommands
import Storage
import StudyOperations

/// The stores of the demonstration on a database server: created again each time, without replacing other stores.
enum DemoStores {
    private static let marker = "Tributary's demonstration: `tributary demo` removes it and makes it anew."

    /// - Throws: ``CommandError`` `demo-database-not-ours` if the database contains the store of a study.
    static func recreate(_ stores: StudyStores) async throws {
        for store in [stores.queue, stores.records] where store.path == nil {
            do {
                try await store.recreate(marked: marker)
            } catch let error as StorageError where error.code == "storage-exists" {
                throw CommandError(
                    "demo-database-not-ours",
                    "The store in \(store.location) was not made by the demonstration and stays as it is; name another database."
                )
            }
        }
    }
}
