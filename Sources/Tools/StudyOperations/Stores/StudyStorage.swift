import RecordStorage
import Storage

/// The sizes of a study's stores.
package struct StudyStorage: Sendable, Hashable {
    package let queue: StoreSize
    package let records: StoreSize
    /// Nil if the study has no accounts.
    package let people: StoreSize?
    package let contents: [ContentSize]

    /// The bytes of the records' store per resource of any type; 0 if there are none.
    package var bytesPerResource: Double {
        let resources = contents.reduce(0) { $0 + $1.resources }
        return resources == 0 ? 0 : Double(records.totalBytes) / Double(resources)
    }

    /// Measures the stores. Reads every page and every version.
    ///
    /// - Throws: ``Storage/StorageError``, ``ServerError``.
    package static func measure(_ stores: StudyStores) async throws -> StudyStorage {
        let people = try await stores.people?.open().closing { try await $0.read { try StoreSize(in: $0) } }
        return try await stores.withBoth { queue, records in
            let waiting = try await queue.read { try StoreSize(in: $0) }
            let (held, contents) = try await records.read { (try StoreSize(in: $0), try ContentSize.all(in: $0)) }
            return StudyStorage(queue: waiting, records: held, people: people, contents: contents)
        }
    }
}
