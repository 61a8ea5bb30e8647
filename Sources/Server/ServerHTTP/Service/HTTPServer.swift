import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// A listener that serves routes within ``HTTPLimits``, as a service.
///
/// ```swift
/// Descriptors.prepare()
/// let server = try HTTPServer(
///     responder: dispatcher, address: .init(host: "127.0.0.1", port: 0), logger: logger) { port in ... }
/// try await ServiceGroup.bounded([server], logger: logger).run()
/// ```
package struct HTTPServer: Service {
    /// The address to listen on; port 0 is any free one.
    package struct Address: Sendable, Hashable {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Whether only this machine can reach the address.
        package var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
    }

    private let application: any Service
    private let address: Address
    private let limits: HTTPLimits
    private let budget: ConnectionBudget
    private let shutdown: ShutdownState

    /// - Parameters:
    ///   - responder: responds to all requests.
    ///   - certificates: TLS; without it, the server speaks plain HTTP.
    ///   - trustedProxies: the proxies whose `X-Forwarded-For` is used. They are exempt from the limit by address.
    ///   - metrics: the factory of the metrics of requests and connections.
    ///   - requestLogLevel: the level of the log line of each request.
    ///   - onListening: called once with the port, when the server accepts requests.
    /// - Throws: `plain-http` for plain HTTP on an address beyond loopback without a trusted proxy.
    package init(
        responder: some HTTPResponder<ServerRequestContext>, address: Address, limits: HTTPLimits = HTTPLimits(),
        certificates: TLSCertificates? = nil, trustedProxies: [IPNetwork] = [], metrics: (any MetricsFactory)? = nil,
        requestLogLevel: Logger.Level = .info, logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(ServerHTTPError) {
        guard certificates != nil || address.isLoopback || !trustedProxies.isEmpty else {
            throw ServerHTTPError(
                code: "plain-http",
                message:
                    "Beyond this machine the server needs TLS (certificate and key), or a proxy with TLS "
                    + "whose address is given.")
        }
        let budget = ConnectionBudget(
            maximum: limits.connections(descriptorLimit: Descriptors.limit),
            maximumPerAddress: limits.connectionsPerAddress, exempt: trustedProxies)
        let shutdown = ShutdownState()
        let onExpiry: @Sendable (ConnectionDeadline.Limit) -> Void = { limit in
            guard let metrics else { return }
            Counter(
                label: "http_connections_expired", dimensions: [("limit", limit.rawValue)], factory: metrics
            ).increment()
        }
        self.address = address
        self.limits = limits
        self.budget = budget
        self.shutdown = shutdown
        application = Application(
            responder: ServingResponder(
                router: responder, trustedProxies: trustedProxies, isSecure: certificates != nil,
                shutdown: shutdown, metrics: metrics.map(RequestMetrics.init), logLevel: requestLogLevel,
                connections: budget),
            server: HTTPServerBuilder { responder in
                BoundedHTTPChannel(
                    responder: responder, limits: limits, budget: budget, certificates: certificates, onExpiry: onExpiry
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: nil),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { await onListening(port) }
            },
            logger: logger)
    }

    /// The number of connections that are open or still in use, and of those refused since the start.
    package var connections: (open: Int, refused: Int) { (budget.open, budget.refused) }

    /// Serves until graceful shutdown begins, and then for up to ``HTTPLimits/shutdown``; connections still open are
    /// closed.
    ///
    /// - Throws: `address-unavailable` if the server cannot listen on the address.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await gracefulShutdown()
                // Cancelled if the listener ends first.
                guard !Task.isCancelled else { return }
                shutdown.begin()
                try? await Task.sleep(for: limits.shutdown)
                if !Task.isCancelled { budget.closeAll() }
            }
            defer { group.cancelAll() }
            try await listen()
        }
    }

    private func listen() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw unavailable(String(cString: strerror(error.errnoCode)))
        } catch is SocketAddressError {
            throw unavailable("no such host")
        }
    }

    private func unavailable(_ reason: String) -> ServerHTTPError {
        ServerHTTPError(
            code: "address-unavailable",
            message: "The server cannot listen on \(address.host), port \(address.port): \(reason).")
    }
}
