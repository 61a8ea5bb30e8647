/// The limits of one listener: the times of a connection, how many connections, how many bytes of bodies.
public struct HTTPLimits: Sendable, Hashable {
    /// A connection on which nothing is sent, before the first request and between two.
    public var idle: Duration = .seconds(30)
    /// A request's head in all, from its first byte on (on a new connection the TLS handshake counts too).
    public var header: Duration = .seconds(15)
    /// A request's body in all, from the end of the head on.
    public var body: Duration = .seconds(120)
    /// An answer, from the end of the request until its last byte is really written.
    public var answer: Duration = .seconds(60)
    /// The wait for the rest of a request's body after its answer is written, so that the client reads the answer.
    public var drain: Duration = .seconds(2)
    /// A request in all, from the first byte of its head until the last byte of its answer is really written.
    public var request: Duration = .seconds(240)
    /// How long open connections may go on after the server is told to stop.
    public var shutdown: Duration = .seconds(10)

    /// The most connections. Descriptors bound it further, see ``connections(descriptorLimit:)``.
    public var connections = 10_000
    /// The most connections from one address (IPv6: from one /64); a trusted proxy's is not counted.
    public var connectionsPerAddress = 256
    /// The most bytes of request bodies in memory at a time, see ``BodyBudget``.
    public var bodyBytes = 128 << 20
    /// The most bytes of a request's head, and of one of its fields.
    public var headerBytes = 32 << 10
    /// The most fields of a request's head.
    public var headerFields = 100

    /// Descriptors that are kept free of connections, for files and for the runtime.
    public static let descriptorReserve = 64

    public init() {}

    /// Limits of a listener for a few known askers, such as the monitoring.
    public static var small: HTTPLimits {
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

    /// The connections that may be open: what is configured, but never more than the descriptors less the reserve.
    ///
    /// - Parameter descriptorLimit: the process's soft limit, see ``Descriptors``.
    public func connections(descriptorLimit: Int) -> Int {
        // Where hardly any descriptor is left, a few connections are taken all the same: none would be no server.
        min(connections, max(4, descriptorLimit - HTTPLimits.descriptorReserve))
    }
}
