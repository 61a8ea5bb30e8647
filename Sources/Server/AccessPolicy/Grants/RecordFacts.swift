/// Facts that decide who may access a record: its type, its patients, its labels. The code that reads the record
/// computes them, and they are stored with it.
package struct RecordFacts: Sendable, Hashable {
    /// Resource type.
    package let type: String
    /// Ids of the patients that it belongs to, by R4's Patient compartment
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>). A reference without an id is ignored.
    package let owners: Set<String>
    /// Security labels.
    package let labels: SecurityLabels
    /// Queries of the grant that the record meets. A query that was not evaluated counts as not met.
    package let matchedQueries: Set<ScopeQuery>

    /// Creates the facts of a record.
    ///
    /// - Parameter patients: ids of the patients.
    package init(
        type: String, patients: Set<String>, labels: SecurityLabels = .none, matchedQueries: Set<ScopeQuery> = []
    ) {
        self.type = type
        owners = patients
        self.labels = labels
        self.matchedQueries = matchedQueries
    }

    /// Whether it belongs to no patient and has a type that is shared in this case.
    package var isShared: Bool { owners.isEmpty && SharedTypes.all.contains(type) }
}
