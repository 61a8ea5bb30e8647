import Storage

/// The patients whose facts are counted: all, or those that a query includes or excludes.
package struct PatientSelection: Sendable, Hashable {
    let condition: String?
    let parameters: [SQLValue]

    /// Every patient.
    package static let all = PatientSelection(condition: nil, parameters: [])

    private init(condition: String?, parameters: [SQLValue]) {
        self.condition = condition
        self.parameters = parameters
    }

    /// Creates the selection of the participants that a query returns, or of all others.
    ///
    /// - Parameters:
    ///   - participants: SQL that returns one column of participants' ids.
    ///   - isExclusion: whether they are excluded.
    package init(participants: StaticString, parameters: [SQLValue], isExclusion: Bool) {
        condition = """
            patient_num \(isExclusion ? "NOT IN" : "IN") (SELECT w.patient_num FROM warehouse_patient w
            WHERE w.participant IN (\(participants)))
            """
        self.parameters = parameters
    }
}
