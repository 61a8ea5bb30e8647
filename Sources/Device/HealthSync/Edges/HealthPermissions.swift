import HealthTypes

/// The types to request read access for, and the types to observe, for a set of types to synchronize.
///
/// HealthKit accepts neither for a correlation: it is readable where its members are, and it changes when they do.
/// Daily summaries cannot be observed: they are read whenever another type changed. HealthKit does not report whether
/// reading was denied; it then returns no data.
public struct HealthPermissions: Sendable, Hashable {
    /// HealthKit's identifiers of the types to request access for, sorted.
    public let read: [String]
    /// HealthKit's identifiers of the types to observe, sorted.
    public let observed: [String]
    /// The types to synchronize when any type changed.
    private let unobserved: Set<String>
    /// The types to synchronize when a type changed, by the type that changed.
    private let types: [String: Set<String>]

    /// Creates the permissions for types, by HealthKit's identifiers.
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

    /// Returns the types to synchronize when the given types changed.
    public func synchronized(with changed: Set<String>) -> Set<String> {
        let affected = Set(changed.flatMap { types[$0] ?? [] })
        return affected.isEmpty ? [] : affected.union(unobserved)
    }
}
