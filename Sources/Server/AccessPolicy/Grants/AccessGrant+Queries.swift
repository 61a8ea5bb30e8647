extension AccessGrant {
    /// Returns the queries that limit the scopes for a type, of all parts. Code that creates the facts of such a record
    /// must evaluate them (``RecordFacts/matchedQueries``).
    package func queries(of type: String) -> Set<ScopeQuery> {
        var queries: Set<ScopeQuery> = []
        var forms: Set<Int> = []
        for part in parts where forms.insert(part.formNumber).inserted {
            queries.formUnion(part.scopes.resources.filter { part.scopes.reaches($0, type: type) }.compactMap(\.query))
        }
        return queries
    }
}
