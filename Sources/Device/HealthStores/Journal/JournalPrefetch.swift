import Foundation
import HealthSync

/// The batches that a journal reads before they are requested: the next one of each type. So a batch is read while the
/// previous one is processed.
struct JournalPrefetch {
    /// A request for the changes of a type.
    struct Request: Hashable {
        let type: String
        let anchor: HealthAnchor?
        let limit: Int
    }

    /// The size and the time of the last change of a file. A batch of another version is read again.
    struct FileVersion: Equatable {
        private let size: Int64?
        private let modified: Date?

        /// - Throws: `HealthSourceError` `health-unavailable` if there is no file.
        init(_ file: URL) throws {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else {
                throw HealthSourceError(.unavailable)
            }
            size = (attributes[.size] as? NSNumber)?.int64Value
            modified = attributes[.modificationDate] as? Date
        }
    }

    /// A batch that is being read, or was read.
    struct Batch {
        fileprivate let request: Request
        fileprivate let version: FileVersion
        fileprivate let task: Task<HealthChanges, any Error>

        /// Waits for the changes.
        ///
        /// - Throws: errors of the journal.
        func changes() async throws -> HealthChanges {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Maximum number of types, which bounds the samples in memory.
    private static let typeLimit = 8

    private var batches: [String: Batch] = [:]

    /// Removes the batch of a type, and returns it if it is the requested one and the file is unchanged.
    mutating func take(_ request: Request, of version: FileVersion) -> Batch? {
        guard let batch = batches.removeValue(forKey: request.type) else { return nil }
        if batch.request == request, batch.version == version { return batch }
        batch.task.cancel()
        return nil
    }

    /// Begins to read a batch, unless as many types as permitted have one.
    mutating func begin(_ request: Request, of version: FileVersion, read: () -> Task<HealthChanges, any Error>) {
        guard batches.count < Self.typeLimit || batches[request.type] != nil else { return }
        batches.updateValue(Batch(request: request, version: version, task: read()), forKey: request.type)?.task
            .cancel()
    }

    /// Cancels all batches.
    mutating func cancel() {
        for batch in batches.values { batch.task.cancel() }
        batches = [:]
    }
}
