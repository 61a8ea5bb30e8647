/// What decides who sees a record: its type, whose it is, its labels. Whoever can read the record makes them, and they
/// are stored beside it.
public struct RecordFacts: Sendable, Hashable {
    /// The resource type.
    public let type: String
    /// The ids of the patients that it belongs to, by R4's Patient compartment
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>), and ``unresolvedOwner``.
    public let owners: Set<String>
    /// Its security labels.
    public let labels: SecurityLabels
    /// Those of the grant's queries that the record meets. One that was not asked counts as not met.
    public let matchedQueries: Set<ScopeQuery>

    /// What stands among the owners where the record refers to a patient, or what may be one, whose id it does not tell.
    /// It is no id, and no grant for certain patients names it.
    public static let unresolvedOwner = "?"

    /// The facts of a record.
    ///
    /// - Parameters:
    ///   - patients: the ids of the patients.
    ///   - hasUnresolvedPatient: whether it refers to a patient whose id it does not tell.
    public init(
        type: String, patients: Set<String>, hasUnresolvedPatient: Bool = false, labels: SecurityLabels = .none,
        matchedQueries: Set<ScopeQuery> = []
    ) {
        self.type = type
        owners = hasUnresolvedPatient ? patients.union([RecordFacts.unresolvedOwner]) : patients
        self.labels = labels
        self.matchedQueries = matchedQueries
    }

    /// Whether it belongs to nobody, and is of a type that is shared then.
    public var isShared: Bool { owners.isEmpty && SharedTypes.all.contains(type) }
}
