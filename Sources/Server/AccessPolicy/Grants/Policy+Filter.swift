import Foundation

extension Policy {
    /// Returns the filter of a grant: it selects exactly the records for which ``decide(_:_:record:at:)`` returns
    /// `permitted`.
    ///
    /// Records to be written are selected with the filter for reading or searching, and then decided one by one: for a
    /// writing interaction the filter selects nothing.
    package func filter(_ grant: AccessGrant, _ interaction: RecordInteraction, at now: Date) -> RecordFilter {
        guard !interaction.isWriting, !grant.hasEnded(at: now) else { return .nothing }
        // 1. Combine scopes that differ only in the type, in their original order, so that the same grant always gives
        //    the same filter.
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
        // 2. The limits of labels apply to all of them.
        var all = [records]
        if grant.confidentiality < .veryRestricted { all.append(.confidentiality(upTo: grant.confidentiality)) }
        if case .codes(let codes) = grant.sensitivity { all.append(.sensitivities(among: codes)) }
        return .and(all)
    }

    /// Returns the filter for the types of scopes; nil means all types.
    private static func filter(types: [String?]) -> RecordFilter {
        types.contains(nil) ? .everything : .type(Set(types.compactMap(\.self)))
    }

    /// Records of one scope.
    private struct Reach {
        let patients: PatientAccess
        let type: String?
        let query: ScopeQuery?

        /// Whether this scope, which has no query, covers the other one, which has a query.
        func makesNeedless(_ other: Reach) -> Bool {
            query == nil && other.query != nil && patients == other.patients && (type == nil || type == other.type)
        }
    }

    /// Common part of scopes that differ only in the type.
    private struct Part: Hashable {
        let patients: PatientAccess
        let query: ScopeQuery?

        var filter: RecordFilter {
            .and([patients.filter, query.map(RecordFilter.query) ?? .everything])
        }
    }
}

extension PatientAccess {
    /// Filter for the records of these patients and shared records.
    var filter: RecordFilter {
        switch self {
        case .all: .everything
        case .only(let patients): patients.isEmpty ? .shared : .any([.owners(patients), .shared])
        }
    }
}
