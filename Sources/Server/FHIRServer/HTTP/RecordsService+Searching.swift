import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import FHIRSearch
import RecordStorage
import SearchStatements

extension RecordsService {
    /// Returns a page of a search (<https://hl7.org/fhir/R4/http.html#search>). Records outside of the grant are not
    /// counted, are not on any page, and do not connect other records.
    ///
    /// - Parameter time: the remaining time of a Bundle; nil for a single search.
    /// - Throws: ``RecordsFailure``; ``SearchConditionError``; ``StorageError``.
    func search(
        _ scope: SearchQuery.Scope, parameters: [(name: String, value: String)], strict: Bool, url: String,
        by caller: AuthenticatedCaller, within time: SearchDeadline? = nil
    ) async throws -> BundlePage {
        if let type = scope.type { guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType } }
        let (access, policy, clock, store, grant) = (access, access.audit.policy, clock, store, caller.grant)
        let now = clock()
        let query = try SearchQuery(scope, parameters: parameters, strict: strict, now: now, ownBases: [url])
        let interaction: RecordInteraction = scope.type == nil ? .searchSystem : .searchType
        let decisions = query.parts.map { policy.decide(grant, interaction, type: $0.type, at: now) }
        guard decisions.contains(where: \.isPermitted) else {
            let refusal = decisions.first ?? .refused(.insufficientScope)
            let isKnown = try await access.audit.recorded { transaction in
                guard try caller.grant(access, in: transaction) != nil else { return false }
                try access.audit.record(
                    refusal.decision, by: grant.actor, action: .searchRecords, target: scope.target, in: transaction)
                return true
            }
            throw isKnown && refusal != .refused(.grantEnded) ? RecordsFailure.forbidden : .unauthenticated
        }
        let time = if let time { time } else { try await allowance(for: grant) }
        let search = RecordSearch(
            query: query, searched: policy.filter(grant, interaction, at: now),
            readable: policy.filter(grant, .read, at: now),
            isSearchable: { policy.decide(grant, interaction, type: $0, at: now).isPermitted },
            isReadable: { policy.decide(grant, .read, type: $0, at: now).isPermitted }, ownBases: [url], limits: limits,
            allowance: time.answer)
        let (current, answer): (AccessGrant?, RecordSearch.Answer?) = try await reading(within: time, for: grant) {
            transaction in
            let current = try caller.grant(access, in: transaction)
            // The search may have waited until a part of the grant began or ended.
            let isCurrent = current == grant && grant.isUnchanged(from: now, to: clock())
            return (current, isCurrent ? try search.answer(from: store, in: transaction) : nil)
        }
        guard let current else { throw RecordsFailure.unauthenticated }
        guard let answer else {
            // The grant has changed since the start of the request.
            return try await self.search(
                scope, parameters: parameters, strict: strict, url: url, by: AuthenticatedCaller(current), within: time)
        }
        // No record is returned without an audit row, which names its owners.
        try await access.audit.record(
            RecordDecision.permitted.decision, by: grant.actor, action: .searchRecords, target: scope.target,
            showing: answer.owners)
        return page(answer, of: query, url: url, within: time.answer)
    }

    private func page(
        _ answer: RecordSearch.Answer, of query: SearchQuery, url: String, within allowance: AnswerAllowance
    ) -> BundlePage {
        var bundle = FHIR.Bundle(type: .searchset)
        bundle.total = answer.total
        let path = query.scope.path
        bundle.link = [link("self", Self.address(url, path: path, parameters: query.used))]
        if let next = answer.next {
            var used = query.used.filter { $0.name != "_count" }
            used += [("_count", String(query.count)), ("_cursor", next.text)]
            bundle.link += [link("next", Self.address(url, path: path, parameters: used))]
        }
        // `_elements` applies to matches, not to included records.
        let ofIncluded: ResourceSubset? = if case .elements = query.subset { nil } else { query.subset }
        let entries =
            answer.matches.map { BundlePage.Entry(record: $0.record, kind: .found(.match, query.subset)) }
            + answer.included.map { BundlePage.Entry(record: $0.record, kind: .found(.include, ofIncluded)) }
        return BundlePage(
            head: bundle, entries: entries, url: url, outcome: OperationOutcome(ignored: query.ignored),
            allowance: allowance)
    }
}

extension SearchQuery.Scope {
    /// The only searched type; nil for several.
    package var type: String? {
        switch self {
        case .type(let type), .compartment(_, let type?): type
        case .system, .compartment(_, nil): nil
        }
    }

    /// The path relative to the base URL of the API.
    fileprivate var path: String {
        switch self {
        case .type(let type): type
        case .system: ""
        case .compartment(let compartment, let type): "\(compartment.type)/\(compartment.id)/\(type ?? "*")"
        }
    }

    /// The target for the audit.
    fileprivate var target: Target {
        switch self {
        case .type(let type): Target(resourceType: type)
        case .system: Target()
        case .compartment(let compartment, let type):
            Target(
                resourceType: type ?? compartment.type, resourceID: type == nil ? compartment.id : nil,
                subject: compartment.type == Patient.resourceType ? compartment.id : nil)
        }
    }
}
