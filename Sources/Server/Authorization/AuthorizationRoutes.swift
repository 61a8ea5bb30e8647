import Audit
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP
import Storage

/// The routes of the authorization server: discovery, the pages on which people grant access to apps, and the endpoints
/// that issue tokens (<https://hl7.org/fhir/smart-app-launch/STU2.2/>).
package struct AuthorizationRoutes: Sendable {
    let access: AccessStores
    let configuration: AuthorizationConfiguration
    let limiter: RateLimiter
    let bodies: BodyBudget
    let clients: ClientAuthentication
    /// The sessions of people, also for pages of other modules.
    package let sessions: PageSessions
    let refusals: RefusalReporter
    let clock: @Sendable () -> Date
    let random: @Sendable (Int) -> [UInt8]

    /// The function that reports refusals by code.
    struct RefusalReporter: Sendable {
        let report: @Sendable (String) async -> Void
    }

    /// - Parameters:
    ///   - refusals: called with the code of each refusal.
    ///   - random: returns the given number of random bytes, fit for secrets.
    package init(
        access: AccessStores, configuration: AuthorizationConfiguration, limiter: RateLimiter = RateLimiter(),
        bodies: BodyBudget = BodyBudget(bytes: 8 << 20),
        refusals: @escaping @Sendable (String) async -> Void = { _ in }, clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
    ) {
        let fetcher = KeySetFetcher(allowsLoopback: configuration.allowsLoopback)
        self.init(
            access: access, configuration: configuration, limiter: limiter, bodies: bodies, refusals: refusals,
            clock: clock, random: random, fetch: { try await fetcher.fetch($0) })
    }

    init(
        access: AccessStores, configuration: AuthorizationConfiguration, limiter: RateLimiter, bodies: BodyBudget,
        refusals: @escaping @Sendable (String) async -> Void, clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8], fetch: @escaping KeySetCache.Fetch
    ) {
        self.access = access
        self.configuration = configuration
        self.limiter = limiter
        self.bodies = bodies
        self.refusals = RefusalReporter(report: refusals)
        self.clock = clock
        self.random = random
        sessions = PageSessions(
            access: access, configuration: configuration, limiter: limiter, bodies: bodies,
            knownBrowsers: KnownBrowser(configuration.keys), refusals: self.refusals, clock: clock, random: random)
        clients = ClientAuthentication(
            access: access, limiter: limiter, keys: KeySetCache(clock: clock, fetch: fetch),
            addresses: { configuration.addresses }, clock: clock)
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable(
            [endpoints, pages, openDocuments], particular: [documents],
            charge: RefusalCharge(limiter: limiter, count: refusals.report), isBare: true)
    }

    /// The documents below the address of the FHIR API. They precede a module's `GET /fhir/:type/:id`.
    private var documents: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem, middlewares: [CrossOriginMiddleware.open(methods: "GET")]) { routes in
            routes.getAndHead("fhir/.well-known/smart-configuration") { _, _ in document(\.smart) }
            routes.on("fhir/.well-known/smart-configuration", method: .options, use: CrossOriginMiddleware.preflight)
        }
    }

    private var openDocuments: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem, middlewares: [CrossOriginMiddleware.open(methods: "GET")]) { routes in
            let found: [(RouterPath, @Sendable (DiscoveryDocuments) -> JSON)] = [
                (".well-known/openid-configuration", { $0.openID }), ("oauth2/jwks.json", { $0.keySet }),
            ]
            for (path, content) in found {
                routes.getAndHead(path) { _, _ in document(content) }
                routes.on(path, method: .options, use: CrossOriginMiddleware.preflight)
            }
        }
    }

    private var endpoints: GuardedRoutes {
        let access = access
        let shared = CrossOriginMiddleware(methods: "POST", refusal: OAuthFailure.init(authorizing:)) {
            try await access.clients.isOriginOfClient($0)
        }
        return GuardedRoutes(rateClass: .tokenByAddress, refusal: Self.oauth, middlewares: [shared]) { routes in
            let endpoints = routes.group("oauth2")
            endpoints.post("token", use: token)
            endpoints.post("introspect", use: introspect)
            endpoints.post("revoke", use: revoke)
            for path in ["token", "introspect", "revoke"] {
                endpoints.on(RouterPath(path), method: .options, use: CrossOriginMiddleware.preflight)
            }
        }
    }

    private var pages: GuardedRoutes {
        GuardedRoutes(refusal: Self.page) { routes in
            let pages = routes.group("oauth2")
            pages.getAndHead("authorize", use: authorize)
            pages.post("authorize", use: authorize)
            pages.post("sign-in", use: signIn)
            pages.post("consent", use: consent)
        }
    }

    private func document(_ content: (DiscoveryDocuments) -> JSON) -> Response {
        let documents = DiscoveryDocuments(addresses: configuration.addresses, keys: configuration.keys)
        return .bytes(
            ByteBuffer(bytes: content(documents).bytes()), mediaType: "application/json",
            cacheControl: "public, max-age=300")
    }

    private static func problem(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        HTTPFailure(authorizing: error)
    }

    private static func page(_ error: any Error, _ request: Request) -> any HTTPRefusal { PageFailure(error) }

    private static func oauth(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        OAuthFailure(authorizing: error)
    }
}

extension HTTPFailure {
    /// Creates the answer to an error.
    init(authorizing error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as StorageError where error.code == "storage-full":
            self = .storageFull
        default: self = .internalError
        }
    }
}

extension OAuthFailure {
    init(authorizing error: any Error) {
        self = error as? OAuthFailure ?? OAuthFailure(HTTPFailure(authorizing: error))
    }
}
