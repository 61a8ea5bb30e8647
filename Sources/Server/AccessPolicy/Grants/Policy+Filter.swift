import Foundation

extension Policy {
    /// Returns the filter of a grant: it selects exactly the records for which ``decide(_:_:record:at:)`` returns
    /// `permitted`.
    ///
    /// Records to be written are selected with the filter for reading or searching, and then decided one by one: for a
    /// writing interaction the filter selects nothing.
    package func filter(_ grant: AccessGrant, _ interaction: RecordInteraction, at now: Date) -> RecordFilter {
        filter(grant, allOf: [interaction], at: now)
    }

    /// Returns the filter of the records for which a single part of a grant permits each of several interactions.
    package func filter(
        _ grant: AccessGrant, allOf interactions: [RecordInteraction], at now: Date
    ) -> RecordFilter {
        guard !interactions.isEmpty, !interactions.contains(where: \.isWriting) else { return .nothing }
        // 1. The parts in force by their form. Those of one form differ only in patients and times.
        var forms: [Int: [AccessPart]] = [:]
        var order: [Int] = []
        for part in grant.parts where part.isInForce(at: now) {
            if forms[part.formNumber] == nil { order.append(part.formNumber) }
            forms[part.formNumber, default: []].append(part)
        }
        // 2. One condition for each form, in the order of the parts, so that the same grant always gives the same
        //    filter.
        var filters: [RecordFilter] = []
        for number in order {
            let parts = forms[number] ?? []
            let filter = RecordFilter.and(interactions.map { Policy.filter(parts, $0.permission) })
            if !filters.contains(filter) { filters.append(filter) }
        }
        return .or(filters)
    }

    /// Returns the filter of parts with the same scopes and the same patient in context.
    private static func filter(_ parts: [AccessPart], _ permission: ScopePermissions) -> RecordFilter {
        guard let first = parts.first else { return .nothing }
        // 1. The patients of a scope depend on its context.
        let wide = filter(parts.map { $0.patients(of: .user) })
        let narrow = first.patientInContext == nil ? wide : filter(parts.map { $0.patients(of: .patient) })
        // 2. Combine scopes that differ only in the type, in their original order.
        let reaches = first.scopes.resources.filter { $0.permissions.isSuperset(of: permission) }.map {
            Reach(isNarrow: $0.context == .patient && narrow != wide, type: $0.type, query: $0.query)
        }
        let withheld = first.scopes.withheldTypes
        var groups: [ReachGroup: [String?]] = [:]
        var order: [ReachGroup] = []
        for reach in reaches where !reaches.contains(where: { $0.makesNeedless(reach, withheld: withheld) }) {
            let group = ReachGroup(isNarrow: reach.isNarrow, query: reach.query)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(reach.type)
        }
        let records = RecordFilter.or(
            order.map { group in
                .and([
                    filter(types: groups[group] ?? [], withheld: withheld), group.isNarrow ? narrow : wide,
                    group.query.map(RecordFilter.query) ?? .everything,
                ])
            })
        // 3. The limits of labels apply to all of them.
        var all = [records]
        if first.confidentiality < .veryRestricted { all.append(.confidentiality(upTo: first.confidentiality)) }
        if case .codes(let codes) = first.sensitivity { all.append(.sensitivities(among: codes)) }
        return .and(all)
    }

    /// Returns the filter for the types of scopes; nil means all types except the withheld ones.
    private static func filter(types: [String?], withheld: Set<String>) -> RecordFilter {
        let named = Set(types.compactMap(\.self))
        guard types.contains(nil) else { return .type(named) }
        let missing = withheld.subtracting(named)
        return missing.isEmpty ? .everything : .typeOutside(missing)
    }

    /// Returns the filter for the records of one of several groups of patients, and shared records.
    private static func filter(_ patients: [PatientAccess]) -> RecordFilter {
        if patients.contains(.all) { return .everything }
        var owned: [Set<String>] = []
        for case .only(let ids) in patients where !ids.isEmpty { owned.append(ids) }
        guard let first = owned.first else { return .shared }
        // The hash of a large set is expensive.
        let groups = owned.count == 1 ? nil : Set(owned)
        guard let groups, groups.count > 1 else { return .any([.owners(first), .shared]) }
        return .any([.ownersOfOne(groups), .shared])
    }

    /// Records of one scope.
    private struct Reach {
        /// Whether its patients are only those of `patient/`.
        let isNarrow: Bool
        let type: String?
        let query: ScopeQuery?

        /// Whether this scope, which has no query, covers the other one, which has a query.
        func makesNeedless(_ other: Reach, withheld: Set<String>) -> Bool {
            guard query == nil, other.query != nil, isNarrow == other.isNarrow else { return false }
            return type == other.type || (type == nil && !(other.type.map(withheld.contains) ?? false))
        }
    }

    /// Common properties of scopes that differ only in the type.
    private struct ReachGroup: Hashable {
        let isNarrow: Bool
        let query: ScopeQuery?
    }
}
