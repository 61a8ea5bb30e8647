import CarePlans
import CareStores
import Core
import Foundation

/// The server of a simulation: the care plan of one patient.
public protocol SimulatedLog: Sendable {
    /// The care plan for one session: a phone has the same one until it is installed again.
    func server(session: String) -> any CareServer
    /// All versions, with their followers.
    func versions() async throws -> [CareEntity]
    /// Keeps the current state as the backup.
    func backUp() async throws
    /// Goes back to the backup, if there is one.
    func restore() async throws
}

/// A refusal of the reference model, as the server's answer would be.
public struct SimulatedRefusal: CodedError, Hashable {
    public let code: String
    public var message: String { "The model refuses (\(code))." }
    public init(_ code: String) { self.code = code }
}

/// The rules of the server as a reference model in memory: the log, the resolution of conflicts, and the answers for
/// CareKit's store.
public final class ModelLog: SimulatedLog, @unchecked Sendable {
    struct Version: Sendable {
        let entity: CareEntity
        /// The knowledge by which the version is known.
        var vector: KnowledgeVector
        /// The knowledge with which the version came.
        let original: KnowledgeVector
    }

    struct Contents: Sendable {
        var log: [Version] = []
        var graph = VersionGraph()
        var knowledge = KnowledgeVector()
        var process: UUID
        /// Whether the first pull of a session asks for everything, and the sessions that have pulled since.
        var isRestored = false
        var sessions: Set<String> = []
        var knowledgeAfter: [KnowledgeVector] = []
    }

    private let lock = NSLock()
    private let random: SimulationRandom
    private let pageSize: Int
    /// Whether the model resolves conflicts and shapes answers; otherwise it is a server that stores and returns.
    private let resolves: Bool
    private var contents: Contents
    private var backup: Contents?
    private var pages: [String: [CareAnswer]] = [:]

    public init(random: SimulationRandom, pageSize: Int = 7, resolves: Bool = true) {
        self.random = random
        self.pageSize = pageSize
        self.resolves = resolves
        contents = Contents(process: random.uuid())
    }

    public var knowledge: KnowledgeVector { lock.withLock { contents.knowledge } }
    public var count: Int { lock.withLock { contents.log.count } }

    public func versions() -> [CareEntity] { lock.withLock { contents.log.map(\.entity) } }
    public func backUp() { lock.withLock { backup = contents } }

    public func restore() {
        lock.withLock {
            guard var older = backup else { return }
            older.process = random.uuid()
            older.isRestored = true
            older.sessions = []
            older.announceLiveOutcomes()
            contents = older
            pages = [:]
        }
    }

    public func server(session: String) -> any CareServer { Session(log: self, name: session) }

    private struct Session: CareServer {
        let log: ModelLog
        let name: String

        func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int)
            async throws
            -> CareAnswer
        { try log.pull(since: knowledge, page: page, for: caller, session: name) }

        func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
            try log.push(revisions, knowledge: knowledge)
        }
    }

    // MARK: - Pull

    private func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, session: String) throws
        -> CareAnswer
    {
        try lock.withLock {
            if let page {
                guard var rest = pages.removeValue(forKey: page) else { throw SimulatedRefusal("cursor-invalid") }
                return answer(&rest)
            }
            if contents.isRestored, contents.sessions.insert(session).inserted {
                var zero = KnowledgeVector()
                for process in Set(knowledge.clocks.keys).union(contents.knowledge.clocks.keys) { zero[process] = 0 }
                return CareAnswer(revisions: [], knowledgeVector: zero, next: nil)
            }
            var vector = contents.knowledge
            for process in knowledge.clocks.keys where vector.clocks[process] == nil { vector[process] = 0 }
            let lacking = contents.log.filter { !$0.vector.isCovered(by: knowledge) }
            let revisions =
                caller == .careKit && resolves
                ? shaped(lacking, for: knowledge)
                : lacking.map { CareRevision([$0.entity], knowledgeVector: $0.vector) }
            var answers = stride(from: 0, to: max(revisions.count, 1), by: pageSize).map { start in
                CareAnswer(
                    revisions: Array(revisions[start..<min(start + pageSize, revisions.count)]),
                    knowledgeVector: vector, next: nil)
            }
            return answer(&answers)
        }
    }

    /// The first answer, with the name of the others.
    private func answer(_ answers: inout [CareAnswer]) -> CareAnswer {
        var first = answers.removeFirst()
        if !answers.isEmpty {
            let name = random.uuid().uuidString
            first.next = name
            pages[name] = answers
        }
        return first
    }

    /// Of the outcomes of one event the winner alone.
    private func shaped(_ lacking: [Version], for knowledge: KnowledgeVector) -> [CareRevision] {
        var revisions: [CareRevision] = []
        var done: Set<CareEvent.Key> = []
        for version in lacking {
            guard let event = version.entity.event else {
                revisions.append(CareRevision([version.entity], knowledgeVector: version.vector))
                continue
            }
            guard done.insert(event).inserted else { continue }
            let all = contents.log.filter { $0.entity.event == event }
            let had = all.filter { $0.vector.isCovered(by: knowledge) || $0.original.isCovered(by: knowledge) }
            let shown = Set(VersionGraph(had.map(\.entity)).liveTips.map(\.uuid))
            let tips = all.filter { contents.graph.isTip($0.entity.uuid) }
            let live = tips.filter { !$0.entity.isTombstone }
            let unknown = tips.filter { !$0.vector.isCovered(by: knowledge) }
            let winning = ConflictResolution.winner(
                of: (live.isEmpty ? (unknown.isEmpty ? tips : unknown) : live).map(\.entity))
            guard let winner = all.first(where: { $0.entity.uuid == winning?.uuid }) else { continue }
            let others = shown.subtracting([winner.entity.uuid])
            let lacksWinner = !winner.vector.isCovered(by: knowledge)
            guard !others.isEmpty || !live.isEmpty && lacksWinner else { continue }
            var object = winner.entity.object
            object["previousVersionUUIDs"] = .array(others.map(\.uuidString).sorted().map { .string($0) })
            guard let entity = try? CareEntity(kind: .outcome, object: object) else { continue }
            revisions.append(CareRevision([entity], knowledgeVector: winner.vector))
        }
        return revisions
    }

    // MARK: - Push

    private func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) throws -> KnowledgeVector {
        let entries = try CausalOrder.sort(revisions)
        return try lock.withLock {
            var next = contents
            let before = next.knowledge
            var ids: Set<Identity> = []
            var links: [(previous: UUID, version: UUID)] = []
            for entry in entries {
                if let stored = next.graph.versions[entry.entity.uuid] {
                    links += Set(entry.entity.previous).subtracting(stored.previous).map { ($0, stored.uuid) }
                    continue
                }
                let references = entry.entity.previous + (entry.entity.event.map { [$0.task] } ?? [])
                guard references.allSatisfy({ next.graph.versions[$0] != nil }) else {
                    throw SimulatedRefusal("reference-missing")
                }
                var vector = entry.knowledgeVector
                if vector.isCovered(by: before) {
                    next.knowledge[next.process] += 1
                    vector[next.process] = next.knowledge[next.process]
                }
                next.add(entry.entity, vector: vector, original: entry.knowledgeVector)
                ids.insert(Identity(entry.entity))
            }
            next.knowledge.merge(knowledge)
            if resolves {
                next.complete(links, random: random)
                next.resolve(ids, random: random)
            }
            contents = next
            return next.knowledge
        }
    }
}

/// The entity of a version.
struct Identity: Hashable {
    let kind: CareEntityKind
    let id: String
    let event: CareEvent.Key?

    init(_ entity: CareEntity) { (kind, id, event) = (entity.kind, entity.id, entity.event) }

    var order: String { kind.rawValue + id }
}

extension ModelLog.Contents {
    mutating func add(_ entity: CareEntity, vector: KnowledgeVector, original: KnowledgeVector) {
        log.append(ModelLog.Version(entity: entity, vector: vector, original: original))
        graph.insert(entity)
    }

    /// First the tips of each id, then the live outcomes of each event.
    mutating func resolve(_ changed: Set<Identity>, random: SimulationRandom) {
        let sorted = changed.sorted { $0.order < $1.order }
        for identity in sorted {
            let tips = graph.tips.filter { $0.kind == identity.kind && $0.id == identity.id }
            if tips.count > 1 { settle(tips, random: random) }
        }
        for event in sorted.compactMap(\.event) {
            let live = graph.liveTips.filter { $0.event == event }
            if live.count > 1 { settle(live, random: random) }
        }
    }

    /// After a restore the knowledge of a CareKit phone may cover a live outcome that was superseded before the phone
    /// asked, and whose follower is lost. The outcomes count as new for all phones.
    mutating func announceLiveOutcomes() {
        knowledge[process] += 1
        for index in log.indices {
            let entity = log[index].entity
            guard entity.event != nil, !entity.isTombstone, graph.isTip(entity.uuid) else { continue }
            log[index].vector[process] = knowledge[process]
        }
    }

    /// CareKit's stores link a winner to other versions than the log does. After a restore such a link may be the only one
    /// that supersedes a version: another version then follows both.
    mutating func complete(_ links: [(previous: UUID, version: UUID)], random: SimulationRandom) {
        for (previous, version) in links.sorted(by: { $0.previous.uuidString < $1.previous.uuidString }) {
            guard let other = graph.versions[previous], graph.isTip(previous) else { continue }
            var reached: Set<UUID> = []
            var open = [version]
            while let next = open.popLast() {
                guard reached.insert(next).inserted else { continue }
                open += graph.next[next] ?? []
            }
            let tips = reached.filter { graph.isTip($0) && $0 != previous }.compactMap { graph.versions[$0] }
            settle([other] + tips.sorted { $0.uuid.uuidString < $1.uuid.uuidString }, random: random)
        }
    }

    private mutating func settle(_ tips: [CareEntity], random: SimulationRandom) {
        guard let resolution = ConflictResolution.resolution(of: tips, uuid: random.uuid()) else { return }
        knowledge[process] += 1
        add(resolution, vector: knowledge, original: knowledge)
    }
}
