import FHIR
import Trust

extension ScopeQuery {
    /// The conditions that the query means for a type; nil where it cannot be answered: then no record meets it.
    func conditions(of type: String) -> [SearchCondition]? {
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
    /// Those of some queries that the resource meets.
    func met(of queries: Set<ScopeQuery>) -> Set<ScopeQuery> {
        guard !queries.isEmpty, let values = SearchValues(of: self) else { return [] }
        return queries.filter { query in
            query.conditions(of: resourceType)?.allSatisfy { $0.matches(values) } ?? false
        }
    }
}
