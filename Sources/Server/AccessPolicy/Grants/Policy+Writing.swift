import Foundation

// The scope and the new content are checked before the present content, so that these refusals do not reveal whether a
// record exists.
extension Policy {
    /// Decides whether a grant may create a record.
    ///
    /// Its labels may exceed those that the grant shows. Labels below those of an unlabelled record count as lowered.
    package func decideCreate(_ grant: AccessGrant, of new: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .create, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        if let refusal = refusal(of: new, by: grant, .create) { return .refused(refusal) }
        return labels(of: new, comparedWith: .none, by: grant)
    }

    /// Decides whether a grant may change a record: the grant must show the present content and cover the present and
    /// the new content.
    ///
    /// Labels may be raised; lowering them requires `conf/V sens/*`.
    package func decideUpdate(
        _ grant: AccessGrant, from present: RecordFacts, to new: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofType = decide(grant, .update, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        if let refusal = refusal(of: new, by: grant, .update) { return .refused(refusal) }
        let ofPresent = decide(grant, changing: present, .update, at: now)
        guard ofPresent == .permitted else { return ofPresent }
        return labels(of: new, comparedWith: present.labels, by: grant)
    }

    /// Decides whether a grant may delete a record: the grant must show and cover it.
    package func decideDelete(_ grant: AccessGrant, of present: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .delete, type: present.type, at: now)
        guard ofType == .permitted else { return ofType }
        return decide(grant, changing: present, .delete, at: now)
    }

    /// Decides about the present content of a record before a change.
    private func decide(
        _ grant: AccessGrant, changing present: RecordFacts, _ permission: ScopePermissions, at now: Date
    ) -> RecordDecision {
        guard let hiding = hiding(of: present, from: grant, permission) else {
            return reaching(present, by: grant, permission).isEmpty ? .refused(.sharedRecord) : .permitted
        }
        // A caller who may read the record gets the reason, an insufficient scope; for others it stays hidden.
        let isSeen = [RecordInteraction.read, .searchType].contains {
            decide(grant, $0, record: present, at: now) == .permitted
        }
        return isSeen ? .refused(.insufficientScope) : .hidden(hiding)
    }

    /// Returns the scopes that permit changing a record. A shared record belongs to all patients, so a grant for some
    /// may not change it.
    private func reaching(
        _ facts: RecordFacts, by grant: AccessGrant, _ permission: ScopePermissions
    ) -> [ResourceScope] {
        grant.scopes.resources(of: facts.type, for: permission).filter {
            grant.patients(of: $0.context).ownsAll(of: facts.owners)
                && ($0.query.map(facts.matchedQueries.contains) ?? true)
        }
    }

    /// Returns the reason why new content may not be written; nil if only its labels remain to be checked.
    private func refusal(
        of new: RecordFacts, by grant: AccessGrant, _ permission: ScopePermissions
    ) -> RecordRefusal? {
        guard reaching(new, by: grant, permission).isEmpty else { return nil }
        let isWithinPatients = grant.scopes.resources(of: new.type, for: permission).contains {
            grant.patients(of: $0.context).ownsAll(of: new.owners)
        }
        if isWithinPatients { return .scopeQueryNotMet }
        return new.isShared ? .sharedRecord : new.owners.isEmpty ? .patientMissing : .otherPatient
    }

    private func labels(
        of new: RecordFacts, comparedWith labels: SecurityLabels, by grant: AccessGrant
    ) -> RecordDecision {
        new.labels.areLower(than: labels) && !grant.mayLowerLabels ? .refused(.labelsLowered) : .permitted
    }
}
