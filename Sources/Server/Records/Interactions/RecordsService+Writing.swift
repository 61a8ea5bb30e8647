import Core
import FHIR
import Foundation
import Trust

extension RecordsService {
    /// So often is a request looked at anew that others came before.
    private static let attempts = 4

    /// Does what writes: create, update, patch, delete (<https://hl7.org/fhir/R4/http.html>).
    ///
    /// - Throws: ``RecordsFailure``; then nothing is written.
    func write(
        _ request: WriteRequest, by grant: AccessGrant, within time: SearchTime? = nil
    ) async throws -> WriteOutcome {
        let outcomes = try await write([request], by: grant, within: time)
        guard let outcome = outcomes.first else { throw RecordsFailure.unavailable }
        return outcome
    }

    /// Does several, all of them or none (<https://hl7.org/fhir/R4/http.html#transaction>).
    ///
    /// - Parameter time: what a Bundle has left to look for what is meant; nil where there is no other entry.
    /// - Returns: what became of each, in the order of the requests.
    func write(
        _ requests: [WriteRequest], by grant: AccessGrant, within time: SearchTime? = nil
    ) async throws -> [WriteOutcome] {
        let time = time ?? SearchTime(limits)
        do {
            // What devices write goes sealed through the queue.
            guard grant.role != .device else {
                throw WriteRefusal(.refused(.insufficientScope), Target(resourceType: requests.first?.type))
            }
            for _ in 0..<Self.attempts {
                do { return try await attempt(requests, by: grant, within: time) } catch is OutdatedPlan { continue }
            }
            throw WriteRefusal(.overtaken, Target(resourceType: requests.first?.type))
        } catch let refusal as WriteRefusal {
            try await access.record(refusal.decision, grant.actor, .writeRecord, refusal.target, showing: [])
            guard let place = refusal.place else { throw refusal.failure }
            throw refusal.failure.of(entry: place)
        }
    }

    private func attempt(
        _ requests: [WriteRequest], by grant: AccessGrant, within time: SearchTime
    ) async throws -> [WriteOutcome] {
        let now = clock()
        let planner = WritePlanner(
            grant: grant, policy: access.policy, now: now, matching: matching, newID: newID,
            publishedTypes: publishedTypes)
        // 1. Which resources are meant.
        let (plans, targets) = try await reading(within: time) { transaction in
            let plans = try requests.enumerated().map { place, request in
                try Self.placed(place, of: requests.count) { try planner.plan(request, in: transaction) }
            }
            let targets = try BundleReferences.targets(of: plans, planner, in: transaction)
            return (plans, targets)
        }
        try BundleReferences.requireDistinct(plans)
        // 2. What will be stored of them: without a transaction, for it takes its time.
        let session = await admission?.begin(at: now)
        let ready = try await prepared(plans, targets, session, by: grant)
        // 3. All of it, or nothing.
        let execution = WriteExecution(
            planner: planner, access: access, admission: session,
            provenance: RecordProvenance(
                submissionID: RecordProvenance.interfacePrefix + newID().lowercaseText,
                clientID: grant.actor.id, keyID: nil,
                receivedAt: now), time: time)
        defer { executor.release((plans, ready)) }
        return try await database.write { try execution.perform(ready, in: $0) }
    }

    /// What will be stored of planned writes, in their order; of many, parts side by side.
    ///
    /// - Throws: ``WriteRefusal`` of the first that may not be.
    private func prepared(
        _ plans: [PlannedWrite], _ targets: [String: String], _ session: (any WriteAdmission)?, by grant: AccessGrant
    ) async throws -> [WriteExecution.Ready] {
        let length = max(Self.leastPart, (plans.count + Self.parts - 1) / Self.parts)
        let starts = Array(stride(from: 0, to: plans.count, by: length))
        let ownBases = ownBases
        @Sendable func part(from start: Int) -> Result<[WriteExecution.Ready], any Error> {
            Result {
                // Nothing is like what comes alone.
                var kinds: ObservationKinds<(any AdmissionPattern)?>? = plans.count > 1 ? ObservationKinds() : nil
                return try (start..<min(start + length, plans.count)).map { place in
                    try Self.placed(place, of: plans.count) {
                        try Self.prepared(plans[place], targets, session, by: grant, at: ownBases, &kinds)
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

    /// So many parts of a request are prepared side by side, each of so many writes at least.
    private static let parts = 2
    private static let leastPart = 8

    private static func prepared(
        _ plan: PlannedWrite, _ targets: [String: String], _ session: (any WriteAdmission)?, by grant: AccessGrant,
        at ownBases: [String], _ kinds: inout ObservationKinds<(any AdmissionPattern)?>?
    ) throws -> WriteExecution.Ready {
        guard !plan.isSettled, let resource = plan.resource else {
            return WriteExecution.Ready(plan, nil, asking: [])
        }
        let linked = targets.isEmpty ? resource : BundleReferences.rewritten(resource, targets)
        let queries = grant.queries(of: plan.request.type)
        let mayBeAlike = kinds != nil && linked.resourceType == Observation.resourceType
        let content = mayBeAlike ? linked.json.data() : nil
        // 1. An Observation that is like one before it.
        if let content, let (values, kind) = kinds?.find(linked, content),
            let record = kind.record(values, content: content)
        {
            let prepared = kind.learned?.prepared(values)
            if session == nil || prepared != nil {
                return WriteExecution.Ready(
                    plan, AdmittedResource(linked, prepared: prepared), record: record, at: ownBases,
                    asking: queries)
            }
        }
        // 2. What has to be looked into.
        do throws(RecordAdmissionError) {
            let admitted = try session?.admit(linked, id: plan.id) ?? AdmittedResource(linked)
            let ready = WriteExecution.Ready(plan, admitted, at: ownBases, asking: queries)
            if let content, let record = ready.record, record.content == content {
                kinds?.learn(linked, record) {
                    guard let session else { return .some(nil) }
                    return session.pattern(of: admitted).map { .some($0) }
                }
            }
            return ready
        } catch {
            throw WriteRefusal(RecordsFailure(error), plan.target)
        }
    }

    private static func placed<T>(_ place: Int, of count: Int, _ body: () throws -> T) throws -> T {
        do { return try body() } catch var refusal as WriteRefusal {
            if count > 1 { refusal.place = place }
            throw refusal
        }
    }
}
