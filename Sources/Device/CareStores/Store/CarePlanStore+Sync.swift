import CarePlans
import Core
import Foundation
import HTTPTransport

/// Synchronisation.
///
/// A sync pulls, then pushes. It can end at any instant: a version is recorded as sent only after the server's answer, and a
/// version that arrives twice is one version.
extension CarePlanStore {
    /// Maximum number of versions of one push.
    static let maximumPushVersions = 500
    /// Maximum bytes of the versions of one push, unless one version is larger.
    static let maximumPushBytes = 4 << 20
    /// Maximum number of pages of one pull.
    static let maximumPages = 100_000
    /// Seconds until the attempt after the first failure, and the maximum of the later delays.
    private static let backoff = ExponentialBackoff(first: 5.0, longest: 3_600)

    /// Synchronises the copy with the server. There is only one sync at a time: a concurrent call awaits the sync in
    /// progress, and a further one if that does not have all changes made before the call.
    ///
    /// Versions that the server refuses for good move to ``quarantine``; the sync continues with the others.
    ///
    /// - Throws: ``CareServerError`` if the server is not reachable or does not accept requests now: ``nextAttempt`` has the
    ///   time of the next automatic attempt; ``CareStoreError`` `sync-deferred`, `care-answer-invalid`; storage errors.
    @discardableResult
    public func sync() async throws -> CareSyncReport {
        let wanted = changeCount
        while let running {
            let report = try await running.value
            if report.changeCount >= wanted { return report }
        }
        // The task belongs to all callers: the cancellation of one does not end it.
        let task = Task { try await performSync() }
        running = task
        return try await task.value
    }

    private func performSync() async throws -> CareSyncReport {
        defer { running = nil }
        if copy.delay.isOfServer, let nextAttempt, now() < nextAttempt { throw CareStoreError(.syncDeferred) }
        do {
            let report = try await exchange()
            if copy.delay != CareSyncDelay() {
                var change = CareCopyRecord()
                change.delay = CareSyncDelay()
                try record(change)
            }
            return report
        } catch let error as CareServerError {
            try recordFailure(error)
            throw error
        }
    }

    /// Records a failure with the time of the next attempt.
    private func recordFailure(_ error: CareServerError) throws {
        var delay = copy.delay
        delay.failures = min(delay.failures + 1, 1_000)
        delay.code = error.code
        let wished = error.retryAfter.map { ServerDelay.clamped($0) } ?? 0
        let seconds = max(Self.backoff.delay(afterFailures: delay.failures), wished)
        delay.nextAttempt = now().timeIntervalSinceReferenceDate + seconds
        delay.isOfServer = wished > 0
        var change = CareCopyRecord()
        change.delay = delay
        try record(change)
    }

    private func exchange() async throws -> CareSyncReport {
        var report = CareSyncReport()
        try await pull(since: nil, &report)
        report.changeCount = changeCount
        if try await push(&report, isRecovery: false) == .referenceMissing {
            // The server lacks versions that it once had, or this copy lacks some. A full pull finds both.
            try await pull(since: KnowledgeVector(), &report)
            report.changeCount = changeCount
            _ = try await push(&report, isRecovery: true)
        }
        // The server may have resolved conflicts of this push with other phones' versions.
        if report.pushed > 0, let server = copy.server, !server.isCovered(by: copy.knowledge) {
            try await pull(since: nil, &report)
        }
        report.unsent = copy.unsent.count + copy.quarantine.count
        report.knowledge = copy.knowledge
        return report
    }

    // MARK: - Pull

    /// Takes all pages. The versions of each page are durable before the next request; the knowledge follows at the end.
    ///
    /// - Parameter knowledge: the knowledge that the pull names; nil for that of the copy.
    private func pull(since knowledge: KnowledgeVector?, _ report: inout CareSyncReport) async throws {
        for _ in 0..<5 {
            let known = knowledge ?? copy.pullKnowledge
            var page: String?
            var received: Set<UUID> = []
            for number in 1... {
                let answer = try await server.pull(since: known, page: page, for: .phone, wait: 0)
                try take(answer, &report, received: &received)
                guard let next = answer.next else {
                    let isFull = known.clocks.values.allSatisfy { $0 == 0 }
                    if try !finish(answer.knowledgeVector, received: received, isFull: isFull) { break }
                    return
                }
                guard next != page, number < Self.maximumPages else { throw CareStoreError(.answerInvalid) }
                page = next
            }
        }
        // The server names the clock of each new process.
        throw CareStoreError(.answerInvalid)
    }

    private func take(_ answer: CareAnswer, _ report: inout CareSyncReport, received: inout Set<UUID>) throws {
        var change = CareCopyRecord()
        for revision in answer.revisions {
            for entity in revision.entities where received.insert(entity.uuid).inserted {
                if copy.unsent.contains(entity.uuid) || copy.quarantine[entity.uuid] != nil {
                    change.sent.append(entity.uuid)
                }
                guard copy.graph.versions[entity.uuid] == nil else { continue }
                change.versions.append(
                    CausalOrder.Stamped(entity: entity, knowledge: revision.knowledgeVector))
                if entity.previous.count > 1 { report.resolved += 1 }
            }
        }
        guard !change.versions.isEmpty || !change.sent.isEmpty else { return }
        try record(change)
        report.pulled += change.versions.count
    }

    /// Records the end of a pull. Returns false if the pull is to be repeated: this copy or the server was restored from a
    /// backup.
    private func finish(_ server: KnowledgeVector, received: Set<UUID>, isFull: Bool) throws -> Bool {
        var change = CareCopyRecord()
        // 1. This copy was restored: it has a new process now, and pulls with its old one at clock 0.
        guard !copy.isRestored(server: server) else {
            change.incomplete = Array(copy.incomplete) + [copy.process]
            change.process = makeUUID()
            try record(change)
            return false
        }
        // 2. The server was restored: it has lost versions, and its clocks can count again. A full pull shows what it has.
        let former = copy.server
        change.server = server
        if let former, !former.isCovered(by: server), !isFull {
            change.incomplete = Array(copy.knowledge.clocks.keys)
            try record(change)
            return false
        }
        // 3. After a full pull, the server lacks exactly the versions that it did not send.
        change.knowledge = server
        change.unsent = copy.uncovered(by: isFull ? KnowledgeVector() : server, except: received)
        if !copy.incomplete.isEmpty { change.incomplete = [] }
        let isNews =
            !server.isCovered(by: copy.knowledge) || server != former || !change.unsent.isEmpty
            || change.incomplete != nil
        if isNews { try record(change) }
        return true
    }

    // MARK: - Push

    enum PushOutcome { case finished, referenceMissing }

    /// Sends the unsent versions in causal order, in several pushes if they are many. The culprits of a refusal are found by
    /// halves, and quarantined with the versions that depend on them.
    private func push(_ report: inout CareSyncReport, isRecovery: Bool) async throws -> PushOutcome {
        try quarantineDependents(of: copy.quarantine.mapValues(\.code))
        guard !copy.unsent.isEmpty else { return .finished }
        guard let entries = try unsentEntries() else { return .finished }
        // 1. The clock is ahead of what the server will know, durably before it can know it.
        let claim = copy.knowledge
        var tick = CareCopyRecord()
        tick.clock = copy.clock + 1
        try record(tick)
        // 2. A push before the last one claims only the knowledge of the versions sent so far.
        var chunks = Self.chunks(of: entries)[...]
        var partial = KnowledgeVector()
        while let chunk = chunks.popFirst() {
            let chunk = chunk.filter { copy.unsent.contains($0.entity.uuid) }
            guard !chunk.isEmpty else { continue }
            for entry in chunk { partial.merge(entry.knowledgeVector) }
            let knowledge = chunks.isEmpty ? claim : partial
            let revisions = Self.revisions(of: chunk)
            do {
                let answer = try await server.push(revisions, knowledge: knowledge)
                var change = CareCopyRecord()
                change.sent = chunk.map(\.entity.uuid)
                change.server = answer
                try record(change)
                report.pushed += chunk.count
            } catch let error as CareServerError {
                switch error.consequence {
                case .retried: throw error
                case .referenceMissing where !isRecovery: return .referenceMissing
                case .allRefused: try quarantine((chunk + chunks.joined()).map(\.entity.uuid), code: error.code)
                case .partRefused, .referenceMissing:
                    if chunk.count == 1 {
                        try quarantine([chunk[0].entity.uuid], code: error.code)
                    } else {
                        let half = chunk.count / 2
                        chunks = [Array(chunk[..<half]), Array(chunk[half...])] + chunks
                    }
                }
            }
        }
        return .finished
    }

    private func quarantine(_ uuids: [UUID], code: String) throws {
        let refused = Dictionary(uuids.map { ($0, code) }, uniquingKeysWith: { first, _ in first })
        var change = CareCopyRecord()
        change.quarantined = uuids.map { QuarantinedVersion(uuid: $0, code: code, cause: nil) }
        change.quarantined += copy.dependents(of: refused)
        try record(change)
    }

    private func quarantineDependents(of refused: [UUID: String]) throws {
        let dependents = copy.dependents(of: refused)
        guard !dependents.isEmpty else { return }
        var change = CareCopyRecord()
        change.quarantined = dependents
        try record(change)
    }

    /// The unsent versions in causal order; nil if they follow themselves: then they are quarantined.
    private func unsentEntries() throws -> [CausalOrder.Entry]? {
        let revisions = copy.unsent.compactMap { uuid -> CareRevision? in
            guard let entity = copy.graph.versions[uuid], let vector = copy.vectors[uuid] else { return nil }
            return CareRevision([entity], knowledgeVector: vector)
        }
        do throws(CarePlanError) {
            return try CausalOrder.sort(revisions)
        } catch {
            try quarantine(Array(copy.unsent), code: error.code)
            return nil
        }
    }

    private static func chunks(of entries: [CausalOrder.Entry]) -> [[CausalOrder.Entry]] {
        var chunks: [[CausalOrder.Entry]] = []
        var bytes = 0
        for entry in entries {
            let size = entry.entity.object.byteCount(upTo: maximumPushBytes) ?? maximumPushBytes
            if let last = chunks.last, last.count < maximumPushVersions, bytes + size <= maximumPushBytes {
                chunks[chunks.count - 1].append(entry)
                bytes += size
            } else {
                chunks.append([entry])
                bytes = size
            }
        }
        return chunks
    }

    /// Groups consecutive versions with the same knowledge.
    private static func revisions(of entries: [CausalOrder.Entry]) -> [CareRevision] {
        var revisions: [CareRevision] = []
        for entry in entries {
            if let last = revisions.indices.last, revisions[last].knowledgeVector == entry.knowledgeVector {
                revisions[last].entities.append(entry.entity)
            } else {
                revisions.append(CareRevision([entry.entity], knowledgeVector: entry.knowledgeVector))
            }
        }
        return revisions
    }
}
