import FHIR
import Trust

extension RecordFacts {
    /// What decides who sees a resource.
    ///
    /// - Parameter matchedQueries: those of the grant's queries that the resource meets.
    public init(_ resource: Resource, matchedQueries: Set<ScopeQuery> = []) {
        self.init(
            type: resource.resourceType, patients: resource.owners.patients,
            labels: SecurityLabels(resource.securityLabels.map { ($0.system, $0.code) }), matchedQueries: matchedQueries
        )
    }
}
