import Core

extension JSON {
    /// Returns the member with a name; nil if it is absent or `null`.
    ///
    /// `nil` in an expression of type `JSON?` can mean JSON's null, so the absence is written in full.
    func present(_ name: String) -> JSON? {
        guard let value = self[name], !value.isNull else { return Optional<JSON>.none }
        return value
    }
}
