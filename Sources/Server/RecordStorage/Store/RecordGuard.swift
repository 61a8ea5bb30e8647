import FHIR
import Storage

/// The records of permissions: Consents and Provenances that only the writer of permissions creates and changes.
///
/// They document what gives access, so each of them agrees with its permission. A record that another writer creates
/// gives no access.
package enum RecordGuard {
    /// The types of these records.
    static let types: Set<String> = [Consent.resourceType, Provenance.resourceType]

    /// The refusal of another writer.
    package static let refusal = RecordAdmissionError(
        .refused, code: "permission-not-written-here",
        message: "This record belongs to a permission. Only the person who gave the permission can end it.")

    /// Checks that a writer may change a record. Records of other types cost no query.
    ///
    /// - Parameter version: the current version.
    /// - Throws: ``refusal``; ``Storage/StorageError``.
    static func check(
        _ type: String, number: Int64, version: Int64, writer: RecordProvenance, in transaction: any SQLTransaction
    ) throws {
        guard types.contains(type), !writer.isOfPermission else { return }
        let source = try transaction.first(sourceSQL, [SQLValue(number), SQLValue(version)])
        guard try source?.text("submission_id") != RecordProvenance.permissionSubmissionID else { throw refusal }
    }

    /// Returns whether one of several resources is a record of a permission, before anything is written.
    package static func protects(
        _ resources: [(type: String, id: String)], in transaction: any SQLTransaction
    ) throws -> Bool {
        let queries = resources.filter { types.contains($0.type) }.map {
            SQLQuery(presentSQL, [RecordKey.value(type: $0.type, id: $0.id)])
        }
        guard !queries.isEmpty else { return false }
        return try transaction.queries(queries).contains { rows in
            try rows.first?.text("submission_id") == RecordProvenance.permissionSubmissionID
        }
    }

    /// Returns the numbers of a participant's records of permissions of some types.
    static func numbers(
        of participant: String, _ types: [String], in transaction: any SQLTransaction
    ) throws -> [Int64] {
        try transaction.queries(
            types.filter(Self.types.contains).map {
                SQLQuery(
                    numbersSQL,
                    [SQLValue($0), SQLValue(participant), SQLValue(RecordProvenance.permissionSubmissionID)])
            }
        ).joined().map { try $0.integer("number") }
    }

    /// Parameters: the type, the participant, the submission.
    static let numbersSQL = """
        SELECT r.number FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        JOIN record_source s ON s.number = v.source
        WHERE r.type = ? AND r.subject = ? AND s.submission_id = ? ORDER BY r.number
        """
    /// The origin of a version. Parameters: the number, the version.
    static let sourceSQL = """
        SELECT s.submission_id FROM record_version v JOIN record_source s ON s.number = v.source
        WHERE v.number = ? AND v.version = ?
        """
    /// The origin of the current version. Parameter: the address.
    static let presentSQL = """
        SELECT s.submission_id FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        JOIN record_source s ON s.number = v.source WHERE \(RecordKey.condition)
        """
}
