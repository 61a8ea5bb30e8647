/// Records that a grant shows, as an expression over their stored facts.
///
/// Code that selects records compiles it into the SQL statement, so that hidden records are not counted, sorted or put
/// on a page. Every part admits a record by the record's own facts, and no part negates another one, so an omitted part
/// shows less. ``matches(_:)`` evaluates the same expression in memory, and is the reference for the compiled form.
package indirect enum RecordFilter: Sendable, Hashable {
    /// All records.
    case everything
    /// No records.
    case nothing
    /// The resource type is one of these.
    case type(Set<String>)
    /// The resource type is none of these.
    case typeOutside(Set<String>)
    /// There is at least one owner, and all owners are among these.
    case owners(Set<String>)
    /// There is at least one owner, and a single one of these sets has all owners.
    case ownersOfOne(Set<Set<String>>)
    /// There is no owner, and the type is shared: ``RecordFacts/isShared``.
    case shared
    /// The rank of the confidentiality (its raw value) is not above that of this one.
    case confidentiality(upTo: Confidentiality)
    /// All sensitivities are among these; there may be none.
    case sensitivities(among: Set<String>)
    /// The record meets a scope's query, which is a search of the record's type.
    case query(ScopeQuery)
    /// All parts match; there are at least two.
    case all([RecordFilter])
    /// One of the parts matches; there are at least two.
    case any([RecordFilter])

    /// Types that ``shared`` covers, for stores that do not store this fact.
    package static let sharedTypes = SharedTypes.all

    /// Whether the filter shows a record.
    package func matches(_ facts: RecordFacts) -> Bool {
        switch self {
        case .everything: true
        case .nothing: false
        case .type(let types): types.contains(facts.type)
        case .typeOutside(let types): !types.contains(facts.type)
        case .owners(let patients): !facts.owners.isEmpty && facts.owners.isSubset(of: patients)
        case .ownersOfOne(let groups):
            !facts.owners.isEmpty && groups.contains { facts.owners.isSubset(of: $0) }
        case .shared: facts.isShared
        case .confidentiality(let limit): facts.labels.confidentiality <= limit
        case .sensitivities(let codes): facts.labels.sensitivities.isSubset(of: codes)
        case .query(let query): facts.matchedQueries.contains(query)
        case .all(let parts): parts.allSatisfy { $0.matches(facts) }
        case .any(let parts): parts.contains { $0.matches(facts) }
        }
    }

    /// Returns the conjunction of the parts, in simplified form.
    package static func and(_ parts: [RecordFilter]) -> RecordFilter {
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

    /// Returns the disjunction of the parts, in simplified form.
    package static func or(_ parts: [RecordFilter]) -> RecordFilter {
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
