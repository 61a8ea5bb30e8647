/// Facts that decide who may access a record: its type, its patients, its labels. The code that reads the record
/// computes them, and they are stored with it.
public struct RecordFacts: Sendable, Hashable {
    /// Resource type.
    public let type: String
    /// Ids of the patients that it belongs to, by R4's Patient compartment
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>). A reference without an id is ignored.
    public let owners: Set<String>
    /// Security labels.
    public let labels: SecurityLabels
    /// Queries of the grant that the record meets. A query that was not evaluated counts as not met.
    public let matchedQueries: Set<ScopeQuery>

    /// Creates the facts of a record.
    ///
    /// - Parameter patients: ids of the patients.
    public init(
        type: String, patients: Set<String>, labels: SecurityLabels = .none, matchedQueries: Set<ScopeQuery> = []
    ) {
        self.type = type
        owners = patients
        self.labels = labels
        self.matchedQueries = matchedQueries
    }

    /// Whether it belongs to no patient and has a type that is shared in this case.
    public var isShared: Bool { owners.isEmpty && SharedTypes.all.contains(type) }
}
