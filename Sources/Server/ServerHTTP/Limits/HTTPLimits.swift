/// The limits of one listener: timeouts, connections and bytes.
package struct HTTPLimits: Sendable, Hashable {
    /// The time without traffic on a connection, before the first request and between two.
    package var idle: Duration = .seconds(30)
    /// The time for a request's head, from its first byte. On a new connection it includes the TLS handshake.
    package var header: Duration = .seconds(15)
    /// The time for a request's body, from the end of the head.
    package var body: Duration = .seconds(120)
    /// The time for an answer, from the end of the request until its last byte is written to the socket.
    package var answer: Duration = .seconds(60)
    /// The time for the rest of a request's body after its answer is written, so that the client can read the answer.
    package var drain: Duration = .seconds(2)
    /// The time for a whole request, from the first byte of its head until the last byte of its answer is written to
    /// the socket.
    package var request: Duration = .seconds(240)
    /// The time for which open connections may continue after shutdown begins.
    package var shutdown: Duration = .seconds(10)

    /// Maximum number of connections. The descriptors limit it further, see ``connections(descriptorLimit:)``.
    package var connections = 10_000
    /// Maximum number of connections from one address (IPv6: from one /64). Trusted proxies are exempt.
    package var connectionsPerAddress = 256
    /// Maximum bytes of request bodies in memory at a time, see ``BodyBudget``.
    package var bodyBytes = 128 << 20
    /// Maximum bytes of a request's head, and of one of its fields.
    package var headerBytes = 32 << 10
    /// Maximum number of fields of a request's head.
    package var headerFields = 100

    /// Descriptors that are kept free of connections, for files and for the runtime.
    package static let descriptorReserve = 64

    package init() {}

    /// The limits of a listener for a few known clients, such as monitoring.
    package static var small: HTTPLimits {
        var limits = HTTPLimits()
        limits.idle = .seconds(10)
        limits.header = .seconds(5)
        limits.body = .seconds(5)
        limits.answer = .seconds(20)
        limits.request = .seconds(30)
        limits.shutdown = .seconds(2)
        limits.connections = 16
        limits.connectionsPerAddress = 16
        limits.bodyBytes = 64 << 10
        return limits
    }

    /// Returns the maximum number of open connections: the configured one, but not more than the descriptors minus the
    /// reserve.
    ///
    /// - Parameter descriptorLimit: the process's soft limit, see ``Descriptors``.
    package func connections(descriptorLimit: Int) -> Int {
        // If hardly any descriptor is left, a few connections are still accepted: a server without any would be
        // useless.
        min(connections, max(4, descriptorLimit - HTTPLimits.descriptorReserve))
    }
}
