import Records
import Storage

/// The bytes that a study's two stores take.
public struct StudyStorage: Sendable, Hashable {
    public let queue: StoreSize
    public let records: StoreSize
    public let contents: [ContentSize]

    /// All bytes of the records' store for each resource in it, whatever its type; 0 where there is none.
    public var bytesPerResource: Double {
        let resources = contents.reduce(0) { $0 + $1.resources }
        return resources == 0 ? 0 : Double(records.totalBytes) / Double(resources)
    }

    /// Measures both stores. Every page and every version is read.
    ///
    /// - Throws: ``Storage/StorageError``, ``ServerError``.
    public static func measure(_ stores: StudyStores) async throws -> StudyStorage {
        try await stores.withBoth { queue, records in
            let waiting = try await queue.read { try StoreSize(in: $0) }
            let (held, contents) = try await records.read { (try StoreSize(in: $0), try ContentSize.all(in: $0)) }
            return StudyStorage(queue: waiting, records: held, contents: contents)
        }
    }
}
