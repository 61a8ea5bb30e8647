import Foundation
import Storage

/// The values that all rows of one submission have in common.
struct RecordReceipt {
    let provenance: RecordProvenance
    /// When they are stored.
    let at: Date
}

/// The first version of a resource, as `record` has it.
struct RecordRow {
    let number: Int64
    let record: NewRecord

    /// A resource whose id is taken is left alone.
    static let insertion = SQLInsertion<RecordRow, RecordReceipt>(
        into: "record", onConflict: .keepsPresent(key: ["type", "id"]),
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("type") { .text($0.record.type) },
            SQLColumn("id") { .text($0.record.id) },
            SQLColumn("subject") { SQLValue($0.record.subject) },
            SQLColumn("date_low") { SQLValue($0.record.date?.low) },
            SQLColumn("date_high") { SQLValue($0.record.date?.high) },
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

/// A version of a resource, as `record_version` has it.
struct VersionRow {
    let number: Int64
    let version: Int64
    let record: NewRecord

    static let insertion = SQLInsertion<VersionRow, RecordReceipt>(
        into: "record_version",
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("type") { .text($0.record.type) },
            SQLColumn("id") { .text($0.record.id) },
            SQLColumn("version") { .integer($0.version) },
            SQLColumn("content") { .blob($0.record.stored.content) },
            SQLColumn("original") { SQLValue($0.record.stored.original) },
            SQLColumn("original_fhir_version") { SQLValue($0.record.original?.fhirVersion) },
            SQLColumn("digest") { .text($0.record.digest) },
        ],
        shared: [
            SQLColumn("last_updated") { SQLValue($0.at) },
            SQLColumn("submission_id") { .text($0.provenance.submissionID) },
            SQLColumn("client_id") { .text($0.provenance.clientID) },
            SQLColumn("key_id") { SQLValue($0.provenance.keyID) },
            SQLColumn("signer") { SQLValue($0.provenance.signed?.signer) },
            SQLColumn("signed_sequence") { SQLValue($0.provenance.signed?.sequence) },
            SQLColumn("received_at") { SQLValue($0.provenance.receivedAt) },
            SQLColumn("received_number") { .integer($0.provenance.number) },
        ])
}
