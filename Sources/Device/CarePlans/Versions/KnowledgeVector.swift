import Core
import Foundation

/// The knowledge of a copy of a care plan: for each process, the clock up to which the copy has its changes.
///
/// A process that the vector does not name has clock 0.
public struct KnowledgeVector: Sendable, Hashable {
    /// Maximum number of processes.
    public static let maximumProcesses = 1_000
    /// Maximum clock.
    public static let maximumClock = 1 << 53

    /// The clock of each process that the vector names.
    public private(set) var clocks: [UUID: Int]

    /// Creates a vector from clocks.
    public init(_ clocks: [UUID: Int] = [:]) { self.clocks = clocks }

    /// Reads `{"processes":[{"id","clock"}]}`. A process that occurs twice has the greater clock.
    ///
    /// - Throws: ``CarePlanError`` `vector-invalid` with the path of the member.
    public init(_ json: JSON) throws(CarePlanError) {
        guard let processes = json["processes"]?.array, processes.count <= Self.maximumProcesses else {
            throw CarePlanError(.vectorInvalid, at: "$.processes")
        }
        clocks = [:]
        for (index, process) in processes.enumerated() {
            guard let id = process["id"]?.string.flatMap({ UUID(text: $0) }), let clock = process["clock"]?.integer,
                (0...Self.maximumClock).contains(clock)
            else { throw CarePlanError(.vectorInvalid, at: "$.processes[\(index)]") }
            clocks[id] = max(clocks[id] ?? 0, clock)
        }
    }

    /// `{"processes":[{"id","clock"}]}`, in the order of the ids.
    public var json: JSON {
        [
            "processes": .array(
                clocks.map { (id: $0.key.uuidString, clock: $0.value) }.sorted { $0.id < $1.id }
                    .map { ["id": .string($0.id), "clock": .number(JSONNumber($0.clock))] })
        ]
    }

    /// The clock of a process. Setting it names the process.
    public subscript(process: UUID) -> Int {
        get { clocks[process] ?? 0 }
        set { clocks[process] = newValue }
    }

    /// Whether a copy with another vector has all changes of this vector: no clock is greater than the other's.
    public func isCovered(by other: KnowledgeVector) -> Bool { clocks.allSatisfy { $0.value <= other[$0.key] } }

    /// Takes the greater clock of each process.
    public mutating func merge(_ other: KnowledgeVector) {
        clocks.merge(other.clocks) { max($0, $1) }
    }

    /// Returns the smaller clock of each process that both vectors name or one of them names.
    public func minimum(with other: KnowledgeVector) -> KnowledgeVector {
        var minimum = KnowledgeVector()
        for process in Set(clocks.keys).union(other.clocks.keys) {
            minimum[process] = min(self[process], other[process])
        }
        return minimum
    }

    /// The sum of the clocks. A vector that covers another has a sum that is not smaller.
    public var sum: Double { clocks.values.reduce(0) { $0 + Double($1) } }
}
