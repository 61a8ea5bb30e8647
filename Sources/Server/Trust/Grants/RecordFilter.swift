/// Which records a grant shows, as an expression over what is stored of each of them.
///
/// Whoever selects records compiles it into the statement that selects, so that nothing hidden is counted, sorted or put
/// on a page. Every part says yes to a record by its own facts, and there is no negation: what is left out shows less.
/// ``matches(_:)`` is the same in memory, and the measure of what is compiled.
public indirect enum RecordFilter: Sendable, Hashable {
    /// Every record.
    case everything
    /// None.
    case nothing
    /// The resource type is one of these.
    case type(Set<String>)
    /// There is at least one owner, and every owner is one of these.
    case owners(Set<String>)
    /// There is no owner, and the type is shared: ``RecordFacts/isShared``.
    case shared
    /// The rank of the confidentiality (its raw value) is not above this one's.
    case confidentiality(atMost: Confidentiality)
    /// Every sensitivity is one of these; none is needed.
    case sensitivities(among: Set<String>)
    /// The record meets a query of a scope, which is a search of the record's type.
    case query(ScopeQuery)
    /// All of them; there are two at least.
    case all([RecordFilter])
    /// One of them; there are two at least.
    case any([RecordFilter])

    /// The types that ``shared`` speaks of, for who stores no such fact.
    public static let sharedTypes = SharedTypes.all

    /// Whether the filter shows a record.
    public func matches(_ facts: RecordFacts) -> Bool {
        switch self {
        case .everything: true
        case .nothing: false
        case .type(let types): types.contains(facts.type)
        case .owners(let patients): !facts.owners.isEmpty && facts.owners.isSubset(of: patients)
        case .shared: facts.isShared
        case .confidentiality(let most): facts.labels.confidentiality <= most
        case .sensitivities(let codes): facts.labels.sensitivities.isSubset(of: codes)
        case .query(let query): facts.matchedQueries.contains(query)
        case .all(let parts): parts.allSatisfy { $0.matches(facts) }
        case .any(let parts): parts.contains { $0.matches(facts) }
        }
    }

    /// What meets all parts, without those that say nothing.
    public static func and(_ parts: [RecordFilter]) -> RecordFilter {
        var kept: [RecordFilter] = []
        for part in parts {
            switch part {
            case .nothing: return .nothing
            case .everything: continue
            case .all(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .everything : kept.count == 1 ? kept[0] : .all(kept)
    }

    /// What meets one of the parts, without those that nothing meets.
    public static func or(_ parts: [RecordFilter]) -> RecordFilter {
        var kept: [RecordFilter] = []
        for part in parts {
            switch part {
            case .everything: return .everything
            case .nothing: continue
            case .any(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .nothing : kept.count == 1 ? kept[0] : .any(kept)
    }
}
