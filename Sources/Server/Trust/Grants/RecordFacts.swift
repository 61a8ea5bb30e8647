/// What decides who sees a record: its type, whose it is, its labels. Whoever can read the record makes them, and they
/// are stored beside it.
public struct RecordFacts: Sendable, Hashable {
    /// The resource type.
    public let type: String
    /// The ids of the patients that it belongs to, by R4's Patient compartment
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>). A reference that tells no id names nobody.
    public let owners: Set<String>
    /// Its security labels.
    public let labels: SecurityLabels
    /// Those of the grant's queries that the record meets. One that was not asked counts as not met.
    public let matchedQueries: Set<ScopeQuery>

    /// The facts of a record.
    ///
    /// - Parameter patients: the ids of the patients.
    public init(
        type: String, patients: Set<String>, labels: SecurityLabels = .none, matchedQueries: Set<ScopeQuery> = []
    ) {
        self.type = type
        owners = patients
        self.labels = labels
        self.matchedQueries = matchedQueries
    }

    /// Whether it belongs to nobody, and is of a type that is shared then.
    public var isShared: Bool { owners.isEmpty && SharedTypes.all.contains(type) }
}
