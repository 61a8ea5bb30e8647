import Foundation

extension AccessGrant {
    /// Maximum number of parts, after those that differ only in their patients are joined.
    package static let maximumParts = 2000
    /// Maximum number of different lists of scopes and patients in context among the parts. Each has a condition of its
    /// own in a search.
    package static let maximumForms = 100
    /// Maximum number of patients, counted for each part.
    package static let maximumPatients = 20_000

    /// Creates a grant of several parts. Parts that differ only in their patients become one part, which has the
    /// patients of all of them. Without parts the grant permits nothing.
    ///
    /// - Parameter permissionIDs: ids of the permissions of people that it rests on.
    /// - Throws: ``AccessGrantError``; `patientMissing` if any part for one patient has no patients.
    package init(
        client: String?, person: String? = nil, role: Role, parts: [AccessPart], purpose: String? = nil,
        ownResource: OwnResource? = nil, permissionIDs: Set<String> = []
    ) throws(AccessGrantError) {
        guard !parts.contains(where: { $0.isMissingPatients(for: role) }) else { throw .patientMissing }
        let joined = AccessPart.joined(parts)
        guard joined.count <= AccessGrant.maximumParts,
            joined.allSatisfy({ $0.formNumber < AccessGrant.maximumForms })
        else { throw .tooManyParts }
        let patients = joined.reduce(0) { count, part in
            if case .only(let ids) = part.patients { count + ids.count } else { count }
        }
        guard patients <= AccessGrant.maximumPatients else { throw .tooManyPatients }
        self.init(
            unchecked: client, person: person, role: role, parts: joined, purpose: purpose, ownResource: ownResource,
            permissionIDs: permissionIDs)
    }

    /// Returns the grant with only those parts that are in force at a time.
    package func inForce(at now: Date) -> AccessGrant {
        guard !parts.allSatisfy({ $0.isInForce(at: now) }) else { return self }
        return AccessGrant(
            unchecked: client, person: person, role: role,
            parts: AccessPart.joined(parts.filter { $0.isInForce(at: now) }), purpose: purpose,
            ownResource: ownResource, permissionIDs: permissionIDs)
    }

    /// Returns the patients of all parts that are in force. A part with a patient in context counts with this one.
    ///
    /// No access follows from this set, because the parts count separately. Use ``Policy`` to decide.
    package func patients(at now: Date) -> PatientAccess {
        PatientAccess(
            joining: parts.filter { $0.isInForce(at: now) }.map { part in
                part.patientInContext.map(part.patients.intersection) ?? part.patients
            })
    }

    /// Returns the next instant at which a part begins or ends; nil if none does.
    ///
    /// Before that instant the grant permits the same as at `now`. A result of a decision may be used until then.
    package func nextChange(after now: Date) -> Date? {
        var next: Date?
        for part in parts {
            if let start = part.start, start > now { next = min(next ?? start, start) }
            if let end = part.end, end > now { next = min(next ?? end, end) }
        }
        return next
    }

    /// Whether the grant permits the same at two times, because no part begins or ends in between.
    package func isUnchanged(from start: Date, to end: Date) -> Bool {
        guard start <= end else { return isUnchanged(from: end, to: start) }
        return nextChange(after: start).map { end < $0 } ?? true
    }

    /// Returns the scopes of all parts that are in force, each once: for the `scope` of an answer and for a display.
    ///
    /// No access follows from this list, because the parts count separately. Use ``Policy`` to decide.
    ///
    /// - Throws: ``ScopeError`` if the list would be too long.
    package func listedScopes(at now: Date) throws(ScopeError) -> AccessScopes {
        try AccessScopes(parts.filter { $0.isInForce(at: now) }.flatMap(\.scopes.scopes))
    }

    /// Parses scopes, or returns those of a part with the same text, because parsing takes longer.
    ///
    /// - Throws: ``ScopeError``.
    package func scopes(parsing text: String) throws(ScopeError) -> AccessScopes {
        let known = parts.first { $0.scopes.withheldTypes.isEmpty && $0.scopes.text == text }
        if let known { return known.scopes }
        return try AccessScopes(text)
    }
}
