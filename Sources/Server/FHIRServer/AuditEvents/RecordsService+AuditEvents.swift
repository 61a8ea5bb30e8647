import AccessPolicy
import Audit
import FHIR
import FHIRHTTP
import FHIRSearch
import Storage

extension RecordsService {
    /// The type of the audit in FHIR.
    static let auditEvent = AuditEvent.resourceType

    /// Returns the AuditEvent of a row of the audit. The read is a row of the audit too.
    ///
    /// - Throws: ``RecordsFailure``, also for a row that the grant does not show; ``Storage/StorageError``.
    func auditEvent(id: String, url: String, by grant: AccessGrant) async throws -> AuditEvent {
        let access = try await auditAccess(grant, .read, of: id)
        let number = Int64(id).flatMap { String($0) == id && $0 > 0 ? $0 : nil }
        let participant = access.participant
        let event = try await reading(for: grant) { transaction in
            try number.flatMap { try AuditReader().event(number: $0, about: participant, in: transaction) }
        }
        let decision: RecordDecision = event == nil && participant != nil ? .hidden(.otherPatient) : .permitted
        try await self.access.audit.record(
            decision.decision, by: grant.actor, action: .readRecord,
            target: Target(resourceType: Self.auditEvent, resourceID: id, subject: participant),
            showing: event.map { Self.shown(in: [$0], to: participant) } ?? [])
        guard let event else { throw RecordsFailure.notFound }
        return AuditEvent(event, for: participant, url: url)
    }

    /// Returns a page of AuditEvents, the newest first. The search is a row of the audit too, with the participants that
    /// the page shows.
    ///
    /// - Throws: ``RecordsFailure``; ``Storage/StorageError``.
    func auditEvents(
        _ parameters: [(name: String, value: String)], url: String, by grant: AccessGrant
    ) async throws -> FHIR.Bundle {
        let access = try await auditAccess(grant, .searchType, of: nil)
        let query = try AuditEventQuery(parameters, url: url)
        let participant = access.participant
        var selected = query.rows
        var isEmpty = false
        if let participant {
            isEmpty = selected.participant != nil && selected.participant != participant
            selected.participant = participant
        }
        let (rows, count) = (selected, query.count)
        let page: AuditPage =
            isEmpty
            ? .empty
            : try await reading(for: grant) { try AuditReader().page(rows, count: count, in: $0) }
        try await self.access.audit.record(
            .permitted, by: grant.actor, action: .searchRecords,
            target: Target(resourceType: Self.auditEvent, subject: selected.participant),
            showing: Self.shown(in: page.events, to: participant))
        return bundle(of: page, query, for: participant, url: url)
    }

    private func bundle(
        of page: AuditPage, _ query: AuditEventQuery, for participant: String?, url: String
    ) -> FHIR.Bundle {
        var bundle = FHIR.Bundle(type: .searchset)
        let path = Self.auditEvent
        bundle.link = [link("self", Self.address(url, path: path, parameters: query.used))]
        if let next = page.next {
            let parameters = query.used + [("_count", String(query.count)), ("_cursor", next.cursor)]
            bundle.link.append(link("next", Self.address(url, path: path, parameters: parameters)))
        }
        bundle.entry = page.events.map { event in
            Self.match(
                Resource(AuditEvent(event, for: participant, url: url).object),
                at: "\(url)/\(path)/\(event.entry.number)")
        }
        return bundle
    }

    /// Decides which rows the grant may read, and records a refusal.
    ///
    /// - Throws: ``RecordsFailure`` for a grant that may read none.
    private func auditAccess(
        _ grant: AccessGrant, _ interaction: RecordInteraction, of id: String?
    ) async throws -> AuditAccess {
        let decided = access.audit.policy.decideAudit(grant, interaction, at: clock())
        guard case .refused(let refusal) = decided else { return decided }
        try await access.audit.record(
            decided.decision, by: grant.actor, action: id == nil ? .searchRecords : .readRecord,
            target: Target(resourceType: Self.auditEvent, resourceID: id), showing: [])
        throw refusal == .grantEnded ? RecordsFailure.unauthenticated : .auditNotPermitted
    }

    /// The participants whom the reader sees in rows.
    private static func shown(in events: [AuditedEvent], to reader: String?) -> Set<String> {
        if let reader { return events.isEmpty ? [] : [reader] }
        return Set(events.flatMap { event in event.shown.compactMap(\.id) + [event.subject?.id].compactMap { $0 } })
    }
}

extension AuditAccess {
    /// The only participant about whom rows may be read; nil for all rows.
    fileprivate var participant: String? { if case .participant(let id) = self { id } else { nil } }
}

extension RecordsFailure {
    static let auditNotPermitted = RecordsFailure(
        status: .forbidden, issue: .forbidden, code: "audit-not-permitted",
        message: "Staff read the audit, and participants read what it contains about them. This token does neither.")
}
