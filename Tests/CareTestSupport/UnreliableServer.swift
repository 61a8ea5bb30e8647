import CarePlans
import CareStores
import Foundation

/// The faults of a connection.
public struct ConnectionLost: Error {
    public init() {}
}

/// A connection to the server that loses pushes and answers, repeats pushes, and lets other phones synchronise between a
/// pull and a push.
public final class UnreliableServer: CareServer, @unchecked Sendable {
    private let server: any CareServer
    private let random: SimulationRandom
    private let lock = NSLock()
    private var faults = Faults()

    /// The possible faults.
    public struct Faults: Sendable {
        /// The probability that a push or its answer is lost.
        public var lost = 0.0
        /// Called between the answer of a pull and its use.
        public var afterPull: (@Sendable () async -> Void)?
        /// Called before a push.
        public var beforePush: (@Sendable () async -> Void)?
        /// Called after each push that arrived.
        public var afterPush: (@Sendable () async throws -> Void)?
        public init() {}
    }

    public init(_ server: any CareServer, random: SimulationRandom) {
        self.server = server
        self.random = random
    }

    public func set(_ faults: Faults) { lock.withLock { self.faults = faults } }

    private func current() -> Faults { lock.withLock { faults } }

    public func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int)
        async throws -> CareAnswer
    {
        let faults = current()
        // A page is lost rarely: the pull begins again with the next sync.
        if random.chance(faults.lost / 10) { throw ConnectionLost() }
        let answer = try await server.pull(since: knowledge, page: page, for: caller, wait: seconds)
        Self.trace("  pull since \(knowledge.text): \(answer.revisions.map(\.text)) and \(answer.knowledgeVector.text)")
        if answer.next == nil { await faults.afterPull?() }
        return answer
    }

    public func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
        let faults = current()
        await faults.beforePush?()
        let fate = random.chance(faults.lost)
        if fate, random.chance(0.5) { throw ConnectionLost() }
        Self.trace("  push \(revisions.map(\.text)) and \(knowledge.text)")
        let answer = try await server.push(revisions, knowledge: knowledge)
        Self.trace("  pushed: \(answer.text)")
        try await faults.afterPush?()
        guard fate else { return answer }
        // The answer is lost, and half of the time the request is repeated.
        if random.chance(0.5) {
            _ = try await server.push(revisions, knowledge: knowledge)
            try await faults.afterPush?()
        }
        throw ConnectionLost()
    }
}

extension UnreliableServer {
    static let isTraced = ProcessInfo.processInfo.environment["TRIBUTARY_CARE_TRACE"] != nil

    static func trace(_ line: @autoclosure () -> String) {
        if isTraced { print(line()) }
    }
}

extension KnowledgeVector {
    /// A short form for traces.
    var text: String {
        "{"
            + clocks.sorted { $0.key.uuidString < $1.key.uuidString }
            .map { "\($0.key.uuidString.prefix(3)):\($0.value)" }.joined(separator: " ") + "}"
    }
}

extension CareRevision {
    /// A short form for traces.
    var text: String {
        entities.map { entity in
            let event = entity.event.map { " of \($0.task.uuidString.prefix(3)).\($0.occurrence)" } ?? ""
            let previous = entity.previous.map { $0.uuidString.prefix(3) }.joined(separator: ",")
            return "\(entity.isTombstone ? "-" : "+")\(entity.uuid.uuidString.prefix(3))\(event) after [\(previous)]"
        }.joined(separator: " ") + " " + knowledgeVector.text
    }
}
