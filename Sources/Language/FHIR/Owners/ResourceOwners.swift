/// Whose a resource is: the patients that it belongs to.
public struct ResourceOwners: Sendable, Hashable {
    /// The ids of the patients that it names.
    public let patients: Set<String>

    /// Whether it refers to a patient, or to what may be one, of whom it does not tell the id: by an identifier, by
    /// `urn:uuid:`, by a contained Patient, by criteria, or by a text that is no reference.
    public let hasUnresolved: Bool

    /// Makes owners of the ids of patients.
    public init(patients: Set<String>, hasUnresolved: Bool = false) {
        self.patients = patients
        self.hasUnresolved = hasUnresolved
    }

    /// The id of the one patient it belongs to; nil where it is none, are several, or may be another one besides.
    public var one: String? { patients.count == 1 && !hasUnresolved ? patients.first : nil }
}
