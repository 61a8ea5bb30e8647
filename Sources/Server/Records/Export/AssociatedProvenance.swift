import Storage
import Trust

/// What comes along with an export without being asked for by its type
/// (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters>, `includeAssociatedData`).
enum AssociatedProvenance: String, Sendable, Hashable {
    /// Of each resource the Provenance that came last.
    case latest = "LatestProvenanceResources"
    /// Every Provenance of each resource.
    case relevant = "RelevantProvenanceResources"

    static let type = "Provenance"

    /// The condition on the row `r` of a Provenance that is about something of what is taken.
    ///
    /// - Parameters:
    ///   - filter: what may be seen at all; a Provenance that is hidden has no say in which one is the last.
    /// - Throws: ``RecordsFailure`` where what is taken needs more values than a statement holds.
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
        guard condition.parameters.count <= Self.mostParameters else { throw RecordsFailure.tooManyValues }
        return condition
    }

    /// A statement holds no more values than PostgreSQL and SQLite bind.
    private static let mostParameters = 20_000
}
