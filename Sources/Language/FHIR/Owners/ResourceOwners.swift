/// Whose a resource is: the patients that it belongs to.
public struct ResourceOwners: Sendable, Hashable {
    /// The ids of the patients of this server that it names.
    public let patients: Set<String>

    /// The addresses of the patients of other servers that it names, as `https://example.org/fhir/Patient/23`, without a
    /// version. They are other people, whatever their ids.
    public let elsewhere: Set<String>

    /// Whether it refers to a patient, or to what may be one, of whom it does not tell the id: by an identifier, by
    /// `urn:uuid:`, by a contained Patient, by criteria, or by a text that is no reference.
    public let hasUnresolved: Bool

    /// Makes owners of the ids of patients, and of the addresses of patients of other servers.
    public init(patients: Set<String>, elsewhere: Set<String> = [], hasUnresolved: Bool = false) {
        self.patients = patients
        self.elsewhere = elsewhere
        self.hasUnresolved = hasUnresolved
    }

    /// The id of the one patient it belongs to; nil where it is none, are several, or may be another one besides.
    public var one: String? { patients.count == 1 && elsewhere.isEmpty && !hasUnresolved ? patients.first : nil }

    /// All patients: the ids of those of this server and the addresses of the others. No id is an address.
    public var all: Set<String> { patients.union(elsewhere) }

    /// The owners as a server sees them that is reached at some base URLs: a patient with one of these in front is its own.
    ///
    /// - Parameter ownBases: the server's base URLs, without a last slash.
    public func local(to ownBases: [String]) -> ResourceOwners {
        guard !ownBases.isEmpty, !elsewhere.isEmpty else { return self }
        var ids = patients
        var others: Set<String> = []
        for address in elsewhere {
            if let literal = LiteralReference(address), literal.isLocal(to: ownBases) {
                ids.insert(literal.id)
            } else {
                others.insert(address)
            }
        }
        return ResourceOwners(patients: ids, elsewhere: others, hasUnresolved: hasUnresolved)
    }
}
