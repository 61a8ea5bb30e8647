import Core
import Foundation
import Storage

/// The values that all rows of one submission share.
package struct RecordReceipt: Hashable {
    let provenance: RecordProvenance
    /// The time of storage.
    let at: Date

    init(provenance: RecordProvenance, at: Date) {
        self.provenance = provenance
        self.at = SQLTimestamp.rounded(at)
    }

    /// Creates the receipt from the columns of a row of `record_source`.
    init(_ row: SQLRow) throws {
        provenance = RecordProvenance(
            submissionID: try row.text("submission_id"), clientID: try row.text("client_id"),
            keyID: row.textIfPresent("key_id"), receivedAt: try row.date("received_at"),
            number: try row.integer("received_number"), signed: RecordOrder.SignedPosition(row))
        at = try row.date("last_updated")
    }
}

/// The row of `record` for the first version of a resource.
struct RecordRow {
    let number: Int64
    let record: NewRecord

    /// Leaves a resource alone whose id is taken.
    static let insertion = SQLInsertion<RecordRow, RecordReceipt>(
        into: "record", onConflict: .keepsPresent(key: [RecordKey.column]),
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("type") { .text($0.record.type) },
            SQLColumn("id") { .text($0.record.id) },
            SQLColumn(RecordKey.column) { .blob($0.record.address) },
            SQLColumn("subject") { SQLValue($0.record.subject) },
            SQLColumn("date_low") { SQLValue($0.record.time?.low) },
            SQLColumn("date_high") { SQLValue($0.record.time?.high) },
        ],
        shared: [
            SQLColumn("version") { _ in 1 },
            SQLColumn("updated_ms") { .integer(Milliseconds.of($0.at)) },
            SQLColumn("received_ms") { .integer($0.provenance.order.receivedMilliseconds) },
            SQLColumn("received_number") { .integer($0.provenance.order.number) },
            SQLColumn("signer") { SQLValue($0.provenance.signed?.signer) },
            SQLColumn("signed_sequence") { SQLValue($0.provenance.signed?.sequence) },
        ])
}

/// The row of `record_version` for a version of a resource.
struct VersionRow {
    let number: Int64
    let version: Int64
    let record: NewRecord

    /// The order among the versions; nil for the first.
    let order: RecordOrder?

    /// All rows share the number of their row in `record_source`.
    static let insertion = SQLInsertion<VersionRow, Int64>(
        into: "record_version",
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("version") { .integer($0.version) },
            SQLColumn("content") { .blob($0.record.stored.content) },
            SQLColumn("original") { SQLValue($0.record.stored.original) },
            SQLColumn("original_fhir_version") { SQLValue($0.record.original?.fhirVersion) },
            SQLColumn("digest") { .blob($0.record.digest) },
            // The index of the order excludes the first version, so its row has no order.
            SQLColumn("received_ms") { $0.order.map { .integer($0.receivedMilliseconds) } ?? .null },
            SQLColumn("received_number") { $0.order.map { .integer($0.number) } ?? .null },
        ],
        shared: [SQLColumn("source") { .integer($0) }])
}
