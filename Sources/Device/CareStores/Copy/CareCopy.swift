import CarePlans
import Core
import Foundation

/// The state of a copy of a care plan: the sum of the records of its file.
struct CareCopy: Sendable {
    /// The patient; nil before the first record.
    private(set) var patient: String?
    /// The process of this copy.
    private(set) var process: UUID
    /// The knowledge of the copy. Its own clock is that of the next version that it makes.
    ///
    /// Only the server's vector at the end of a pull extends it, not the vectors of single versions: while another phone
    /// sends its versions in several pushes, a vector can cover versions that have not arrived.
    private(set) var knowledge: KnowledgeVector
    /// The plan that the versions make.
    private(set) var contents = CarePlanContents()
    /// The knowledge of each version.
    private(set) var vectors: [UUID: KnowledgeVector] = [:]
    /// The versions that are to be sent. They are recorded one by one, because a vector of the server can cover a version
    /// that it does not have: a restored copy, or the first of several pushes.
    private(set) var unsent: Set<UUID> = []
    /// The versions that the server refused for good.
    private(set) var quarantine: [UUID: QuarantinedVersion] = [:]
    /// The knowledge of the server at the last contact; nil before the first.
    private(set) var server: KnowledgeVector?
    /// Former processes of this device whose versions may be missing.
    private(set) var incomplete: Set<UUID> = []
    /// When the next attempt is due.
    private(set) var delay = CareSyncDelay()

    init(process: UUID) {
        self.process = process
        knowledge = KnowledgeVector([process: 1])
    }

    /// The versions.
    var graph: VersionGraph { contents.graph }

    /// The clock of the next version that this copy makes.
    var clock: Int { knowledge[process] }

    /// The knowledge that a pull names: a former process has clock 0, so that the server sends all its versions.
    var pullKnowledge: KnowledgeVector {
        var knowledge = knowledge
        for process in incomplete { knowledge[process] = 0 }
        return knowledge
    }

    /// Whether this copy was restored from an old one: its clock is not ahead of the server's value for its process.
    ///
    /// Each push is preceded by a tick of the clock, and only that. So the clock of a copy that was made before the last
    /// push is not ahead, whatever changes the user has made since the restoration.
    func isRestored(server: KnowledgeVector) -> Bool { server[process] >= clock }

    /// The versions that a vector of the server does not cover, except some that the server has just sent.
    func uncovered(by server: KnowledgeVector, except received: Set<UUID>) -> [UUID] {
        var covered: [KnowledgeVector: Bool] = [:]
        return vectors.compactMap { uuid, vector in
            let isCovered = covered[vector] ?? vector.isCovered(by: server)
            covered[vector] = isCovered
            return isCovered || received.contains(uuid) || unsent.contains(uuid) || quarantine[uuid] != nil
                ? nil : uuid
        }
    }

    // MARK: - Records

    /// Applies a record.
    mutating func apply(_ record: CareCopyRecord) {
        if let patient = record.patient { self.patient = patient }
        if let process = record.process { renew(process) }
        for version in record.versions where contents.insert(version.entity) {
            vectors[version.entity.uuid] = version.knowledge
            if record.isOwn { unsent.insert(version.entity.uuid) }
        }
        if let knowledge = record.knowledge { self.knowledge.merge(knowledge) }
        if let clock = record.clock { knowledge[process] = max(clock, self.clock) }
        if let server = record.server { self.server = server }
        for uuid in record.unsent where graph.versions[uuid] != nil && quarantine[uuid] == nil { unsent.insert(uuid) }
        for uuid in record.sent {
            unsent.remove(uuid)
            quarantine[uuid] = nil
        }
        for version in record.quarantined {
            unsent.remove(version.uuid)
            quarantine[version.uuid] = version
        }
        for uuid in record.released where quarantine.removeValue(forKey: uuid) != nil { unsent.insert(uuid) }
        if !record.discarded.isEmpty { discard(Set(record.discarded)) }
        if let incomplete = record.incomplete { self.incomplete = Set(incomplete) }
        if let delay = record.delay { self.delay = delay }
    }

    private mutating func renew(_ process: UUID) {
        guard process != self.process else { return }
        self.process = process
        knowledge[process] = 1
        // The server may cover the old vectors, and does not cover the new ones.
        for uuid in unsent { vectors[uuid]?[process] = 1 }
        for uuid in quarantine.keys { vectors[uuid]?[process] = 1 }
    }

    private mutating func discard(_ discarded: Set<UUID>) {
        contents = CarePlanContents(graph.versions.values.filter { !discarded.contains($0.uuid) })
        for uuid in discarded {
            vectors[uuid] = nil
            unsent.remove(uuid)
            quarantine[uuid] = nil
        }
    }

    /// The state as records for an empty file.
    var records: [CareCopyRecord] {
        var state = CareCopyRecord(patient: patient)
        state.process = process
        state.knowledge = knowledge
        state.server = server
        state.incomplete = incomplete.isEmpty ? nil : incomplete.map { $0 }
        state.delay = delay
        let all = graph.versions.keys.sorted { $0.uuidString < $1.uuidString }
        let versions = all.compactMap { uuid in
            graph.versions[uuid].flatMap { entity in
                vectors[uuid].map { CausalOrder.Stamped(entity: entity, knowledge: $0) }
            }
        }
        var records = [state]
        for start in stride(from: 0, to: versions.count, by: 500) {
            var record = CareCopyRecord()
            record.versions = Array(versions[start..<min(start + 500, versions.count)])
            records.append(record)
        }
        var rest = CareCopyRecord()
        rest.unsent = Array(unsent)
        rest.quarantined = Array(quarantine.values)
        records.append(rest)
        return records
    }
}

extension CareCopy {
    /// The references of a version to others: the versions it follows, and the task of an outcome.
    static func references(of entity: CareEntity) -> [UUID] { entity.previous + (entity.event.map { [$0.task] } ?? []) }

    /// The unsent versions that refer to refused ones, directly or through others, with the refused version that is the
    /// cause of each.
    func dependents(of refused: [UUID: String]) -> [QuarantinedVersion] {
        var followers: [UUID: [UUID]] = [:]
        for uuid in unsent {
            guard let entity = graph.versions[uuid] else { continue }
            for reference in Self.references(of: entity) { followers[reference, default: []].append(uuid) }
        }
        var found: [UUID: QuarantinedVersion] = [:]
        var rest = refused.keys.sorted { $0.uuidString < $1.uuidString }.map { (cause: $0, uuid: $0) }
        while let (cause, uuid) = rest.popLast() {
            for follower in followers[uuid] ?? [] where found[follower] == nil && refused[follower] == nil {
                found[follower] = QuarantinedVersion(uuid: follower, code: refused[cause] ?? "", cause: cause)
                rest.append((cause, follower))
            }
        }
        return found.values.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
    }
}
