import Storage

/// Whose facts are counted: all patients', or those of the participants whom a query names or leaves out.
public struct PatientSelection: Sendable, Hashable {
    let condition: String?
    let parameters: [SQLValue]

    /// Every patient.
    public static let all = PatientSelection(condition: nil, parameters: [])

    private init(condition: String?, parameters: [SQLValue]) {
        self.condition = condition
        self.parameters = parameters
    }

    /// The participants that a query gives, or all others.
    ///
    /// - Parameters:
    ///   - participants: SQL that gives one column of participants' ids.
    ///   - isExclusion: whether they are left out.
    public init(participants: StaticString, parameters: [SQLValue], isExclusion: Bool) {
        condition = """
            patient_num \(isExclusion ? "NOT IN" : "IN") (SELECT w.patient_num FROM warehouse_patient w
            WHERE w.participant IN (\(participants)))
            """
        self.parameters = parameters
    }
}
