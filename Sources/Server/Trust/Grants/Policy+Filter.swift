import Foundation

extension Policy {
    /// The filter of what a grant shows: exactly the records for which ``decide(_:_:record:at:)`` says `permitted`.
    ///
    /// What is selected to be written is selected by what may be read or searched, and then decided one by one: for an
    /// interaction that writes, the filter shows nothing.
    public func filter(_ grant: AccessGrant, _ interaction: RecordInteraction, at now: Date) -> RecordFilter {
        guard !interaction.isWriting, !grant.hasEnded(at: now) else { return .nothing }
        // 1. Scopes that differ by the type alone are one part, in the order in which they stand: the same grant always
        //    gives the same filter.
        let reaches = grant.scopes.resources.filter { $0.permissions.isSuperset(of: interaction.permission) }.map {
            Reach(patients: grant.patients(of: $0.context), type: $0.type, query: $0.query)
        }
        var parts: [Part: [String?]] = [:]
        var order: [Part] = []
        for reach in reaches where !reaches.contains(where: { $0.makesNeedless(reach) }) {
            let part = Part(patients: reach.patients, query: reach.query)
            if parts[part] == nil { order.append(part) }
            parts[part, default: []].append(reach.type)
        }
        let records = RecordFilter.or(order.map { .and([Policy.filter(types: parts[$0] ?? []), $0.filter]) })
        // 2. The labels hold for all of them.
        var all = [records]
        if grant.confidentiality < .veryRestricted { all.append(.confidentiality(atMost: grant.confidentiality)) }
        if case .codes(let codes) = grant.sensitivity { all.append(.sensitivities(among: codes)) }
        return .and(all)
    }

    /// The types that scopes name, of which nil is every one.
    private static func filter(types: [String?]) -> RecordFilter {
        types.contains(nil) ? .everything : .type(Set(types.compactMap(\.self)))
    }

    /// What one scope reaches.
    private struct Reach {
        let patients: PatientAccess
        let type: String?
        let query: ScopeQuery?

        /// Whether all that the other one reaches is reached by this one without its query.
        func makesNeedless(_ other: Reach) -> Bool {
            query == nil && other.query != nil && patients == other.patients && (type == nil || type == other.type)
        }
    }

    /// What scopes that differ by the type alone have in common.
    private struct Part: Hashable {
        let patients: PatientAccess
        let query: ScopeQuery?

        var filter: RecordFilter {
            .and([patients.filter, query.map(RecordFilter.query) ?? .everything])
        }
    }
}

extension PatientAccess {
    /// The records of these patients, and those that are shared.
    var filter: RecordFilter {
        switch self {
        case .all: .everything
        case .only(let patients): patients.isEmpty ? .shared : .any([.owners(patients), .shared])
        }
    }
}
