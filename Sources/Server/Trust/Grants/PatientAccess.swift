/// Whose records a grant reaches.
public enum PatientAccess: Sendable, Hashable {
    /// Those of all patients, and those that belong to none.
    case all
    /// Those of patients with these ids, and those that are shared.
    case only(Set<String>)

    /// Whether it has all that somebody's record may be shown or changed for: a record of several patients takes all of
    /// them, and one of none is nobody's.
    func ownsAll(of owners: Set<String>) -> Bool {
        switch self {
        case .all: true
        case .only(let patients): !owners.isEmpty && owners.isSubset(of: patients)
        }
    }

    /// What both reach.
    func intersection(_ patient: String) -> PatientAccess {
        switch self {
        case .all: .only([patient])
        case .only(let patients): .only(patients.intersection([patient]))
        }
    }
}
