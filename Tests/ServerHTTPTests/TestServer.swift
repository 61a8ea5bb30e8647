import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import ServerHTTP

/// A server on a free loopback port for the duration of a test.
struct TestServer {
    let server: HTTPServer
    let port: Int
    /// Lets the handlers of `/wait` continue.
    let proceed: @Sendable () -> Void
    /// Stops the server like SIGTERM.
    let stop: @Sendable () async -> Void

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter gate: `/wait` ends when it is open.
    static func router(_ gate: Gate = Gate()) -> Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self)
        router.get("hello") { _, context in "hello \(context.client.address?.description ?? "")" }
        router.post("echo") { request, _ in
            var count = 0
            for try await chunk in request.body { count += chunk.readableBytes }
            return "\(count)"
        }
        let guarded = GuardedRoutes(refusal: RefusalTests.problem) { routes in
            routes.post("guarded") { request, _ in "\(try await request.body.collect(upTo: 1_024).readableBytes)" }
        }
        guarded.add(to: router, charge: RefusalCharge(limiter: RateLimiter()) { _ in })
        router.post("refuse") { _, _ in Response(status: .unauthorized, headers: [.contentLength: "0"]) }
        router.get("big") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    let buffer = ByteBuffer(repeating: 65, count: 1 << 16)
                    for _ in 0..<1_024 { try await writer.write(buffer) }
                    try await writer.finish(nil)
                })
        }
        router.get("wait") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "begun"))
                    // Work that does not notice the disconnection of its client.
                    try await poll { gate.isOpen }
                    try await writer.finish(nil)
                })
        }
        return router
    }

    /// A gate that is opened once.
    final class Gate: Sendable {
        private let flag = Atomic(false)
        var isOpen: Bool { flag.load(ordering: .relaxed) }
        func open() { flag.store(true, ordering: .relaxed) }
    }

    /// Returns limits that are short where a test sets them, and otherwise long.
    static func limits(_ change: (inout HTTPLimits) -> Void = { _ in }) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.shutdown = .milliseconds(300)
        change(&limits)
        return limits
    }

    static func run<Result: Sendable>(
        _ limits: HTTPLimits = limits(), certificates: TLSCertificates? = nil, trustedProxies: [IPNetwork] = [],
        metrics: PrometheusRegistry? = nil, _ body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        let gate = Gate()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try HTTPServer(
            responder: router(gate).buildResponder(), address: .init(host: "127.0.0.1", port: 0), limits: limits,
            certificates: certificates,
            trustedProxies: trustedProxies, metrics: metrics, logger: logger,
            onListening: {
                port.yield($0)
                port.finish()
            })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger
            ))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var port = 0
            for await listening in ports { port = listening }
            let result: Result
            do {
                result = try await body(
                    TestServer(
                        server: server, port: port, proceed: { gate.open() },
                        stop: { await group.triggerGracefulShutdown() }))
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }
}
