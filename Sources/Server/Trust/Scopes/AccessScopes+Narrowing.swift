extension AccessScopes {
    /// What is left of the scopes where no more than others may be had: those of a client, of an earlier token, of a
    /// person (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources>).
    ///
    /// Nothing is permitted that one of the two does not permit. What may be had wholly is answered as it was asked for;
    /// the rest is written as version 1 where it was asked so and version 1 has a word for it. What is not known goes.
    public func narrowed(to most: AccessScopes) throws(ScopeError) -> AccessScopes {
        let sensitivity = most.sensitivity
        var result: [AccessScope] = []
        var seen: Set<String> = []
        for scope in scopes {
            let left: [AccessScope] =
                switch scope.kind {
                case .resource(let asked): AccessScopes.narrowed(scope, asked, to: most.resources)
                case .sensitivity(let code):
                    AccessScopes.narrowed(SensitivityCodes.r4.covered(by: code), to: sensitivity)
                case .everySensitivity where sensitivity == .every: [scope]
                case .everySensitivity: AccessScopes.narrowed(SensitivityCodes.r4.all, to: sensitivity)
                case .launch, .launchPatient, .openID, .fhirUser, .profile, .offlineAccess, .onlineAccess:
                    most.contains(scope.kind) ? [scope] : []
                case .confidentiality, .unrecognized: []
                }
            result += left.filter { seen.insert($0.text).inserted }
            // What two lists of narrowed scopes have in common may be much longer than either.
            guard result.count <= AccessScopes.largestCount else { throw .tooMany }
        }
        // A ceiling below the one that is assumed has to be said, also where none was asked for.
        let ceiling = min(confidentiality, most.confidentiality)
        if !result.isEmpty, statedConfidentiality != nil || ceiling < .assumed {
            result.append(.confidentiality(ceiling))
        }
        return try AccessScopes(result)
    }

    private static func narrowed(
        _ scope: AccessScope, _ asked: ResourceScope, to most: [ResourceScope]
    ) -> [AccessScope] {
        // 1. What each permits of it; what differs by the permissions alone is one scope.
        var common: [ResourceScope] = []
        var places: [ResourceScope: Int] = [:]
        for other in most {
            guard let part = asked.intersection(other) else { continue }
            let key = ResourceScope(context: part.context, type: part.type, permissions: .all, query: part.query)
            if let place = places[key] {
                common[place] = ResourceScope(
                    context: part.context, type: part.type,
                    permissions: common[place].permissions.union(part.permissions), query: part.query)
            } else {
                places[key] = common.count
                common.append(part)
            }
        }
        // 2. All of it, then, or without what another part permits already. Two queries together may be longer than one
        //    that is read: what could not be read again is not answered.
        if common.contains(where: { $0.covers(asked) }) { return [scope] }
        return common.enumerated().filter { number, part in
            !common.enumerated().contains { $0.offset != number && $0.element.covers(part) }
        }.map { AccessScope($0.element, asVersionOne: scope.isVersionOne) }.filter { AccessScope($0.text) == $0 }
    }

    private static func narrowed(_ codes: Set<String>, to most: SensitivityAccess) -> [AccessScope] {
        let common = if case .codes(let others) = most { codes.intersection(others) } else { codes }
        return SensitivityCodes.r4.highest(of: common).map(AccessScope.sensitivity)
    }
}
