import Core

/// The reason that the warehouse does not take a resource. It never carries health data.
public struct WarehouseError: CodedError, Hashable {
    /// A stable code: `too-many-facts` or `too-many-concepts`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    static let tooManyFacts = WarehouseError(
        code: "too-many-facts",
        message: "The facts need more than \(WarehouseEntry.maximumRows) rows; send the data in several resources.")
    static let tooManyConcepts = WarehouseError(
        code: "too-many-concepts",
        message: "The message uses more than \(WarehouseEntry.maximumConcepts) codes; send it in several messages.")
}
