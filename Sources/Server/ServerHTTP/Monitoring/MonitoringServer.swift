import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Why a server is not ready.
public struct ReadinessProblem: Sendable, Hashable, Encodable {
    /// Stable: `store-unwritable`, `keys-missing`, `consumer-stalled`, `disk-full`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// A listener for whoever watches: `GET /livez`, `/readyz`, `/metrics`, apart from the listener that is watched.
public struct MonitoringServer: Service {
    private let server: HTTPServer

    /// - Parameters:
    ///   - address: any free port of loopback unless said. It is plain HTTP and asks nobody who they are; beyond loopback a
    ///     trusted proxy has to be given.
    ///   - readiness: what is amiss; nothing where the server is ready. Asked for each `GET /readyz`.
    ///   - onListening: called once with the port.
    /// - Throws: `plain-http`, see ``HTTPServer``.
    public init(
        address: HTTPServer.Address = HTTPServer.Address(host: "127.0.0.1", port: 0), registry: PrometheusRegistry,
        limits: HTTPLimits = .small, trustedProxies: [IPNetwork] = [], logger: Logger,
        readiness: @escaping @Sendable () async -> [ReadinessProblem],
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws(ServerHTTPError) {
        let router = Router(context: ServerRequestContext.self)
        router.get("livez") { _, _ in MonitoringServer.json(.ok, Liveness()) }
        router.get("readyz") { _, _ in
            let problems = await readiness()
            return MonitoringServer.json(
                problems.isEmpty ? .ok : .serviceUnavailable,
                Readiness(status: problems.isEmpty ? "ready" : "unready", reasons: problems))
        }
        router.get("metrics") { _, _ in
            MonitoringServer.response(.ok, PrometheusText.mediaType, ByteBuffer(string: await registry.text()))
        }
        // Whoever watches asks every few seconds.
        server = try HTTPServer(
            router: router, address: address, limits: limits, trustedProxies: trustedProxies, requestLogLevel: .debug,
            logger: logger, onListening: onListening)
    }

    public func run() async throws { try await server.run() }

    private struct Liveness: Encodable {
        let status = "live"
    }

    private struct Readiness: Encodable {
        let status: String
        let reasons: [ReadinessProblem]
    }

    private static func json(_ status: HTTPResponse.Status, _ value: some Encodable) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts always encode; were one not to, the status alone would tell.
        return response(status, "application/json", ByteBuffer(bytes: (try? encoder.encode(value)) ?? Data()))
    }

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ body: ByteBuffer) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .contentLength: String(body.readableBytes), .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }
}
