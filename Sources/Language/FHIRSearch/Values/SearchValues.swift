import FHIR
import FHIRPath

/// The searchable values of a resource, for each search parameter of its type. Pure.
///
/// Values that only the server knows, such as the time of the last update, must be in the resource's `meta`.
package struct SearchValues: Sendable {
    /// One value of one parameter.
    package struct Entry: Sendable, Hashable {
        /// The parameter's index in ``ParameterPathTrie/parameters``.
        package let parameter: Int
        package let value: SearchValue

        /// Creates the value from its parts.
        package init(parameter: Int, value: SearchValue) {
            self.parameter = parameter
            self.value = value
        }
    }

    /// Maximum numbers of values of one resource.
    package struct Limits: Sendable {
        var perParameter = 1_000
        var perResource = 10_000
    }

    package let tree: ParameterPathTrie
    /// The values in the order of the walk, which is always the same. A repeated value is repeated.
    package let entries: [Entry]
    /// For each parameter, by index: whether the resource has an element with a value, even one that is not indexed.
    package let present: [Bool]
    /// The parameters with more values than the limits; some of their values are missing.
    package let shortened: Set<Int>

    /// Returns further values of a resource, from those that its own elements have.
    package typealias Addition = (
        _ resource: Resource, _ entries: [Entry], _ tree: ParameterPathTrie
    ) -> [Entry]

    /// Reads the values of a resource; nil for a type that R4 does not have.
    ///
    /// - Parameter addition: returns further values with which searches find the resource.
    package init?(of resource: Resource, limits: Limits = Limits(), adding addition: Addition = { _, _, _ in [] }) {
        guard let tree = ParameterPathTrie.of(resource.resourceType) else { return nil }
        var builder = SearchValueBuilder(tree, resource: resource.object, limits: limits)
        builder.build()
        self.tree = tree
        entries = builder.entries + addition(resource, builder.entries, tree)
        present = builder.present
        shortened = builder.shortened
    }

    /// The values of a parameter by its code.
    package subscript(code: String) -> [SearchValue] {
        guard let index = tree.index(of: code) else { return [] }
        return entries.filter { $0.parameter == index }.map(\.value)
    }

    /// Whether the resource has an element with a value for the parameter, for `:missing`
    /// (<https://hl7.org/fhir/R4/search.html#modifiers>).
    package func has(_ code: String) -> Bool { tree.index(of: code).map { present[$0] } ?? false }
}
