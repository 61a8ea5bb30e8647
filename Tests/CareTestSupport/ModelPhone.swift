import CareKitStore
import CarePlans
import CareStores
import Core
import Foundation

/// A phone with all versions, as a reference model: exact comparison, new process after the return of an old copy.
public final class ModelPhone: SimulatedPhone, @unchecked Sendable {
    struct Contents: Sendable {
        var process: UUID
        var knowledge: KnowledgeVector
        var versions: [UUID: (entity: CareEntity, vector: KnowledgeVector)] = [:]
        /// The versions that the server has confirmed or sent.
        var confirmed: Set<UUID> = []
    }

    public let name: String
    public let keepsAllVersions = true
    public let traps: [String] = []
    private let server: any CareServer
    private let random: SimulationRandom
    private var contents: Contents
    private var kept: Contents?
    private var isCopy = false

    public init(name: String, server: any CareServer, random: SimulationRandom) {
        self.name = name
        self.server = server
        self.random = random
        let process = random.uuid()
        contents = Contents(process: process, knowledge: KnowledgeVector([process: 1]))
    }

    public func versions() async throws -> Set<UUID> { Set(contents.versions.keys) }
    private var graph: VersionGraph { VersionGraph(contents.versions.values.map(\.entity)) }
    public func shown() async throws -> Set<ShownVersion> { Set(graph.liveTips.map { ShownVersion($0) }) }
    public func endFaults() {}
    public func copy() async throws { kept = contents }
    public func restoreCopy() async throws {
        guard let kept else { return }
        contents = kept
        isCopy = true
    }

    private func add(_ entity: OCKEntity) throws {
        let entity = try CareEntity(entity)
        contents.versions[entity.uuid] = (entity, contents.knowledge)
    }

    public func synchronize() async throws {
        // 1. Pull. A phone that may lack its own versions asks for them.
        var since = contents.knowledge
        if isCopy { since[contents.process] = 0 }
        var answer = try await server.pull(since: since, page: nil, for: .phone, wait: 0)
        var revisions = answer.revisions
        while let page = answer.next {
            answer = try await server.pull(since: since, page: page, for: .phone, wait: 0)
            revisions += answer.revisions
        }
        // 2. An old copy is recognised by its clock, and pulls again as one.
        if !isCopy, contents.knowledge[contents.process] <= answer.knowledgeVector[contents.process] {
            isCopy = true
            return try await synchronize()
        }
        for revision in revisions {
            for entity in revision.entities {
                if contents.versions[entity.uuid] == nil {
                    contents.versions[entity.uuid] = (entity, revision.knowledgeVector)
                }
                contents.confirmed.insert(entity.uuid)
            }
        }
        for revision in revisions { contents.knowledge.merge(revision.knowledgeVector) }
        contents.knowledge.merge(answer.knowledgeVector)
        if isCopy {
            contents.process = random.uuid()
            contents.knowledge[contents.process] = 1
            let knowledge = contents.knowledge
            for uuid in contents.versions.keys where !contents.confirmed.contains(uuid) {
                contents.versions[uuid]?.vector = knowledge
            }
            isCopy = false
        }
        // 3. Push what the server lacks.
        contents.knowledge[contents.process] += 1
        let knowledge = contents.knowledge
        let lacking = contents.versions.values.filter { !$0.vector.isCovered(by: answer.knowledgeVector) }
        contents.knowledge[contents.process] += 1
        let groups = Dictionary(grouping: lacking, by: \.vector)
        let pushed = groups.map { CareRevision($0.value.map(\.entity), knowledgeVector: $0.key) }
            .sorted { ($0.knowledgeVector.sum, $0.first) < ($1.knowledgeVector.sum, $1.first) }
        _ = try await server.push(pushed, knowledge: knowledge)
        contents.confirmed.formUnion(lacking.map(\.entity.uuid))
    }

    public func change(_ use: SimulatedUse) async throws {
        for entity in try SimulatedContent.change(of: graph, use: use, random: random) { try add(entity) }
    }
}

extension CareRevision {
    fileprivate var first: String { entities.map(\.uuid.uuidString).min() ?? "" }
}
