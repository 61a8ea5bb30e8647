import ServerHTTP

/// The options with which a server is started.
public struct ServerOptions: Sendable {
    /// The part of the server's work that a process does.
    public enum Role: String, Sendable, CaseIterable {
        /// Takes sealed submissions; needs no private key.
        case receiver
        /// Opens, records and loads them; needs the private keys.
        case consumer
        /// Answers the FHIR API.
        case records
        /// Lets apps in: SMART on FHIR's authorization server.
        case authorization
        /// Takes what devices and clouds of others send; works with the records' store, so never beside a lone receiver.
        case gateway
    }

    public var host: String
    /// 0 lets the system choose.
    public var port: Int
    public var roles: Set<Role>
    /// The queue's database, a path, `sqlite:PATH` or `postgresql://...`; nil for the study's own.
    public var queue: String?
    /// The records' database, likewise.
    public var database: String?
    /// Whose `X-Forwarded-For` counts, and who speaks TLS in our place.
    public var trustedProxies: [IPNetwork]
    /// Where the monitoring listens; nil for a free port of loopback.
    public var monitor: HTTPServer.Address?
    /// PEM files; both or none.
    public var certificate: String?
    public var privateKey: String?
    /// Where others reach the server; nil for what study.json says, or the address that is listened on.
    public var publicURL: String?

    public init(
        host: String = "127.0.0.1", port: Int = 8080, roles: Set<Role> = Set(Role.allCases), queue: String? = nil,
        database: String? = nil,
        trustedProxies: [IPNetwork] = [], monitor: HTTPServer.Address? = nil, certificate: String? = nil,
        privateKey: String? = nil, publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        self.trustedProxies = trustedProxies
        self.monitor = monitor
        self.host = host
        self.port = port
        self.roles = roles
        self.queue = queue
        self.database = database
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
