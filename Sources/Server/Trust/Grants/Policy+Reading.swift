import Foundation

extension Policy {
    /// Decides whether a grant permits something with records of a type at all: without it not even a search that would
    /// find nothing is answered.
    public func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, at now: Date
    ) -> RecordDecision {
        guard !grant.hasEnded(at: now) else { return .refused(.grantEnded) }
        guard !interaction.isWriting || type != Policy.audit else { return .refused(.auditImmutable) }
        return grant.scopes.resources(of: type, for: interaction.permission).isEmpty
            ? .refused(.insufficientScope) : .permitted
    }

    /// Decides whether a grant shows a record, in its newest version.
    ///
    /// - Parameter interaction: one that reads. For those that write see
    ///   ``decideCreate(_:of:at:)``, ``decideUpdate(_:from:to:at:)``, ``decideDelete(_:of:at:)``.
    public func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, record facts: RecordFacts, at now: Date
    ) -> RecordDecision {
        guard !interaction.isWriting else { return .refused(.insufficientScope) }
        let ofType = decide(grant, interaction, type: facts.type, at: now)
        guard ofType == .permitted else { return ofType }
        return hiding(of: facts, from: grant, interaction.permission).map(RecordDecision.hidden) ?? .permitted
    }

    /// Decides whether a grant shows the record that its person is, or a version of it: that one resource, whatever types the
    /// scopes reach. Its labels count as those of any record.
    ///
    /// - Returns: nil where the record is another one, or the interaction is no read.
    public func decideOwn(
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

    /// Decides whether a grant shows a version of a record: it and the newest must both be seen, so that what was hidden
    /// or given to another patient later cannot be read in its past.
    ///
    /// - Parameter newest: the newest version that has content, where the record was deleted.
    public func decide(
        _ grant: AccessGrant, _ interaction: RecordInteraction, version: RecordFacts, newest: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofVersion = decide(grant, interaction, record: version, at: now)
        guard ofVersion == .permitted else { return ofVersion }
        return decide(grant, interaction, record: newest, at: now) == .permitted ? .permitted : .hidden(.newestVersion)
    }

    /// Why a grant does not show a record; nil where it does.
    func hiding(
        of facts: RecordFacts, from grant: AccessGrant, _ permission: ScopePermissions
    ) -> RecordDecision.Hiding? {
        // 1. The labels, which hold whichever scope is asked.
        guard facts.labels.confidentiality <= grant.confidentiality else { return .confidentiality }
        guard grant.sensitivity.permits(facts.labels.sensitivities) else { return .sensitivity }
        // 2. Whose it is, which depends on the scope: patient/ may reach fewer than user/.
        let reaching = grant.scopes.resources(of: facts.type, for: permission).filter {
            facts.isShared || grant.patients(of: $0.context).ownsAll(of: facts.owners)
        }
        guard !reaching.isEmpty else { return facts.owners.isEmpty ? .noPatient : .otherPatient }
        // 3. What the scope is limited to.
        let isMet = reaching.contains { $0.query.map(facts.matchedQueries.contains) ?? true }
        return isMet ? nil : .scopeQuery
    }

    /// The audit as FHIR has it (<https://hl7.org/fhir/R4/auditevent.html>).
    static let audit = "AuditEvent"
}
