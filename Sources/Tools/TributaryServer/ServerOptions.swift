import ServerHTTP

/// The options with which a server is started.
package struct ServerOptions: Sendable {
    /// The part of the server's work that a process does.
    package enum Role: String, Sendable, CaseIterable {
        /// Accepts sealed submissions; needs no private key.
        case receiver
        /// Opens, records and loads submissions; needs the private keys.
        case consumer
        /// Serves the FHIR API.
        case records
        /// Authorizes apps, as the authorization server of SMART on FHIR.
        case authorization
        /// Accepts the events of third-party devices and clouds. It uses the records' store, so it cannot run with a
        /// receiver alone.
        case gateway
        /// Serves account holders and their teams; opens the people store only. A study without accounts has none.
        case accounts
    }

    package var host: String
    /// 0 for any free port.
    package var port: Int
    package var roles: Set<Role>
    /// The queue's database: a path, `sqlite:PATH` or `postgresql://...`; nil for the study's own.
    package var queue: String?
    /// The records' database, in the same format.
    package var database: String?
    /// The people store's database, in the same format.
    package var people: String?
    /// The proxies whose `X-Forwarded-For` is used and which may terminate TLS.
    package var trustedProxies: [IPNetwork]
    /// The address of the monitoring; nil for a free port of loopback.
    package var monitor: HTTPServer.Address?
    /// PEM files; both or neither.
    package var certificate: String?
    package var privateKey: String?
    /// The public URL of the server; nil for that of study.json, or for the address that it listens on.
    package var publicURL: String?

    package init(
        host: String = "127.0.0.1", port: Int = 8080, roles: Set<Role> = Set(Role.allCases), queue: String? = nil,
        database: String? = nil, people: String? = nil,
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
        self.people = people
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
