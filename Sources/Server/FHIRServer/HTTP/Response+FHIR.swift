import FHIR
import FHIRHTTP
import FHIRSearch
import Hummingbird
import RecordStorage
import ServerHTTP

extension Response {
    /// Creates a response with a resource, in the format that the client accepts.
    ///
    /// - Throws: ``RecordsFailure`` where the format cannot represent something in it.
    package init(
        _ json: JSON, as format: FHIRFormat, status: HTTPResponse.Status = .ok
    ) throws(RecordsFailure) {
        self = .bytes(ByteBuffer(bytes: try format.bytes(of: json)), mediaType: format.mediaType, status: status)
    }

    /// Returns the response with a page of records. A large page is written on an executor's threads.
    package static func page(
        _ page: BundlePage, as format: FHIRFormat, on executor: LongWorkExecutor
    ) async throws -> Response {
        guard page.allowance?.taken ?? 0 > AnswerBytes.piece else {
            return try page.bytes(as: format).response(mediaType: format.mediaType)
        }
        return try await withTaskExecutorPreference(executor) {
            try page.bytes(as: format).response(mediaType: format.mediaType)
        }
    }

    /// Creates the response to a batch or a transaction. The writes are done already: where the format cannot represent
    /// the response, it is JSON.
    package init(_ answer: BundleAnswer, as format: FHIRFormat) throws {
        do {
            self = try answer.bytes(as: format).response(mediaType: format.mediaType)
        } catch let failure as RecordsFailure where failure.code == RecordsFailure.formatImpossible.code {
            self = try answer.bytes(as: .json).response(mediaType: FHIRFormat.json.mediaType)
        }
    }

    /// Returns the response to a completed write: where the format cannot represent it, it is JSON.
    package static func done(_ json: JSON, as format: FHIRFormat, status: HTTPResponse.Status = .ok)
        throws(RecordsFailure)
        -> Response
    {
        do throws(RecordsFailure) { return try Response(json, as: format, status: status) } catch {
            return try Response(json, as: .json, status: status)
        }
    }

    /// Creates a response with a version of a record.
    ///
    /// - Parameters:
    ///   - subset: the part of it to return; nil for all of it.
    ///   - reservation: the response's part of the budget.
    package init(
        _ record: StoredRecord, showing subset: ResourceSubset? = nil, as format: FHIRFormat,
        reservation: AnswerReservation?
    ) throws {
        var bytes: [UInt8] = []
        if case .json = format {
            bytes.reserveCapacity(record.content.count + 200)
            try record.append(showing: subset, to: &bytes)
        } else {
            bytes = try format.bytes(of: try record.resource(showing: subset).json)
        }
        try EntryScope.current?.time.answer.require(bytes.count)
        guard reservation?.grow(to: bytes.count) ?? true else { throw HTTPFailure.serverBusy(retryAfter: 2) }
        self = AnswerBytes([ByteBuffer(bytes: bytes)], reservation: reservation).response(mediaType: format.mediaType)
        for field in Response.headers(of: record) { headers[field.name] = field.value }
    }

    /// Returns the ETag and the time of a version (<https://hl7.org/fhir/R4/http.html#versions>).
    package static func headers(of record: StoredRecord) -> HTTPFields {
        [.eTag: "W/\"\(record.version)\"", .lastModified: HTTPDate.text(record.lastUpdated)]
    }
}
