import AccessPolicy
import FHIRHTTP
import SearchStatements
import Storage

/// The associated data that an export adds beyond its types
/// (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters>, `includeAssociatedData`).
enum AssociatedProvenance: String, Sendable, Hashable {
    /// The latest Provenance of each resource.
    case latest = "LatestProvenanceResources"
    /// Every Provenance of each resource.
    case relevant = "RelevantProvenanceResources"

    static let type = "Provenance"

    /// Returns the condition on the row `r` of a Provenance that refers to an exported resource.
    ///
    /// - Parameters:
    ///   - filter: the records that the caller may see; a hidden Provenance does not count as the latest one.
    /// - Throws: ``RecordsFailure`` where the condition needs more values than a statement can have.
    func condition(
        about selections: [ExportSelection], showing filter: RecordFilter, in transaction: any SQLTransaction
    ) throws -> SQLFragment {
        let taken = SQLFragment.any(
            try selections.filter { $0.type != Self.type }.map { selection in
                .all([
                    try selection.condition(isDeleted: false, in: transaction),
                    selection.patients.condition(in: transaction.dialect),
                ])
            })
        var last = SQLFragment.always
        if self == .latest {
            let shown = try SQLFragment(showing: filter, type: Self.type, in: transaction)
            last =
                "NOT EXISTS (SELECT 1 FROM record_term n WHERE n.term = e.term AND n.number > e.number"
                + " AND EXISTS (SELECT 1 FROM record r WHERE r.number = n.number AND r.deleted = 0 AND "
                + shown + "))"
        }
        let references = try ReferringRecords(type: Self.type, parameter: "target", [])
        let condition = references.referring(toAny: taken, where: last)
        guard condition.parameters.count <= Self.maximumParameters else { throw RecordsFailure.tooManyValues }
        return condition
    }

    /// A limit below the maximum numbers of parameters that PostgreSQL and SQLite bind.
    private static let maximumParameters = 20_000
}
