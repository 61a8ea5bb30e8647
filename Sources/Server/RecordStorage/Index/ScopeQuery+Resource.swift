import AccessPolicy
import FHIR
import FHIRSearch

extension ScopeQuery {
    /// Returns the query's conditions for a type; nil where they cannot be evaluated: then no record meets the query.
    package func conditions(of type: String) -> [SearchCondition]? {
        var conditions: [SearchCondition] = []
        for parameter in parameters {
            guard let condition = try? SearchCondition(parameter.name, value: parameter.value, of: type),
                !condition.needsTerminology
            else { return nil }
            conditions.append(condition)
        }
        return conditions
    }
}

extension Resource {
    /// Returns the queries that the resource meets.
    package func met(of queries: Set<ScopeQuery>) -> Set<ScopeQuery> {
        guard !queries.isEmpty, let values = SearchValues(indexing: self) else { return [] }
        return queries.filter { query in
            query.conditions(of: resourceType)?.allSatisfy { $0.matches(values) } ?? false
        }
    }
}
