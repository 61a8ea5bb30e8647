import Foundation

/// CareKit: OCKRevisionRecord.swift
public struct OCKRevisionRecord: Equatable, Codable, Sendable {
    public let entities: [OCKEntity]
    public let knowledgeVector: KnowledgeVector

    public init(entities: [OCKEntity], knowledgeVector: KnowledgeVector) {
        (self.entities, self.knowledgeVector) = (entities, knowledgeVector)
    }

    public struct KnowledgeVector: Codable, Hashable, Comparable, Sendable {
        public var processes: [UUID: Int]

        public init(_ processes: [UUID: Int] = [:]) { self.processes = processes }

        public func clock(for uuid: UUID) -> Int { processes[uuid] ?? 0 }
        public var uuids: [UUID] { Array(processes.keys) }
        public mutating func increment(clockFor uuid: UUID) { processes[uuid, default: 0] += 1 }
        public mutating func merge(with other: KnowledgeVector) {
            processes.merge(other.processes) { max($0, $1) }
        }

        /// Strictly less: no clock is greater, and at least one is smaller.
        public static func < (one: KnowledgeVector, other: KnowledgeVector) -> Bool {
            let names = Set(one.processes.keys).union(other.processes.keys)
            return names.allSatisfy { one.clock(for: $0) <= other.clock(for: $0) }
                && names.contains { one.clock(for: $0) < other.clock(for: $0) }
        }

        private enum Keys: CodingKey { case processes }
        private struct ClockInfo: Codable {
            let id: UUID
            let clock: Int
        }

        public init(from decoder: Decoder) throws {
            let clocks = try decoder.container(keyedBy: Keys.self).decode([ClockInfo].self, forKey: .processes)
            processes = Dictionary(uniqueKeysWithValues: clocks.map { ($0.id, $0.clock) })
        }

        public func encode(to encoder: Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(processes.map { ClockInfo(id: $0.key, clock: $0.value) }, forKey: .processes)
        }
    }
}

/// CareKit: OCKRemoteSynchronizable.swift
public protocol OCKRemoteSynchronizationDelegate: AnyObject, Sendable {
    func didRequestSynchronization(_ remote: OCKRemoteSynchronizable)
    func remote(_ remote: OCKRemoteSynchronizable, didUpdateProgress progress: Double)
}

/// CareKit: OCKRemoteSynchronizable.swift
public protocol OCKRemoteSynchronizable: AnyObject, Sendable {
    var delegate: OCKRemoteSynchronizationDelegate? { get set }
    var automaticallySynchronizes: Bool { get }

    func pullRevisions(
        since knowledgeVector: OCKRevisionRecord.KnowledgeVector,
        mergeRevision: @escaping (OCKRevisionRecord) -> Void,
        completion: @escaping @Sendable (Error?) -> Void)

    func pushRevisions(
        deviceRevisions: [OCKRevisionRecord],
        deviceKnowledge: OCKRevisionRecord.KnowledgeVector,
        completion: @escaping @Sendable (Error?) -> Void)

    func chooseConflictResolution(conflicts: [OCKEntity], completion: @escaping OCKResultClosure<OCKEntity>)
}
