import FHIR
import FHIRPath

/// The searchable values of a resource, for each search parameter of its type. Pure.
///
/// Values that only the server knows, such as the time of the last update, must be in the resource's `meta`.
struct SearchValues: Sendable {
    /// One value of one parameter.
    struct Entry: Sendable, Hashable {
        /// The parameter's index in ``ParameterPathTrie/parameters``.
        let parameter: Int
        let value: SearchValue
    }

    /// Maximum numbers of values of one resource.
    struct Limits: Sendable {
        var perParameter = 1_000
        var perResource = 10_000
    }

    let tree: ParameterPathTrie
    /// The values in the order of the walk, which is always the same. A repeated value is repeated.
    let entries: [Entry]
    /// For each parameter, by index: whether the resource has an element with a value, even one that is not indexed.
    let present: [Bool]
    /// The parameters with more values than the limits; some of their values are missing.
    let shortened: Set<Int>

    /// Reads the values of a resource; nil for a type that R4 does not have.
    init?(of resource: Resource, limits: Limits = Limits()) {
        guard let tree = ParameterPathTrie.of(resource.resourceType) else { return nil }
        var builder = SearchValueBuilder(tree, resource: resource.object, limits: limits)
        builder.build()
        self.tree = tree
        entries = builder.entries + Self.healthTypeEntries(of: resource, with: builder.entries, tree)
        present = builder.present
        shortened = builder.shortened
    }

    /// The values of a parameter by its code.
    subscript(code: String) -> [SearchValue] {
        guard let index = tree.index(of: code) else { return [] }
        return entries.filter { $0.parameter == index }.map(\.value)
    }

    /// Whether the resource has an element with a value for the parameter, for `:missing`
    /// (<https://hl7.org/fhir/R4/search.html#modifiers>).
    func has(_ code: String) -> Bool { tree.index(of: code).map { present[$0] } ?? false }
}
