import AccessPolicy
import FHIR

extension RecordFacts {
    /// Creates the facts that decide who sees a resource.
    ///
    /// - Parameter matchedQueries: the grant's queries that the resource meets.
    package init(_ resource: Resource, matchedQueries: Set<ScopeQuery> = []) {
        self.init(
            resource, patients: resource.owners.all, matchedQueries: matchedQueries)
    }

    /// Creates the facts of a stored resource. The id is the owner of a Patient.
    ///
    /// - Parameters:
    ///   - subject: the only owner, where it is known (``SearchIndex/subject(of:id:)``).
    ///   - ownBases: the server's own base URLs, without a final slash.
    ///   - queries: the grant's queries for the type.
    package init(
        _ resource: Resource, storedAs id: String, subject: String?, at ownBases: [String] = [],
        asking queries: Set<ScopeQuery> = []
    ) {
        let one = resource.resourceType == Patient.resourceType ? id : subject
        self.init(
            resource, patients: one.map { [$0] } ?? resource.owners.local(to: ownBases).all,
            matchedQueries: resource.met(of: queries))
    }

    /// Creates the facts of a version of a record. A version belongs to the patients that it names, whatever the newest
    /// version names. Only a Provenance of a permission names none: it belongs to the patients of its record.
    ///
    /// - Parameters:
    ///   - newest: the stored facts of the record.
    ///   - ownBases: the server's own base URLs, without a final slash.
    ///   - queries: the grant's queries for the type.
    /// - Throws: ``StorageError`` if the content cannot be read.
    package init(
        version: StoredRecord, newest: RecordFacts, at ownBases: [String] = [], asking queries: Set<ScopeQuery> = []
    ) throws {
        let resource = try version.resource()
        let own = RecordFacts(resource, storedAs: version.id, subject: nil, at: ownBases, asking: queries)
        guard own.owners.isEmpty, resource.resourceType == Provenance.resourceType,
            version.provenance.isOfPermission
        else {
            self = own
            return
        }
        self.init(resource, patients: newest.owners, matchedQueries: own.matchedQueries)
    }

    private init(_ resource: Resource, patients: Set<String>, matchedQueries: Set<ScopeQuery> = []) {
        self.init(
            type: resource.resourceType, patients: patients,
            labels: SecurityLabels(resource.securityLabels.map { ($0.system, $0.code) }), matchedQueries: matchedQueries
        )
    }
}
