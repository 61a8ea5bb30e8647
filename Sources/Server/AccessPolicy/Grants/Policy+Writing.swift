import Foundation

// The scope and the new content are checked before the present content, so that these refusals do not reveal whether a
// record exists. A single part must permit the whole write: the present content, the new content and its labels.
extension Policy {
    /// Decides whether a grant may create a record.
    ///
    /// Its labels may exceed those that the grant shows. Labels below those of an unlabelled record count as lowered.
    package func decideCreate(_ grant: AccessGrant, of new: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .create, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        let (covering, refusal) = covering(new, by: grant, .create, at: now)
        if let refusal { return .refused(refusal) }
        return labels(of: new, comparedWith: .none, by: covering)
    }

    /// Decides whether a grant may change a record: a single part must show the present content, and cover the present
    /// and the new content.
    ///
    /// Labels may be raised; lowering them requires that this part has `conf/V sens/*`.
    package func decideUpdate(
        _ grant: AccessGrant, from present: RecordFacts, to new: RecordFacts, at now: Date
    ) -> RecordDecision {
        let ofType = decide(grant, .update, type: new.type, at: now)
        guard ofType == .permitted else { return ofType }
        let (ofNew, refusal) = covering(new, by: grant, .update, at: now)
        if let refusal { return .refused(refusal) }
        let (covering, decision) = covering(present, changedBy: ofNew, of: grant, .update, at: now)
        guard decision == .permitted else { return decision }
        return labels(of: new, comparedWith: present.labels, by: covering)
    }

    /// Decides whether a grant may delete a record: a single part must show and cover it.
    package func decideDelete(_ grant: AccessGrant, of present: RecordFacts, at now: Date) -> RecordDecision {
        let ofType = decide(grant, .delete, type: present.type, at: now)
        guard ofType == .permitted else { return ofType }
        let parts = parts(of: grant, permitting: .delete, type: present.type, at: now)
        return covering(present, changedBy: parts, of: grant, .delete, at: now).decision
    }

    /// Decides about the present content of a record before a change, and returns the parts that permit it.
    ///
    /// - Parameter parts: the parts that permit all else of the change.
    private func covering(
        _ present: RecordFacts, changedBy parts: [AccessPart], of grant: AccessGrant, _ permission: ScopePermissions,
        at now: Date
    ) -> (parts: [AccessPart], decision: RecordDecision) {
        let showing = parts.filter { hiding(of: present, from: $0, permission) == nil }
        let covering = showing.filter { !reaching(present, by: $0, permission).isEmpty }
        guard covering.isEmpty else { return (covering, .permitted) }
        guard showing.isEmpty else { return ([], .refused(.sharedRecord)) }
        // A caller who may read or change the record gets the reason, an insufficient scope; for others it stays hidden.
        let isChanged = self.parts(of: grant, permitting: permission, type: present.type, at: now).contains {
            hiding(of: present, from: $0, permission) == nil
        }
        let isSeen =
            isChanged
            || [RecordInteraction.read, .searchType].contains {
                decide(grant, $0, record: present, at: now) == .permitted
            }
        let reason = hiding(of: present, from: parts, permission) ?? .otherPatient
        return ([], isSeen ? .refused(.insufficientScope) : .hidden(reason))
    }

    /// Returns the scopes of a part that permit changing a record. A shared record belongs to all patients, so a part
    /// for some may not change it.
    private func reaching(
        _ facts: RecordFacts, by part: AccessPart, _ permission: ScopePermissions
    ) -> [ResourceScope] {
        part.scopes.resources(of: facts.type, for: permission).filter {
            part.patients(of: $0.context).ownsAll(of: facts.owners)
                && ($0.query.map(facts.matchedQueries.contains) ?? true)
        }
    }

    /// Returns the parts that cover new content, of which only the labels remain to be checked; or the reason why it
    /// may not be written, that of the part that came furthest.
    private func covering(
        _ new: RecordFacts, by grant: AccessGrant, _ permission: ScopePermissions, at now: Date
    ) -> (parts: [AccessPart], refusal: RecordRefusal?) {
        let parts = parts(of: grant, permitting: permission, type: new.type, at: now)
        let covering = parts.filter { !reaching(new, by: $0, permission).isEmpty }
        guard covering.isEmpty else { return (covering, nil) }
        let isWithinPatients = parts.contains { part in
            part.scopes.resources(of: new.type, for: permission).contains {
                part.patients(of: $0.context).ownsAll(of: new.owners)
            }
        }
        if isWithinPatients { return ([], .scopeQueryNotMet) }
        return ([], new.isShared ? .sharedRecord : new.owners.isEmpty ? .patientMissing : .otherPatient)
    }

    /// Decides about new labels by the parts that permit all else of the write.
    private func labels(
        of new: RecordFacts, comparedWith labels: SecurityLabels, by parts: [AccessPart]
    ) -> RecordDecision {
        new.labels.areLower(than: labels) && !parts.contains(where: \.mayLowerLabels)
            ? .refused(.labelsLowered) : .permitted
    }
}
