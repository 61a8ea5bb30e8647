import FHIR
import Foundation
import Storage

/// Stores what a study publishes as records: its forms, their value sets and the unsigned consent. Readers of answers
/// find the questions there.
package struct RecordPublishing: Sendable {
    private let database: any SQLDatabase
    private let clock: @Sendable () -> Date

    /// The submission id of such records.
    package static let submissionID = "published"

    package init(database: any SQLDatabase, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.clock = clock
    }

    /// Stores each resource that differs from the published version with its type and id, as the next version.
    /// Resources that are no longer published stay, because there may be answers to them.
    ///
    /// - Parameter resources: R4, each with an id.
    /// - Returns: the number of stored resources.
    /// - Throws: ``Storage/StorageError``.
    @discardableResult
    package func publish(_ resources: [Resource]) async throws -> Int {
        let store = RecordStore()
        let (now, database) = (clock(), database)
        let records = resources.compactMap { resource in
            resource.id.map { NewRecord(resource, id: $0, content: resource.json.data()) }
        }
        let differing = try await database.read { transaction in
            try records.filter { new in
                let present = try store.read(type: new.type, id: new.id, in: transaction)
                return present?.content != new.content || present?.isDeleted != false
                    || present?.provenance.submissionID != Self.submissionID
            }
        }
        guard !differing.isEmpty else { return 0 }
        let provenance = RecordProvenance(
            submissionID: Self.submissionID, clientID: "study", keyID: nil, receivedAt: now)
        try await database.write { transaction in
            try store.write(provenance, at: now, in: transaction) { writer in
                for record in differing { _ = try writer.replace(record) }
            }
        }
        return differing.count
    }
}
