import Hummingbird
import Logging
import NIOEmbedded
import Synchronization
import Testing

@testable import ServerHTTP

/// The choice of routes for a request, and the middlewares that it passes.
@Suite struct RequestDispatcherTests {
    /// The names of the middlewares that a request has passed.
    final class Passed: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func append(_ name: String) { list.withLock { $0.append(name) } }
    }

    struct NamedMiddleware: RouterMiddleware {
        let name: String
        let passed: Passed

        func handle(
            _ request: Request, context: ServerRequestContext,
            next: (Request, ServerRequestContext) async throws -> Response
        ) async throws -> Response {
            passed.append(name)
            return try await next(request, context)
        }
    }

    let passed = Passed()
    let charge = RefusalCharge(limiter: RateLimiter()) { _ in }

    private func named(_ name: String) -> NamedMiddleware { NamedMiddleware(name: name, passed: passed) }

    private func routes(
        _ name: String, _ paths: [(HTTPRequest.Method, RouterPath)],
        takes: @escaping @Sendable (Request) async -> Bool = { _ in true }
    ) -> GuardedRoutes {
        GuardedRoutes(refusal: RefusalTests.problem, takes: takes, middlewares: [named(name)]) { routes in
            for (method, path) in paths { routes.on(path, method: method) { _, _ in name } }
        }
    }

    /// Devices and clients share `/fhir/:type/:id`.
    private var dispatcher: RequestDispatcher {
        let devices = RouteTable(
            [routes("device", [(.put, "fhir/:type/:id"), (.post, ":hub/messages")])],
            particular: [routes("published", [(.get, "fhir/Form/:id")], takes: { $0.headers[.from] == "device" })],
            charge: charge)
        let clients = RouteTable(
            [
                routes("client", [(.get, "fhir/:type/:id"), (.post, "fhir/:type/_search")]),
                routes("literal", [(.get, "fhir/metadata/:id")]),
            ], charge: charge, below: "/fhir/")
        let pages = RouteTable([routes("page", [(.get, "page")])], charge: charge, isBare: true)
        return RequestDispatcher(
            devices: [devices], clients: [pages, clients], surroundings: [named("first"), named("second")])
    }

    private func request(_ method: HTTPRequest.Method, _ path: String, from: String? = nil) -> Request {
        var headers: HTTPFields = [:]
        headers[.from] = from
        return Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    private func respond(to request: Request) async throws -> (status: Int, passed: [String]) {
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let before = passed.names.count
        let response = try await dispatcher.respond(to: request, context: ServerRequestContext(source: source))
        return (response.status.code, Array(passed.names.dropFirst(before)))
    }

    @Test func aRequestGoesToTheRoutesOfItsPathAndMethod() async throws {
        for (method, path, from, routes) in [
            (HTTPRequest.Method.get, "/fhir/Form/1", nil, "client"), (.get, "/fhir/Form/1", "device", "published"),
            (.put, "/fhir/Form/1", "device", "device"), (.get, "/fhir/metadata/1", nil, "literal"),
            (.post, "/fhir/Form/_search", nil, "client"), (.post, "/ward/messages", nil, "device"),
        ] as [(HTTPRequest.Method, String, String?, String)] {
            let (status, passed) = try await respond(to: request(method, path, from: from))
            #expect(status == 200 && passed == ["first", "second", routes], "\(method) \(path)")
        }
    }

    @Test func aLiteralPathHidesAPathWithAParameter() async throws {
        // No hub has the name of another module's path.
        #expect(try await respond(to: request(.post, "/fhir/messages")).status == 404)
        #expect(try await respond(to: request(.put, "/fhir/metadata/1")).status == 405)
    }

    @Test func bareRoutesPassTheirOwnMiddlewaresOnly() async throws {
        let (status, passed) = try await respond(to: request(.get, "/page"))
        #expect(status == 200 && passed == ["page"])
    }

    @Test func anUnknownPathOrMethodPassesTheMiddlewaresAroundAllModulesOnce() async throws {
        for (method, path, expected) in [
            (HTTPRequest.Method.get, "/nowhere", 404), (.get, "/fhir/a/b/c", 404), (.delete, "/fhir/Form/1", 405),
            (.delete, "/page", 405),
        ] {
            let (status, passed) = try await respond(to: request(method, path))
            #expect(status == expected && passed == ["first", "second"], "\(method) \(path)")
        }
    }

    /// The list that the limit of a search is checked by is what a request passes.
    @Test func theListedMiddlewaresAreThoseThatARequestPasses() async throws {
        for path in ["/fhir/Form/1", "/fhir/metadata/1", "/page", "/nowhere"] {
            let listed = await dispatcher.middlewares(for: request(.get, path))
            let (_, passed) = try await respond(to: request(.get, path))
            #expect(listed.compactMap { ($0 as? NamedMiddleware)?.name } == passed)
            #expect(listed.count == passed.count + (path == "/nowhere" ? 0 : 1), "and the one that counts refusals")
        }
    }
}
