import FHIR
import RecordStorage
import Storage

extension FHIR.Bundle.Entry {
    /// Creates the entry of a version in a history (<https://hl7.org/fhir/R4/http.html#history>). A deletion has no
    /// content.
    ///
    /// - Parameter isRevived: whether the version follows a deletion (``RecordStore/revived(among:in:where:)``).
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
    /// Maximum number of versions that are read to find the newest shown one before another.
    private static let maximumFormer = 200

    /// Returns the indices of the versions that follow a deletion of their resource, among the versions that are shown:
    /// hidden versions change nothing.
    func revived(
        among records: some Collection<StoredRecord>, in transaction: any SQLTransaction,
        where isShown: (StoredRecord) throws -> Bool
    ) throws -> Set<Int> {
        let later = records.enumerated().filter { !$0.element.isDeleted && $0.element.version > 1 }
        // Few resources were ever deleted.
        let found = try transaction.queries(
            later.map { _, record in
                SQLQuery(
                    Self.deletedSQL, [RecordKey.value(type: record.type, id: record.id), SQLValue(record.version)])
            })
        return try zip(later, found).reduce(into: []) { revived, pair in
            guard pair.1.first != nil else { return }
            if try isRevived(pair.0.element, in: transaction, where: isShown) { revived.insert(pair.0.offset) }
        }
    }

    private func isRevived(
        _ record: StoredRecord, in transaction: any SQLTransaction, where isShown: (StoredRecord) throws -> Bool
    ) throws -> Bool {
        var before = record.version
        for _ in 0..<Self.maximumFormer {
            guard
                let former = try history(
                    type: record.type, id: record.id, before: before, limit: 1, in: transaction
                ).first
            else { return false }
            if try isShown(former) { return former.isDeleted }
            before = former.version
        }
        return false
    }

    /// Parameters: the address, the version.
    private static let deletedSQL = """
        SELECT 1 AS one FROM record_version v JOIN record r ON r.number = v.number
        WHERE \(RecordKey.condition) AND v.version < ? AND v.deleted = 1 LIMIT 1
        """
}
