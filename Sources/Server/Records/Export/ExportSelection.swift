import FHIR
import Storage
import Trust

/// Whose resources an export takes.
public enum ExportedPatients: Sendable, Hashable {
    /// All that is held.
    case everything
    /// What belongs to any patient of this server.
    case anyPatient
    /// What belongs to one of these, who are in an order and each once.
    case only([String])

    /// What belongs to one of these.
    public static func among(_ ids: some Sequence<String>) -> ExportedPatients { .only(Set(ids).sorted()) }
}

extension ExportedPatients {
    /// Holds of a row `r` of what is taken.
    func condition(in dialect: SQLDialect) -> SQLFragment {
        switch self {
        case .everything: return .always
        case .anyPatient:
            return SQLFragment(
                "(r.subject IS NOT NULL OR EXISTS (SELECT 1 FROM record_protection o WHERE o.number = r.number"
                    // The patients of other servers have addresses, with a slash in them.
                    + " AND o.kind = 'owner' AND o.value NOT LIKE '%/%'))")
        case .only(let ids):
            // One value, however many they are.
            let list = SQLFragment(
                dialect == .sqlite
                    ? "(SELECT value FROM json_each(?))" : "(SELECT jsonb_array_elements_text(CAST(? AS jsonb)))",
                [SQLValue(String(decoding: JSON.array(ids.map { .string($0) }).bytes(), as: UTF8.self))])
            return "(r.subject IN " + list
                + " OR (r.subject IS NULL AND EXISTS (SELECT 1 FROM record_protection o WHERE o.number = r.number"
                + " AND o.kind = 'owner' AND o.value IN " + list + ")))"
        }
    }
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
    /// The base URL that relative addresses of attachments get in front, without a last slash; empty where they stay as they
    /// are.
    var base = ""
    /// A condition on what comes besides, whosever it is and whenever it was changed; nil where nothing does.
    var associated: SQLFragment?

    /// Whose resources are gone through: what comes besides belongs to anybody.
    var patientsRead: ExportedPatients { associated == nil ? patients : .everything }
}

extension ExportSelection {
    /// The condition of all but the patients, where these are gone through one by one.
    func condition(isDeleted: Bool, in transaction: any SQLTransaction) throws -> SQLFragment {
        let ofType = SQLFragment("r.type = ? AND r.deleted = \(isDeleted ? 1 : 0)", [SQLValue(type)])
        let isShown = try SQLFragment(showing: filter, type: type, in: transaction)
        var asked: [SQLFragment] = []
        if let since { asked.append(SQLFragment("r.updated_ms >= ?", [SQLValue(since)])) }
        // What is deleted says nothing that a search could find.
        if !searches.isEmpty, !isDeleted { asked.append(.any(searches.map { "(" + $0 + ")" })) }
        if patients == .anyPatient || associated != nil && !isDeleted {
            asked.append(patients.condition(in: transaction.dialect))
        }
        guard let associated, !isDeleted else { return .all([ofType, isShown] + asked) }
        return .all([ofType, isShown, .any([.all(asked), associated])])
    }
}
