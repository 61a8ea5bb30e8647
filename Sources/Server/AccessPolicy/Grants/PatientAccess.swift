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

    /// Returns the union with other patients.
    func union(_ other: PatientAccess) -> PatientAccess {
        guard case (.only(var own), .only(let others)) = (self, other) else { return .all }
        own.formUnion(others)
        return .only(own)
    }
}
