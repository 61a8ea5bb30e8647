import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The reason that a server is not ready.
package struct ReadinessProblem: Sendable, Hashable, Encodable {
    /// Stable: `store-unwritable`, `keys-missing`, `consumer-stalled`, `disk-full`.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// A listener for monitoring: `GET /livez`, `/readyz` and `/metrics`, separate from the monitored listener.
package struct MonitoringServer: Service {
    private let server: HTTPServer

    /// - Parameters:
    ///   - address: a free port of loopback by default. It is plain HTTP without authentication; an address beyond
    ///     loopback needs a trusted proxy.
    ///   - readiness: returns the problems; none if the server is ready. Called for each `GET /readyz`.
    ///   - onListening: called once with the port.
    /// - Throws: `plain-http`, see ``HTTPServer``.
    package init(
        address: HTTPServer.Address = HTTPServer.Address(host: "127.0.0.1", port: 0), registry: PrometheusRegistry,
        limits: HTTPLimits = .small, trustedProxies: [IPNetwork] = [], logger: Logger,
        readiness: @escaping @Sendable () async -> [ReadinessProblem],
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws(ServerHTTPError) {
        let router = Router(context: ServerRequestContext.self)
        router.get("livez") { _, _ in Response.json(Liveness()) }
        router.get("readyz") { _, _ in
            let problems = await readiness()
            return Response.json(
                Readiness(status: problems.isEmpty ? "ready" : "unready", reasons: problems),
                status: problems.isEmpty ? .ok : .serviceUnavailable)
        }
        router.get("metrics") { _, _ in
            Response.bytes(ByteBuffer(string: await registry.text()), mediaType: PrometheusText.mediaType)
        }
        // Monitoring sends a request every few seconds.
        server = try HTTPServer(
            responder: router.buildResponder(), address: address, limits: limits, trustedProxies: trustedProxies,
            requestLogLevel: .debug,
            logger: logger, onListening: onListening)
    }

    package func run() async throws { try await server.run() }

    private struct Liveness: Encodable {
        let status = "live"
    }

    private struct Readiness: Encodable {
        let status: String
        let reasons: [ReadinessProblem]
    }
}
