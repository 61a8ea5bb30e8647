import FHIR
import Hummingbird
import ServerHTTP

extension Response {
    /// A resource, or what else is told in FHIR's JSON.
    init(_ json: JSON, status: HTTPResponse.Status = .ok) {
        self = .bytes(
            ByteBuffer(bytes: json.bytes()), mediaType: "application/fhir+json; charset=utf-8", status: status)
    }

    /// A version of a record.
    init(_ record: StoredRecord) throws {
        self.init(try record.resource().json)
        for field in Response.headers(of: record) { headers[field.name] = field.value }
    }

    /// A version's ETag and time (<https://hl7.org/fhir/R4/http.html#versions>).
    static func headers(of record: StoredRecord) -> HTTPFields {
        [.eTag: "W/\"\(record.version)\"", .lastModified: HTTPDate.text(record.lastUpdated)]
    }
}
