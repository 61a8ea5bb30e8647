import FHIR
import Foundation
import Storage

/// Stores and reads resources inside the transaction of its caller.
public struct RecordStore: Sendable {
    public init() {}

    /// Stores the resources of one submission.
    ///
    /// - Parameters:
    ///   - provenance: where the resources come from.
    ///   - at: the time of storage.
    ///   - body: stores the resources one after the other, inside the transaction.
    package func write<Result>(
        _ provenance: RecordProvenance, at: Date, in transaction: any SQLTransaction,
        _ body: (inout RecordWriter) throws -> Result
    ) throws -> Result {
        var writer = try RecordWriter(provenance: provenance, at: at, in: transaction)
        let result = try body(&writer)
        try writer.finish()
        return result
    }

    /// Stores one resource as ``RecordWriter/put(_:)`` does.
    ///
    /// - Parameters:
    ///   - content: the R4 bytes as received; `id` and `meta` are inserted on reading.
    ///   - original: the bytes before the conversion, where the resource was converted.
    @discardableResult
    package func put(
        _ resource: Resource, content: Data, original: OriginalContent?, id: String, provenance: RecordProvenance,
        at: Date, in transaction: any SQLTransaction
    ) throws -> PutResult {
        try write(provenance, at: at, in: transaction) {
            try $0.put(NewRecord(resource, id: id, content: content, original: original))
        }
    }

    /// Whether a participant's device may write under ids: each id is free, or its resource belongs to this participant
    /// alone. All ids are looked up in one round trip.
    package func areFree(
        _ resources: [(type: String, id: String)], for participant: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        try transaction.queries(
            resources.map { type, id in
                SQLQuery(Self.subjectSQL, [RecordKey.value(type: type, id: id)])
            }
        ).allSatisfy { rows in rows.first.map { $0.textIfPresent("subject") == participant } ?? true }
    }

    /// Returns the time of receipt of a submission; nil where nothing of it is stored.
    package func received(submissionID: String, in transaction: any SQLTransaction) throws -> Date? {
        try transaction.first(
            "SELECT received_at FROM record_source WHERE submission_id = ? LIMIT 1", [SQLValue(submissionID)]
        )?.dateIfPresent("received_at")
    }
}
