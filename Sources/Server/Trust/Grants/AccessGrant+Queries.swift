extension AccessGrant {
    /// The queries that scopes for a type are limited by: whoever makes the facts of a record of the type says which of them it
    /// meets (``RecordFacts/matchedQueries``).
    public func queries(of type: String) -> Set<ScopeQuery> {
        Set(scopes.resources.filter { $0.type == nil || $0.type == type }.compactMap(\.query))
    }
}
