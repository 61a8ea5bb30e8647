import Foundation

extension Policy {
    /// Decides whether a grant permits an interaction with records of a type at all. Without it even an empty search is
    /// refused.
    package func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, at now: Date
    ) -> RecordDecision {
        decide(grant, allOf: [interaction], type: type, at: now)
    }

    /// Decides whether a single part of a grant permits each of several interactions with records of a type.
    package func decide(
        _ grant: AccessGrant, allOf interactions: [RecordInteraction], type: String, at now: Date
    ) -> RecordDecision {
        guard !grant.hasEnded(at: now) else { return .refused(.grantEnded) }
        guard type != Policy.audit || !interactions.contains(where: \.isWriting) else {
            return .refused(.auditImmutable)
        }
        let isPermitted = grant.parts.contains { part in
            part.isInForce(at: now)
                && interactions.allSatisfy { !part.scopes.resources(of: type, for: $0.permission).isEmpty }
        }
        return isPermitted && !interactions.isEmpty ? .permitted : .refused(.insufficientScope)
    }

    /// Decides whether a grant shows the newest version of a record.
    ///
    /// - Parameter interaction: a reading one. For writing ones see ``decideCreate(_:of:at:)``,
    ///   ``decideUpdate(_:from:to:at:)``, ``decideDelete(_:of:at:)``.
    package func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, record facts: RecordFacts, at now: Date
    ) -> RecordDecision {
        guard !interaction.isWriting else { return .refused(.insufficientScope) }
        let ofType = decide(grant, interaction, type: facts.type, at: now)
        guard ofType == .permitted else { return ofType }
        let parts = parts(of: grant, permitting: interaction.permission, type: facts.type, at: now)
        return hiding(of: facts, from: parts, interaction.permission).map(RecordDecision.hidden) ?? .permitted
    }

    /// Decides whether a grant shows its person's own resource, or a version of it, independently of the types of the
    /// scopes. Labels apply as for any record, and so do parts: the one that lets the client know the person must have
    /// the labels.
    ///
    /// - Returns: nil for another record, or for an interaction that is not a read.
    package func decideOwn(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, id: String, facts: [RecordFacts],
        at now: Date
    ) -> RecordDecision? {
        guard interaction == .read || interaction == .versionRead,
            grant.ownResource == OwnResource(type: type, id: id)
        else { return nil }
        guard !grant.hasEnded(at: now) else { return .refused(.grantEnded) }
        var reasons: [RecordDecision.Hiding] = []
        for part in grant.parts where part.mayKnowPerson && part.isInForce(at: now) {
            guard let reason = facts.lazy.compactMap({ labels(of: $0, hiddenFrom: part) }).first else {
                return .permitted
            }
            reasons.append(reason)
        }
        return reasons.furthest.map(RecordDecision.hidden)
    }

    /// Decides whether a grant shows a version of a record. A single part must show both this version and the newest
    /// one, so that a record that was later hidden or moved to another patient cannot be read in its history.
    ///
    /// - Parameter newest: newest version with content, if the record was deleted.
    package func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, version: RecordFacts, newest: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofVersion = decide(grant, interaction, record: version, at: now)
        guard ofVersion == .permitted else { return ofVersion }
        let permission = interaction.permission
        let parts = parts(of: grant, permitting: permission, type: version.type, at: now)
        let isShown = parts.contains { part in
            hiding(of: version, from: part, permission) == nil
                && hiding(of: newest, from: part, permission) == nil
        }
        return isShown ? .permitted : .hidden(.newestVersion)
    }

    /// Returns the parts of a grant that are in force and have a scope for a type with a permission.
    func parts(
        of grant: AccessGrant, permitting permission: ScopePermissions, type: String, at now: Date
    ) -> [AccessPart] {
        grant.parts.filter {
            $0.isInForce(at: now) && !$0.scopes.resources(of: type, for: permission).isEmpty
        }
    }

    /// Returns the reason why no part shows a record: that of the part that came furthest. nil if a part shows it.
    ///
    /// - Parameter parts: parts with a scope for the type; at least one.
    func hiding(
        of facts: RecordFacts, from parts: [AccessPart], _ permission: ScopePermissions
    ) -> RecordDecision.Hiding? {
        var reasons: [RecordDecision.Hiding] = []
        for part in parts {
            guard let reason = hiding(of: facts, from: part, permission) else { return nil }
            reasons.append(reason)
        }
        // Without parts it is hidden too.
        return reasons.furthest ?? (facts.owners.isEmpty ? .noPatient : .otherPatient)
    }

    /// Returns the reason why a part does not show a record; nil if it does.
    func hiding(
        of facts: RecordFacts, from part: AccessPart, _ permission: ScopePermissions
    ) -> RecordDecision.Hiding? {
        // 1. Labels apply to all scopes.
        if let reason = labels(of: facts, hiddenFrom: part) { return reason }
        // 2. The patients depend on the scope: patient/ may cover fewer than user/.
        let reaching = part.scopes.resources(of: facts.type, for: permission).filter {
            facts.isShared || part.patients(of: $0.context).ownsAll(of: facts.owners)
        }
        guard !reaching.isEmpty else { return facts.owners.isEmpty ? .noPatient : .otherPatient }
        // 3. The query of a scope must be met.
        let isMet = reaching.contains { $0.query.map(facts.matchedQueries.contains) ?? true }
        return isMet ? nil : .scopeQuery
    }

    /// Returns the reason why the labels of a record hide it from a part; nil if they do not.
    private func labels(of facts: RecordFacts, hiddenFrom part: AccessPart) -> RecordDecision.Hiding? {
        guard facts.labels.confidentiality <= part.confidentiality else { return .confidentiality }
        return part.sensitivity.permits(facts.labels.sensitivities) ? nil : .sensitivity
    }

    /// Type of the audit in FHIR (<https://hl7.org/fhir/R4/auditevent.html>).
    static let audit = "AuditEvent"
}

extension [RecordDecision.Hiding] {
    /// Reason of the part that came furthest in the order of the checks: labels, patients, query.
    var furthest: RecordDecision.Hiding? { self.max { $0.rank < $1.rank } }
}

extension RecordDecision.Hiding {
    /// Number of the check in the order of the checks.
    fileprivate var rank: Int {
        switch self {
        case .confidentiality: 0
        case .sensitivity: 1
        case .noPatient: 2
        case .otherPatient: 3
        case .scopeQuery: 4
        case .newestVersion: 5
        }
    }
}
