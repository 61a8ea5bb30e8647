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

    /// A page of a search.
    init(_ page: SearchsetPage, as format: FHIRFormat) throws {
        self = .bytes(ByteBuffer(bytes: try page.bytes(as: format)), mediaType: format.mediaType)
    }

    /// What became of a batch or a transaction.
    init(_ answer: BundleAnswer, as format: FHIRFormat) throws {
        switch format {
        case .json: self = .bytes(ByteBuffer(bytes: try answer.bytes()), mediaType: format.mediaType)
        case .xml: self = try Response.done(try answer.bundle.json, as: format)
        }
    }

    /// What was done already: where the format has no place for something in it, JSON tells it.
    static func done(_ json: JSON, as format: FHIRFormat, status: HTTPResponse.Status = .ok) throws(RecordsFailure)
        -> Response
    {
        do throws(RecordsFailure) { return try Response(json, as: format, status: status) } catch {
            return try Response(json, as: .json, status: status)
        }
    }

    /// A version of a record.
    ///
    /// - Parameter subset: what of it is shown; nil for all of it.
    init(_ record: StoredRecord, showing subset: ResourceSubset? = nil, as format: FHIRFormat) throws {
        if case .json = format {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(record.content.count + 200)
            try record.append(showing: subset, to: &bytes)
            self = .bytes(ByteBuffer(bytes: bytes), mediaType: format.mediaType)
        } else {
            try self.init(try record.resource(showing: subset).json, as: format)
        }
        for field in Response.headers(of: record) { headers[field.name] = field.value }
    }

    /// A version's ETag and time (<https://hl7.org/fhir/R4/http.html#versions>).
    static func headers(of record: StoredRecord) -> HTTPFields {
        [.eTag: "W/\"\(record.version)\"", .lastModified: HTTPDate.text(record.lastUpdated)]
    }
}
