import CarePlans
import CareStores
import Core
import Foundation

/// A server with the rules of the model: a log, checks of references, resolution, exact comparison, pages.
actor ModelCareServer: CareServer {
    private(set) var order: [UUID] = []
    private(set) var versions: [UUID: CareEntity] = [:]
    private(set) var vectors: [UUID: KnowledgeVector] = [:]
    private(set) var knowledge = KnowledgeVector()
    private var own = UUID()
    private(set) var pushes: [[UUID]] = []
    private(set) var pulls: [KnowledgeVector] = []
    /// The number of restores, and that at the last pull of each session.
    private var restores = 0
    private var seen: [UUID: Int] = [:]

    /// Number of versions of a page.
    var pageSize = 3
    /// Errors of the next requests.
    private var failures: [CareServerError] = []
    /// Versions that the server never takes, with the status and code.
    private var refused: [String: CareServerError] = [:]
    private var losesAnswers = false
    private var between: (@Sendable () async throws -> Void)?

    func fail(_ errors: CareServerError...) { failures += errors }
    func refuse(id: String, _ error: CareServerError?) { refused[id] = error }
    func loseAnswers(_ loses: Bool) { losesAnswers = loses }
    func setPageSize(_ size: Int) { pageSize = size }
    func beforePush(_ body: (@Sendable () async throws -> Void)?) { between = body }

    /// Forgets all versions except the first ones, as after the restore of a backup.
    func restore(keeping count: Int) {
        for uuid in order.dropFirst(count) { (versions[uuid], vectors[uuid]) = (nil, nil) }
        order = Array(order.prefix(count))
        knowledge = KnowledgeVector()
        for uuid in order { if let vector = vectors[uuid] { knowledge.merge(vector) } }
        own = UUID()
        restores += 1
    }

    func pull(since known: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int) async throws
        -> CareAnswer
    {
        try await pull(since: known, page: page, session: UUID())
    }

    /// Answers a phone. After a restore, the first answer to each session asks for everything.
    func pull(since known: KnowledgeVector, page: String?, session: UUID) async throws -> CareAnswer {
        if !failures.isEmpty { throw failures.removeFirst() }
        pulls.append(known)
        if seen.updateValue(restores, forKey: session) ?? 0 != restores {
            var zero = KnowledgeVector()
            for process in Set(knowledge.clocks.keys).union(known.clocks.keys) { zero[process] = 0 }
            return CareAnswer(revisions: [], knowledgeVector: zero, next: nil)
        }
        let start = page.flatMap { Int($0) } ?? 0
        var revisions: [CareRevision] = []
        for (index, uuid) in order.enumerated().dropFirst(start) {
            guard let entity = versions[uuid], let vector = vectors[uuid], !vector.isCovered(by: known) else {
                continue
            }
            if revisions.count == pageSize {
                return CareAnswer(revisions: revisions, knowledgeVector: KnowledgeVector(), next: String(index))
            }
            revisions.append(CareRevision([entity], knowledgeVector: vector))
        }
        var answer = knowledge
        for process in known.clocks.keys where answer.clocks[process] == nil { answer[process] = 0 }
        return CareAnswer(revisions: revisions, knowledgeVector: answer, next: nil)
    }

    func push(_ revisions: [CareRevision], knowledge claim: KnowledgeVector) async throws -> KnowledgeVector {
        if let body = between {
            between = nil
            try await body()
        }
        if !failures.isEmpty { throw failures.removeFirst() }
        let entries = try CausalOrder.sort(revisions)
        pushes.append(entries.map(\.entity.uuid))
        // 1. All checks come before the first change.
        var present = Set(order)
        for entry in entries {
            if let error = refused[entry.entity.id] { throw error }
            guard (entry.entity.previous + (entry.entity.event.map { [$0.task] } ?? [])).allSatisfy(present.contains)
            else { throw CareServerError("reference-missing", status: 409) }
            present.insert(entry.entity.uuid)
        }
        // 2. The versions.
        for entry in entries where versions[entry.entity.uuid] == nil {
            var vector = entry.knowledgeVector
            if vector.isCovered(by: knowledge) {
                knowledge[own] += 1
                vector[own] = knowledge[own]
            }
            put(entry.entity, vector)
        }
        knowledge.merge(claim)
        // 3. Conflicts: the tips of one id, then the live outcomes of one event.
        for tips in Dictionary(grouping: tips, by: { $0.kind.rawValue + $0.id }).values where tips.count > 1 {
            resolve(tips)
        }
        let live = tips.filter { $0.kind == .outcome && !$0.isTombstone }
        for tips in Dictionary(grouping: live, by: { $0.event }).values where tips.count > 1 { resolve(tips) }
        if losesAnswers { throw CareServerError("connection-failed") }
        return knowledge
    }

    /// The versions without a follower.
    var tips: [CareEntity] { VersionGraph(versions.values).tips }

    private func put(_ entity: CareEntity, _ vector: KnowledgeVector) {
        order.append(entity.uuid)
        versions[entity.uuid] = entity
        vectors[entity.uuid] = vector
    }

    private func resolve(_ tips: [CareEntity]) {
        guard let resolution = ConflictResolution.resolution(of: tips, uuid: UUID()) else { return }
        knowledge[own] += 1
        put(resolution, knowledge)
    }
}

/// The session of a phone.
struct ModelSession: CareServer {
    let server: ModelCareServer
    let id = UUID()

    func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int) async throws
        -> CareAnswer
    {
        try await server.pull(since: knowledge, page: page, session: id)
    }

    func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
        try await server.push(revisions, knowledge: knowledge)
    }
}
