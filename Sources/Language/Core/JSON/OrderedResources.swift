/// Several resources of which each one is sent before the next, for code that passes them on without reading them.
///
/// ```swift
/// struct Enrolled: OrderedResources {
///     let contract: Contract
///     let patient: Patient
///     var orderedResources: [any ResourceContent] { [contract, patient] }
/// }
/// ```
public protocol OrderedResources: Sendable {
    /// The resources, in the order in which they are sent.
    var orderedResources: [any ResourceContent] { get }
}
