import FHIR

extension FHIR.Bundle.Entry {
    /// A version as a history has it (<https://hl7.org/fhir/R4/http.html#history>): a deletion has no content.
    init(history record: StoredRecord, url: String) throws {
        self.init()
        let address = "\(record.type)/\(record.id)"
        fullUrl = "\(url)/\(address)"
        if !record.isDeleted { resource = try record.resource() }
        let method: HTTPVerb = record.isDeleted ? .delete : record.version == 1 ? .post : .put
        request = FHIR.Bundle.Entry.Request(method: method, url: method == .post ? record.type : address)
        var response = FHIR.Bundle.Entry.Response(status: method == .post ? "201" : "200")
        response.etag = "W/\"\(record.version)\""
        response.lastModified = DateTime(record.lastUpdated)
        self.response = response
    }
}
