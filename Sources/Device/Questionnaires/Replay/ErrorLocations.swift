extension Sequence<ResponseProblem> {
    /// The codes of the errors with their locations. Those of a session are those that the validator finds in its
    /// response.
    package var errorLocations: Set<String> {
        Set(filter { $0.severity == .error }.map { "\($0.code) \($0.expression)" })
    }
}
