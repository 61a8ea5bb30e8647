extension AccessScopes {
    /// Returns the part of the scopes that others permit as well: those of a client, of an earlier token, of a person
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources>).
    ///
    /// The result permits nothing that one of the two does not permit. A scope that is permitted completely keeps its
    /// text; otherwise the result is in version 1 if the request was and version 1 can express it. Unknown scopes are
    /// removed. A type that either list withholds from `*` stays withheld.
    package func narrowed(to limit: AccessScopes) throws(ScopeError) -> AccessScopes {
        let sensitivity = limit.sensitivity
        var result: [AccessScope] = []
        var seen: Set<String> = []
        for scope in scopes {
            let left: [AccessScope] =
                switch scope.kind {
                case .resource(let asked): narrowed(scope, asked, to: limit)
                case .sensitivity(let code):
                    AccessScopes.narrowed(SensitivityCodes.r4.covered(by: code), to: sensitivity)
                case .everySensitivity where sensitivity == .every: [scope]
                case .everySensitivity: AccessScopes.narrowed(SensitivityCodes.r4.all, to: sensitivity)
                case .launch, .launchPatient, .openID, .fhirUser, .profile, .offlineAccess, .onlineAccess:
                    limit.contains(scope.kind) ? [scope] : []
                case .confidentiality, .unrecognized: []
                }
            result += left.filter { seen.insert($0.text).inserted }
            // The intersection of two lists may be much longer than either.
            guard result.count <= AccessScopes.largestCount else { throw .tooMany }
        }
        // A limit below the default must be explicit, even if none was requested.
        let ceiling = min(confidentiality, limit.confidentiality)
        if !result.isEmpty, statedConfidentiality != nil || ceiling < .assumed {
            result.append(.confidentiality(ceiling))
        }
        return try AccessScopes(result).withholding(withheldTypes.union(limit.withheldTypes))
    }

    private func narrowed(
        _ scope: AccessScope, _ asked: ResourceScope, to limit: AccessScopes
    ) -> [AccessScope] {
        let withheld = withheldTypes.union(limit.withheldTypes)
        // 1. Intersect with each permitted scope; combine parts that differ only in their permissions.
        var common: [ResourceScope] = []
        var indices: [ResourceScope: Int] = [:]
        for other in limit.resources {
            guard let part = asked.intersection(other) else { continue }
            // The type that one of them names may be withheld by the other one.
            if let type = part.type, !reaches(asked, type: type) || !limit.reaches(other, type: type) { continue }
            let key = ResourceScope(context: part.context, type: part.type, permissions: .all, query: part.query)
            if let index = indices[key] {
                common[index] = ResourceScope(
                    context: part.context, type: part.type,
                    permissions: common[index].permissions.union(part.permissions), query: part.query)
            } else {
                indices[key] = common.count
                common.append(part)
            }
        }
        // 2. Return the scope itself if it is completely permitted, otherwise the parts that no other part covers. A
        //    combined query may exceed the limits; a scope that cannot be parsed again is not returned.
        func covers(_ part: ResourceScope, _ other: ResourceScope) -> Bool {
            part.covers(other) && (part.type != nil || !(other.type.map(withheld.contains) ?? false))
        }
        let whole = common.first { $0.covers(asked) }
        // The whole of `*` does not cover the withheld types.
        let rest = common.filter { part in !(whole.map { covers($0, part) } ?? false) }
        return (whole == nil ? [] : [scope])
            + rest.enumerated().filter { number, part in
                !rest.enumerated().contains { $0.offset != number && covers($0.element, part) }
            }.map { AccessScope($0.element, asVersionOne: scope.isVersionOne) }.filter { AccessScope($0.text) == $0 }
    }

    private static func narrowed(_ codes: Set<String>, to limit: SensitivityAccess) -> [AccessScope] {
        let common = if case .codes(let others) = limit { codes.intersection(others) } else { codes }
        return SensitivityCodes.r4.highest(of: common).map(AccessScope.sensitivity)
    }
}
