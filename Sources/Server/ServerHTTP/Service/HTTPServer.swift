import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// A listener: routes behind the limits, as a service.
///
/// ```swift
/// Descriptors.prepare()
/// let server = try HTTPServer(router: router, address: .init(host: "127.0.0.1", port: 0), logger: logger) { port in ... }
/// try await ServiceGroup.bounded([server], logger: logger).run()
/// ```
public struct HTTPServer: Service {
    /// The address to listen on; port 0 is any free one.
    public struct Address: Sendable, Hashable {
        public var host: String
        public var port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Whether nobody but this machine reaches it.
        public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
    }

    private let application: Application<ServingResponder<RouterResponder<ServerRequestContext>>>
    private let address: Address
    private let limits: HTTPLimits
    private let budget: ConnectionBudget
    private let shutdown: ShutdownState

    /// - Parameters:
    ///   - router: the routes. What it should see of every request has to be added before the routes.
    ///   - certificates: TLS; without, the server speaks plain HTTP.
    ///   - trustedProxies: whose `X-Forwarded-For` counts, and who is not counted by address.
    ///   - metrics: where requests and connections are counted.
    ///   - requestLogLevel: the level of the one line for each request.
    ///   - onListening: called once with the port, when requests are taken.
    /// - Throws: `plain-http` for plain HTTP on an address beyond loopback without a trusted proxy.
    public init(
        router: Router<ServerRequestContext>, address: Address, limits: HTTPLimits = HTTPLimits(),
        certificates: TLSCertificates? = nil, trustedProxies: [IPNetwork] = [], metrics: (any MetricsFactory)? = nil,
        requestLogLevel: Logger.Level = .info, logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(ServerHTTPError) {
        guard certificates != nil || address.isLoopback || !trustedProxies.isEmpty else {
            throw ServerHTTPError(
                code: "plain-http",
                message:
                    "Beyond this machine the server speaks TLS (certificate and key), or stands behind a proxy that "
                    + "does, whose address is given.")
        }
        let budget = ConnectionBudget(
            most: limits.connections(descriptorLimit: Descriptors.limit),
            mostPerAddress: limits.connectionsPerAddress, exempt: trustedProxies)
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
                router: router.buildResponder(), trustedProxies: trustedProxies, isSecure: certificates != nil,
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

    /// Connections that are open or still worked for, and those that were refused since the start.
    public var connections: (open: Int, refused: Int) { (budget.open, budget.refused) }

    /// Serves until it is told to stop, and then for ``HTTPLimits/shutdown`` at most: what is open then is closed.
    ///
    /// - Throws: `address-unavailable` where the address cannot be listened on.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await gracefulShutdown()
                // Cancelled where the listener ends first.
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
