import Foundation

// What is refused before it is known whether a record exists is refused alike whether it does: the scope and the new
// content are judged before the present content is.
extension Policy {
    /// Decides whether a grant may create a record.
    ///
    /// Its labels may be as high as the writer likes, also beyond what the grant shows; lower than those of a record
    /// without labels they are lowered ones.
    public func decideCreate(_ grant: AccessGrant, of new: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .create, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        if let refusal = refusal(of: new, by: grant, .create) { return .refused(refusal) }
        return labels(of: new, comparedWith: .none, by: grant)
    }

    /// Decides whether a grant may change a record: from what is seen and within reach to what is within reach.
    ///
    /// Labels may be raised; to lower them takes `conf/V sens/*`.
    public func decideUpdate(
        _ grant: AccessGrant, from present: RecordFacts, to new: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofType = decide(grant, .update, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        if let refusal = refusal(of: new, by: grant, .update) { return .refused(refusal) }
        let ofPresent = decide(grant, changing: present, .update, at: now)
        guard ofPresent == .permitted else { return ofPresent }
        return labels(of: new, comparedWith: present.labels, by: grant)
    }

    /// Decides whether a grant may delete a record: one that is seen and within reach.
    public func decideDelete(_ grant: AccessGrant, of present: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .delete, type: present.type, at: now)
        guard ofType == .permitted else { return ofType }
        return decide(grant, changing: present, .delete, at: now)
    }

    /// Decides about the present content of a record that is to be changed.
    private func decide(
        _ grant: AccessGrant, changing present: RecordFacts, _ permission: ScopePermissions, at now: Date
    ) -> RecordDecision {
        guard let hiding = hiding(of: present, from: grant, permission) else {
            return reaching(present, by: grant, permission).isEmpty ? .refused(.sharedRecord) : .permitted
        }
        // Whoever may read the record knows of it, and is told that the scope is short.
        let isSeen = [RecordInteraction.read, .searchType].contains {
            decide(grant, $0, record: present, at: now) == .permitted
        }
        return isSeen ? .refused(.insufficientScope) : .hidden(hiding)
    }

    /// The scopes by which a record may be changed: what is shared belongs to all, and is not one patient's to change.
    private func reaching(
        _ facts: RecordFacts, by grant: AccessGrant, _ permission: ScopePermissions
    ) -> [ResourceScope] {
        grant.scopes.resources(of: facts.type, for: permission).filter {
            grant.patients(of: $0.context).ownsAll(of: facts.owners)
                && ($0.query.map(facts.matchedQueries.contains) ?? true)
        }
    }

    /// Why a record may not be written as it would be; nil where its labels alone are left to judge.
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
