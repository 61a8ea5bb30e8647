import FHIR
import RecordStorage
import Storage

extension FHIR.Bundle.Entry {
    /// Creates the entry of a version in a history (<https://hl7.org/fhir/R4/http.html#history>). A deletion has no
    /// content.
    ///
    /// - Parameter isRevived: whether the version follows a deletion (``RecordStore/revived(among:in:)``).
    package init(history record: StoredRecord, url: String, isRevived: Bool) throws {
        self.init(historyHead: record, url: url, isRevived: isRevived)
        if !record.isDeleted { resource = try record.resource() }
    }

    /// Creates the entry of a version without its content.
    package init(historyHead record: StoredRecord, url: String, isRevived: Bool) {
        self.init()
        let address = "\(record.type)/\(record.id)"
        fullUrl = "\(url)/\(address)"
        let method: HTTPVerb = record.isDeleted ? .delete : record.version == 1 ? .post : .put
        request = FHIR.Bundle.Entry.Request(method: method, url: method == .post ? record.type : address)
        var response = FHIR.Bundle.Entry.Response(status: method == .post || isRevived ? "201" : "200")
        response.etag = "W/\"\(record.version)\""
        response.lastModified = DateTime(record.lastUpdated)
        self.response = response
    }
}

extension RecordStore {
    /// Returns the indices of the versions that follow a deletion of their resource.
    func revived(among records: some Collection<StoredRecord>, in transaction: any SQLTransaction) throws -> Set<Int> {
        let later = records.enumerated().filter { !$0.element.isDeleted && $0.element.version > 1 }
        let found = try transaction.queries(
            later.map { _, record in
                SQLQuery(
                    Self.formerSQL,
                    [RecordKey.value(type: record.type, id: record.id), SQLValue(record.version)])
            })
        return try zip(later, found).reduce(into: []) { revived, pair in
            if try pair.1.first?.integer("deleted") == 1 { revived.insert(pair.0.offset) }
        }
    }

    /// Parameters: the address, the version.
    private static let formerSQL = """
        SELECT v.deleted FROM record_version v JOIN record r ON r.number = v.number
        WHERE \(RecordKey.condition) AND v.version < ? ORDER BY v.version DESC LIMIT 1
        """
}
