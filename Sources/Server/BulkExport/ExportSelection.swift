import AccessPolicy
import FHIR
import FHIRSearch
import SearchStatements
import Storage

/// The patients whose resources are exported.
package enum ExportedPatients: Sendable, Hashable {
    /// All resources.
    case everything
    /// Resources of any patient of this server.
    case anyPatient
    /// Resources of these patients, who are sorted and unique.
    case only([String])

    /// Returns the selection of these patients.
    package static func among(_ ids: some Sequence<String>) -> ExportedPatients { .only(Set(ids).sorted()) }
}

extension ExportedPatients {
    /// Returns the condition on a row `r` of an exported resource.
    func condition(in dialect: SQLDialect) -> SQLFragment {
        switch self {
        case .everything: return .always
        case .anyPatient:
            return SQLFragment(
                "(r.subject IS NOT NULL OR EXISTS (SELECT 1 FROM record_protection o WHERE o.number = r.number"
                    // Patients of other servers are stored with their addresses, which contain a slash.
                    + " AND o.kind = 'owner' AND o.value NOT LIKE '%/%'))")
        case .only(let ids):
            guard !ids.isEmpty else { return .never }
            let list = SQLFragment.list(ids, in: dialect)
            return "(r.subject IN " + list
                + " OR (r.subject IS NULL AND EXISTS (SELECT 1 FROM record_protection o WHERE o.number = r.number"
                + " AND o.kind = 'owner' AND o.value IN " + list + ")))"
        }
    }
}

/// The exported resources of one type.
package struct ExportSelection: Sendable {
    let type: String
    let patients: ExportedPatients
    /// The records that the caller may see.
    let filter: RecordFilter
    /// Only resources that changed at this instant or later, in milliseconds since 1970.
    var since: Int64?
    /// Further conditions on the row `r` of the record, one of which must hold; empty for all.
    var searches: [SQLFragment] = []
    /// The elements of each resource to export; nil for all.
    var elements: ElementSubset?
    /// The base URL for relative addresses of attachments, without a final slash; empty to leave them unchanged.
    var base = ""
    /// The condition on associated resources, whatever their owners and times; nil for none.
    var associated: SQLFragment?

    /// The patients to read. Associated resources may belong to anyone.
    var patientsRead: ExportedPatients { associated == nil ? patients : .everything }
}

extension ExportSelection {
    /// Returns the condition without the patients, where these are read one by one.
    func condition(isDeleted: Bool, in transaction: any SQLTransaction) throws -> SQLFragment {
        let ofType = SQLFragment("r.type = ? AND r.deleted = \(isDeleted ? 1 : 0)", [SQLValue(type)])
        let isShown = try SQLFragment(showing: filter, type: type, in: transaction)
        var asked: [SQLFragment] = []
        if let since { asked.append(SQLFragment("r.updated_ms >= ?", [SQLValue(since)])) }
        // A deleted resource has no values to search.
        if !searches.isEmpty, !isDeleted { asked.append(.any(searches.map { "(" + $0 + ")" })) }
        if patients == .anyPatient || associated != nil && !isDeleted {
            asked.append(patients.condition(in: transaction.dialect))
        }
        guard let associated, !isDeleted else { return .all([ofType, isShown] + asked) }
        return .all([ofType, isShown, .any([.all(asked), associated])])
    }
}
