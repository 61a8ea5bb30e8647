extension AccessGrant {
    /// Returns the queries that limit the scopes for a type. Code that creates the facts of such a record must evaluate
    /// them (``RecordFacts/matchedQueries``).
    package func queries(of type: String) -> Set<ScopeQuery> {
        Set(scopes.resources.filter { $0.type == nil || $0.type == type }.compactMap(\.query))
    }
}
