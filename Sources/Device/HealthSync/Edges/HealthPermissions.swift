import HealthTypes

/// The types that the person is asked for, and those that are observed, for the types that are synchronised.
///
/// HealthKit takes neither for a correlation: it is read where its members may be, and it changes when they do. Nobody can
/// observe the summaries of days: they are looked at whenever another type changed. Whether reading was denied nobody is
/// told: there is no data then.
public struct HealthPermissions: Sendable, Hashable {
    /// HealthKit's identifiers of the types to ask for, in order.
    public let read: [String]
    /// HealthKit's identifiers of the types to observe, in order.
    public let observed: [String]
    /// The types that are to be synchronised when anything changed.
    private let unobserved: Set<String>
    /// The types that are to be synchronised when a type changed.
    private let types: [String: Set<String>]

    /// The permissions for types, by HealthKit's identifiers.
    public init(for identifiers: some Sequence<String>, in table: HealthTypeTable = .standard) {
        var types: [String: Set<String>] = [:]
        var unobserved: Set<String> = []
        for identifier in identifiers {
            let type = table.type(identifier)
            if type?.kind == .activitySummary { unobserved.insert(identifier) }
            let members = type?.kind == .correlation ? type?.components.map(\.identifier) ?? [] : [identifier]
            for member in members { types[member, default: []].insert(identifier) }
        }
        self.types = types
        self.unobserved = unobserved
        read = types.keys.sorted()
        observed = read.filter { !unobserved.contains($0) }
    }

    /// The types that are to be synchronised when these changed.
    public func synchronized(with changed: Set<String>) -> Set<String> {
        let affected = Set(changed.flatMap { types[$0] ?? [] })
        return affected.isEmpty ? [] : affected.union(unobserved)
    }
}
