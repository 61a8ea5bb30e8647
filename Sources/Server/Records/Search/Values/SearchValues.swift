import FHIR
import FHIRPath

/// All that searches find a resource by: the values of each search parameter of its type. Pure.
///
/// What the server alone knows, such as the instant of the last change, it has to say in the resource's `meta` first.
struct SearchValues: Sendable {
    /// One value of one parameter.
    struct Entry: Sendable, Hashable {
        /// The parameter's place in ``SearchTree/parameters``.
        let parameter: Int
        let value: SearchValue
    }

    /// Bounds on what is kept of one resource.
    struct Limits: Sendable {
        var perParameter = 1_000
        var perResource = 10_000
    }

    let tree: SearchTree
    /// In the order in which the resource is walked, which is the same each time. A value that the resource says twice
    /// stands there twice.
    let entries: [Entry]
    /// For each parameter, by its place: whether the resource has an element with a value, whatever is made of it.
    let present: [Bool]
    /// The parameters of which not all values are here, for they were more than the limits.
    let shortened: Set<Int>

    /// The values of a resource; nil for a type that R4 does not have.
    init?(of resource: Resource, limits: Limits = Limits()) {
        guard let tree = SearchTree.of(resource.resourceType) else { return nil }
        var builder = SearchValueBuilder(tree, resource.object, limits)
        builder.build()
        self.tree = tree
        entries = builder.entries + Self.healthTypeEntries(of: resource, beside: builder.entries, tree)
        present = builder.present
        shortened = builder.shortened
    }

    /// The values of a parameter by its code.
    subscript(code: String) -> [SearchValue] {
        guard let place = tree.place(of: code) else { return [] }
        return entries.filter { $0.parameter == place }.map(\.value)
    }

    /// Whether the resource has an element with a value for the parameter: what `:missing` asks
    /// (<https://hl7.org/fhir/R4/search.html#modifiers>).
    func has(_ code: String) -> Bool { tree.place(of: code).map { present[$0] } ?? false }
}
