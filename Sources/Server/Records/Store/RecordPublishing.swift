import FHIR
import Foundation
import Storage

/// Records of what a study publishes: its forms, their value sets and the consent that nobody has signed yet. Whoever reads
/// answers finds by them what was asked.
public struct RecordPublishing: Sendable {
    private let database: any SQLDatabase
    private let clock: @Sendable () -> Date

    /// What the submission of such records is called.
    static let submissionID = "published"

    public init(database: any SQLDatabase, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.clock = clock
    }

    /// Stores each resource that differs from what was published under its type and id, as its next version. What is not
    /// published any more stays: there may be answers to it.
    ///
    /// - Parameter resources: R4, each with an id.
    /// - Returns: how many were stored.
    /// - Throws: ``Storage/StorageError``.
    @discardableResult
    public func publish(_ resources: [Resource]) async throws -> Int {
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
