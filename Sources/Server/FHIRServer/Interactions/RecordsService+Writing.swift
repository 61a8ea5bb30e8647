import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import Foundation
import ObservationTemplates
import RecordStorage
import SearchStatements

extension RecordsService {
    /// Maximum number of lookups of one request: one, and another after each conflict with another writer.
    private static let attempts = 5

    /// Performs a write: create, update, patch or delete (<https://hl7.org/fhir/R4/http.html>).
    ///
    /// - Throws: ``RecordsFailure``; then nothing is written.
    func write(
        _ request: WriteRequest, by grant: AccessGrant, url: String? = nil, within shared: RequestAllowance? = nil
    ) async throws -> WriteOutcome {
        let outcomes = try await write([request], by: grant, url: url, within: shared)
        guard let outcome = outcomes.first else { throw RecordsFailure.unavailable }
        return outcome
    }

    /// Performs several writes, all of them or none (<https://hl7.org/fhir/R4/http.html#transaction>).
    ///
    /// - Parameters:
    ///   - url: the base URL of this server as the client reaches it; nil where it is unknown.
    ///   - shared: the limits that the entries of a Bundle share; nil for a single request.
    /// - Returns: the outcomes, in the order of the requests.
    func write(
        _ requests: [WriteRequest], by grant: AccessGrant, url: String? = nil, within shared: RequestAllowance? = nil,
        checking check: ([PlannedWrite]) async throws -> Void = { _ in }
    ) async throws -> [WriteOutcome] {
        let allowance = shared ?? RequestAllowance(SearchDeadline(limits), maximumBytes: maximumBytes)
        do {
            // Devices write sealed submissions through the queue.
            guard grant.role != .device else {
                throw WriteRefusal(.refused(.insufficientScope), Target(resourceType: requests.first?.type))
            }
            guard hasRoom() else { throw RecordsFailure.storageFull }
            for _ in 0..<Self.attempts {
                do {
                    return try await attempt(requests, by: grant, url: url, within: allowance, checking: check)
                } catch is OutdatedPlan { continue }
            }
            throw WriteRefusal(.overtaken, Target(resourceType: requests.first?.type))
        } catch let refusal as WriteRefusal {
            try await access.audit.record(
                refusal.decision, by: grant.actor, action: .writeRecord, target: refusal.target, showing: [])
            let request = refusal.index.map { requests[$0] } ?? (requests.count == 1 ? requests.first : nil)
            guard let entry = request?.entry ?? refusal.index else { throw refusal.failure }
            throw refusal.failure.of(entry: entry)
        }
    }

    private func attempt(
        _ requests: [WriteRequest], by grant: AccessGrant, url: String?, within allowance: RequestAllowance,
        checking check: ([PlannedWrite]) async throws -> Void
    ) async throws -> [WriteOutcome] {
        let now = clock()
        let planner = WritePlanner(
            grant: grant, policy: access.audit.policy, now: now, matching: matching, newID: newID,
            published: published, ownBase: url)
        // 1. Find the resources and what to store, without the lock of the writer.
        let lookup = try await lookup(requests, planner, within: allowance)
        try await check(lookup.plans)
        // 2. Prepare the records, without a transaction, because it takes time.
        let session = await admission?.begin(at: now)
        let ready = try await prepared(lookup.plans, session, by: grant)
        // 3. Write all of them, or none.
        let execution = WriteExecution(
            planner: planner, access: access, admission: session,
            provenance: RecordProvenance(
                submissionID: RecordProvenance.interfacePrefix + newID().lowercaseText,
                clientID: grant.actor.id, keyID: nil,
                receivedAt: now), lookup: lookup)
        defer { executor.release((lookup, ready)) }
        let (quota, clock) = (quota, clock)
        return try await database.write { transaction in
            // A part of the grant may have begun or ended since the plan.
            guard grant.isUnchanged(from: now, to: clock()) else { throw OutdatedPlan() }
            try quota.count(ready, by: grant, at: now, in: transaction)
            return try execution.perform(ready, in: transaction)
        }
    }

    /// Finds the resources of the requests, applies patches and replaces links, in R4's order: deletions first,
    /// conditional references last (<https://hl7.org/fhir/R4/http.html#trules>).
    private func lookup(
        _ requests: [WriteRequest], _ planner: WritePlanner, within allowance: RequestAllowance
    ) async throws -> WriteLookup {
        // 1. The stored resources.
        // The resources that a transaction replaces have the same maximum size as a response.
        let maximumPresentBytes = answerBytes
        let limits = lookupLimits
        var lookup = try await reading(within: allowance.time, for: planner.grant) { transaction in
            let changes = try RecordTypeChanges(in: transaction)
            let begun = ContinuousClock.now
            let plans = try planner.plan(requests, maximumPresentBytes: maximumPresentBytes, in: transaction)
            return WriteLookup(plans: plans, changes: changes, duration: begun.duration(to: .now), limits: limits)
        }
        // 2. Patches and links between entries.
        for index in lookup.plans.indices {
            try WriteRefusal.withIndex(index, of: requests.count) {
                try lookup.plans[index].applyPatch(within: allowance.writes)
                if lookup.plans[index].isChanged, lookup.plans[index].resource.map(published.defines) ?? false {
                    throw WriteRefusal(.typePublished, lookup.plans[index].target)
                }
            }
        }
        guard requests.contains(where: \.isOfBundle) else {
            try Self.requireSize(of: lookup.plans, within: allowance.writes)
            return lookup
        }
        var links = try BundleLinks(lookup.plans, ownBase: planner.ownBase ?? "")
        Self.replaceLinks(in: &lookup.plans, links)
        var overlap = TransactionOverlap(lookup.plans, planner)
        try overlap.requireDistinct()
        // 3. References that are searches, of the state after all entries.
        let searches = try BundleSearches(in: lookup.plans, links: links, planner: planner)
        if !searches.isEmpty {
            let (fixed, plans) = (overlap, lookup.plans)
            let (found, duration) = try await reading(within: allowance.time, for: planner.grant) { transaction in
                let begun = ContinuousClock.now
                let found = try searches.lookup(plans, overlap: fixed, planner: planner, in: transaction)
                return (found, begun.duration(to: .now))
            }
            lookup.references = found.map(\.reference)
            lookup.duration += duration
            for (text, address) in found.map({ ($0.text, $0.address) }) { links.setTarget(address, of: text) }
            Self.replaceLinks(in: &lookup.plans, links)
        }
        try Self.requireSize(of: lookup.plans, within: allowance.writes)
        return lookup
    }

    private static func replaceLinks(in plans: inout [PlannedWrite], _ links: BundleLinks) {
        guard !links.isEmpty else { return }
        for index in plans.indices where !plans[index].isSettled {
            guard let resource = plans[index].resource else { continue }
            let base = BundleLinks.base(ofFullURL: plans[index].request.fullURL)
            guard let new = BundleReferences(links: links, base: base).rewritten(resource) else { continue }
            plans[index].resource = new
            plans[index].isChanged = true
        }
    }

    /// Checks the sizes of resources that differ from the request.
    private static func requireSize(of plans: [PlannedWrite], within allowance: WriteAllowance) throws {
        for (index, plan) in plans.enumerated() where plan.isChanged {
            guard let resource = plan.resource else { continue }
            try WriteRefusal.withIndex(index, of: plans.count) {
                do throws(RecordsFailure) { try allowance.take(resource) } catch {
                    throw WriteRefusal(error, plan.target)
                }
            }
        }
    }

    /// Prepares the records of planned writes, in their order. Parts of many writes are prepared concurrently.
    ///
    /// - Throws: ``WriteRefusal`` of the first write that is refused.
    private func prepared(
        _ plans: [PlannedWrite], _ session: (any WriteAdmission)?, by grant: AccessGrant
    ) async throws -> [WriteExecution.Ready] {
        let length = max(Self.leastPart, (plans.count + Self.parts - 1) / Self.parts)
        let starts = Array(stride(from: 0, to: plans.count, by: length))
        let (ownBases, maximumBytes) = (ownBases, maximumBytes)
        @Sendable func part(from start: Int) -> Result<[WriteExecution.Ready], any Error> {
            Result {
                // A single write needs no templates.
                var templates: ObservationTemplates<(any AdmissionTemplate)?>? =
                    plans.count > 1 ? ObservationTemplates() : nil
                return try (start..<min(start + length, plans.count)).map { index in
                    try WriteRefusal.withIndex(index, of: plans.count) {
                        try Self.prepared(
                            plans[index], maximumBytes: maximumBytes, session: session, by: grant, at: ownBases,
                            templates: &templates)
                    }
                }
            }
        }
        guard starts.count > 1 else { return try starts.first.map { try part(from: $0).get() } ?? [] }
        let parts = await withTaskGroup(of: (Int, Result<[WriteExecution.Ready], any Error>).self) { group in
            for start in starts { group.addTask { (start, part(from: start)) } }
            var parts: [Int: Result<[WriteExecution.Ready], any Error>] = [:]
            for await (start, made) in group { parts[start] = made }
            return parts
        }
        return try starts.flatMap { try parts[$0]?.get() ?? [] }
    }

    /// Maximum number of parts that are prepared concurrently, and minimum number of writes in a part.
    private static let parts = 2
    private static let leastPart = 8

    private static func prepared(
        _ plan: PlannedWrite, maximumBytes: Int, session: (any WriteAdmission)?, by grant: AccessGrant,
        at ownBases: [String], templates: inout ObservationTemplates<(any AdmissionTemplate)?>?
    ) throws -> WriteExecution.Ready {
        guard !plan.isSettled, let linked = plan.resource else {
            return WriteExecution.Ready(plan, nil, asking: [])
        }
        let queries = grant.queries(of: plan.request.type)
        let mayBeAlike = templates != nil && linked.resourceType == Observation.resourceType
        let content = mayBeAlike ? linked.json.data() : nil
        // 1. An Observation that matches an earlier one's template.
        if let content, let (values, template) = templates?.find(linked, content),
            let record = template.record(values, content: content)
        {
            let prepared = template.callerData?.prepared(values)
            if session == nil || prepared != nil {
                return WriteExecution.Ready(
                    plan, AdmittedResource(linked, prepared: prepared), record: record, at: ownBases,
                    asking: queries)
            }
        }
        // 2. A resource that must be validated.
        let admitted: AdmittedResource
        do throws(RecordAdmissionError) {
            admitted = try session?.admit(linked, id: plan.id) ?? AdmittedResource(linked)
        } catch {
            throw WriteRefusal(RecordsFailure(error), plan.target)
        }
        let ready = WriteExecution.Ready(plan, admitted, at: ownBases, asking: queries)
        guard ready.record?.content.count ?? 0 <= maximumBytes + Self.serverBytes else {
            throw WriteRefusal(.resourceTooLarge, plan.target)
        }
        if let content, let record = ready.record, record.content == content {
            templates?.add(linked, record: record) {
                guard let session else { return .some(nil) }
                return session.template(of: admitted).map { .some($0) }
            }
        }
        return ready
    }

    /// The maximum number of bytes that the server adds to a resource: its id.
    private static let serverBytes = 100
}
