import Storage
import Trust

/// Whose resources an export takes.
public enum ExportedPatients: Sendable, Hashable {
    /// All that is held.
    case everything
    /// What belongs to any patient.
    case anyPatient
    /// What belongs to one of these, who are in an order and each once.
    case only([String])

    /// What belongs to one of these.
    public static func among(_ ids: some Sequence<String>) -> ExportedPatients { .only(Set(ids).sorted()) }
}

/// The resources of one type that an export takes.
struct ExportSelection: Sendable {
    let type: String
    let patients: ExportedPatients
    /// What may be seen at all.
    let filter: RecordFilter
    /// Only what was changed at this instant or later, in milliseconds.
    var since: Int64?
    /// Further conditions on the row `r` of the record, of which one must hold; none for all.
    var searches: [SQLFragment] = []
    /// What is left of each resource; nil for all of it.
    var elements: ElementSubset?
}

extension ExportSelection {
    /// The condition of all but the patients.
    func condition(isDeleted: Bool, in transaction: any SQLTransaction) throws -> SQLFragment {
        var condition = isDeleted ? "r.type = ? AND r.deleted = 1" : "r.type = ? AND r.deleted = 0"
        var parameters = [SQLValue(type)]
        if let since {
            condition += " AND r.updated_ms >= ?"
            parameters.append(SQLValue(since))
        }
        if filter != .everything {
            let shown = try RecordFilterStatement(filter, type: type, in: transaction)
            condition += " AND " + shown.condition
            parameters += shown.parameters
        }
        // What is deleted says nothing that a search could find.
        if !searches.isEmpty, !isDeleted {
            condition += " AND (" + searches.map { "(\($0.sql))" }.joined(separator: " OR ") + ")"
            parameters += searches.flatMap(\.parameters)
        }
        if patients == .anyPatient {
            condition +=
                " AND (r.subject IS NOT NULL OR EXISTS (SELECT 1 FROM record_protection o WHERE o.number = r.number"
                + " AND o.kind = 'owner'))"
        }
        return SQLFragment(condition, parameters)
    }
}
