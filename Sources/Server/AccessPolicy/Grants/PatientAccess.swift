/// Patients whose records a grant gives access to.
package enum PatientAccess: Sendable, Hashable {
    /// Records of all patients, and those without a patient.
    case all
    /// Records of patients with these ids, and shared records.
    case only(Set<String>)

    /// Whether it contains all owners of a record, which showing or changing the record requires. Without owners, only
    /// `.all` does.
    func ownsAll(of owners: Set<String>) -> Bool {
        switch self {
        case .all: true
        case .only(let patients): !owners.isEmpty && owners.isSubset(of: patients)
        }
    }

    /// Whether it contains all patients that another one contains.
    func includes(_ other: PatientAccess) -> Bool {
        switch (self, other) {
        case (.all, _): true
        case (.only(let own), .only(let others)): others.isSubset(of: own)
        case (.only, .all): false
        }
    }

    /// Returns the intersection with one patient.
    func intersection(_ patient: String) -> PatientAccess {
        switch self {
        case .all: .only([patient])
        case .only(let patients): .only(patients.intersection([patient]))
        }
    }

    /// Creates the union of several.
    init(joining several: [PatientAccess]) {
        var ids: Set<String> = []
        for case .only(let some) in several { ids.formUnion(some) }
        self = several.contains(.all) ? .all : .only(ids)
    }
}
