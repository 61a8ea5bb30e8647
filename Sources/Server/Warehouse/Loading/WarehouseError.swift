import Core

/// The reason that the warehouse refuses a resource or an operation. It never contains health data.
package struct WarehouseError: CodedError, Hashable {
    /// A stable code: `too-many-facts`, `too-many-concepts` or `warehouse-place`.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String

    static let tooManyFacts = WarehouseError(
        code: "too-many-facts",
        message: "The facts need more than \(WarehouseEntry.maximumRows) rows; send the data in several resources.")
    static let otherLocation = WarehouseError(
        code: "warehouse-place",
        message: "The facts are not where study.json says that the warehouse is; run `tributary warehouse init`.")
    static let tooManyConcepts = WarehouseError(
        code: "too-many-concepts",
        message: "The message uses more than \(WarehouseEntry.maximumConcepts) codes; send it in several messages.")
}
