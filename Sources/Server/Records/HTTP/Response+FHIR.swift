import FHIR
import Hummingbird
import ServerHTTP

extension Response {
    /// A resource, in the format that a client takes.
    ///
    /// - Throws: ``RecordsFailure`` where the format has no place for something in it.
    init(
        _ json: JSON, as format: FHIRFormat, status: HTTPResponse.Status = .ok
    ) throws(RecordsFailure) {
        self = .bytes(ByteBuffer(bytes: try format.bytes(of: json)), mediaType: format.mediaType, status: status)
    }

    /// A version of a record.
    init(_ record: StoredRecord, as format: FHIRFormat) throws {
        try self.init(try record.resource().json, as: format)
        for field in Response.headers(of: record) { headers[field.name] = field.value }
    }

    /// A version's ETag and time (<https://hl7.org/fhir/R4/http.html#versions>).
    static func headers(of record: StoredRecord) -> HTTPFields {
        [.eTag: "W/\"\(record.version)\"", .lastModified: HTTPDate.text(record.lastUpdated)]
    }
}
