/// The patients that own a resource.
public struct ResourceOwners: Sendable, Hashable {
    /// The ids of the owning patients of this server.
    public let patients: Set<String>

    /// The URLs of the owning patients of other servers, such as `https://example.org/fhir/Patient/23`, without a
    /// version. They are different people, whatever their ids.
    public let elsewhere: Set<String>

    /// Whether the resource refers to a patient, or to a possible patient, without an id: by an identifier, by
    /// `urn:uuid:`, by a contained Patient, by criteria, or by a text that is not a reference.
    public let hasUnresolved: Bool

    /// Creates owners from the ids of patients and the URLs of patients of other servers.
    public init(patients: Set<String>, elsewhere: Set<String> = [], hasUnresolved: Bool = false) {
        self.patients = patients
        self.elsewhere = elsewhere
        self.hasUnresolved = hasUnresolved
    }

    /// The id of the only owner; nil if there is none, if there are several, or if there may be another one.
    public var one: String? { patients.count == 1 && elsewhere.isEmpty && !hasUnresolved ? patients.first : nil }

    /// All owners: the ids of those of this server and the URLs of the others. An id is never a URL.
    public var all: Set<String> { patients.union(elsewhere) }

    /// Returns the owners from the view of a server with some base URLs: a patient with one of these URLs is its own.
    ///
    /// - Parameter ownBases: the server's base URLs, without a trailing slash.
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
