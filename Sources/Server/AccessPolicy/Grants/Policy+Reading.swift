import Foundation

extension Policy {
    /// Decides whether a grant permits an interaction with records of a type at all. Without it even an empty search is
    /// refused.
    package func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, at now: Date
    ) -> RecordDecision {
        guard !grant.hasEnded(at: now) else { return .refused(.grantEnded) }
        guard !interaction.isWriting || type != Policy.audit else { return .refused(.auditImmutable) }
        return grant.scopes.resources(of: type, for: interaction.permission).isEmpty
            ? .refused(.insufficientScope) : .permitted
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
        return hiding(of: facts, from: grant, interaction.permission).map(RecordDecision.hidden) ?? .permitted
    }

    /// Decides whether a grant shows its person's own resource, or a version of it, independently of the types of the
    /// scopes. Labels apply as for any record.
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
        for facts in facts {
            guard facts.labels.confidentiality <= grant.confidentiality else { return .hidden(.confidentiality) }
            guard grant.sensitivity.permits(facts.labels.sensitivities) else { return .hidden(.sensitivity) }
        }
        return .permitted
    }

    /// Decides whether a grant shows a version of a record. Both this version and the newest one must be visible, so
    /// that a record that was later hidden or moved to another patient cannot be read in its history.
    ///
    /// - Parameter newest: newest version with content, if the record was deleted.
    package func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, version: RecordFacts, newest: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofVersion = decide(grant, interaction, record: version, at: now)
        guard ofVersion == .permitted else { return ofVersion }
        return decide(grant, interaction, record: newest, at: now) == .permitted ? .permitted : .hidden(.newestVersion)
    }

    /// Returns the reason why a grant does not show a record; nil if it does.
    func hiding(
        of facts: RecordFacts, from grant: AccessGrant, _ permission: ScopePermissions
    ) -> RecordDecision.Hiding? {
        // 1. Labels apply to all scopes.
        guard facts.labels.confidentiality <= grant.confidentiality else { return .confidentiality }
        guard grant.sensitivity.permits(facts.labels.sensitivities) else { return .sensitivity }
        // 2. The patients depend on the scope: patient/ may cover fewer than user/.
        let reaching = grant.scopes.resources(of: facts.type, for: permission).filter {
            facts.isShared || grant.patients(of: $0.context).ownsAll(of: facts.owners)
        }
        guard !reaching.isEmpty else { return facts.owners.isEmpty ? .noPatient : .otherPatient }
        // 3. The query of a scope must be met.
        let isMet = reaching.contains { $0.query.map(facts.matchedQueries.contains) ?? true }
        return isMet ? nil : .scopeQuery
    }

    /// Type of the audit in FHIR (<https://hl7.org/fhir/R4/auditevent.html>).
    static let audit = "AuditEvent"
}
