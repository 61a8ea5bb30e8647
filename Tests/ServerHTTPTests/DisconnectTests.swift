import Hummingbird
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import ServerHTTP

/// The request of a disconnected client is cancelled.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DisconnectTests {
    /// The end of the work of a request.
    private final class Work: Sendable {
        enum State { case none, begun, cancelled, ended }
        private let state = Mutex(State.none)
        var now: State { state.withLock { $0 } }
        func set(_ new: State) { state.withLock { $0 = new } }
    }

    private func serving(
        _ work: Work, limits: HTTPLimits = TestServer.limits(),
        body: @Sendable (Int, ServiceGroup) async throws -> Void
    ) async throws {
        let router = Router(context: ServerRequestContext.self)
        router.get("work") { _, _ in
            work.set(.begun)
            do {
                try await Task.sleep(for: .seconds(2 * Patience.seconds))
                work.set(.ended)
            } catch {
                work.set(.cancelled)
                throw error
            }
            return "done"
        }
        router.get("hello") { _, _ in "hello" }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try HTTPServer(
            responder: router.buildResponder(), address: .init(host: "127.0.0.1", port: 0), limits: limits,
            logger: TestServer.logger,
            onListening: {
                port.yield($0)
                port.finish()
            })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: TestServer.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in ports { try await body(number, group) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test(arguments: [false, true])
    func aClientThatLeavesEndsItsRequest(byReset: Bool) async throws {
        let work = Work()
        try await serving(work) { port, _ in
            let socket = try TestSocket(port: port)
            socket.send("GET /work HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await poll { work.now == .begun })
            if byReset { socket.reset() } else { socket.close() }
            #expect(try await poll { work.now == .cancelled })
        }
    }

    @Test func connectedClientGetsAllItsResponses() async throws {
        let work = Work()
        try await serving(work) { port, _ in
            let socket = try TestSocket(port: port)
            for _ in 0..<3 {
                socket.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await socket.text(until: "hello").contains("200 OK"))
            }
        }
    }

    @Test func aServerThatStopsEndsTheRequestsAtWork() async throws {
        let work = Work()
        try await serving(work, limits: TestServer.limits { $0.shutdown = .milliseconds(100) }) { port, group in
            let socket = try TestSocket(port: port)
            socket.send("GET /work HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await poll { work.now == .begun })
            await group.triggerGracefulShutdown()
            #expect(try await poll { work.now == .cancelled })
        }
    }
}
