import FHIR
import Foundation
import Hummingbird
import Logging
import ServerHTTP
import Storage
import Trust

/// Puts the records' FHIR API on a router: <https://hl7.org/fhir/R4/http.html>.
public struct RecordsRoutes: Sendable {
    /// One route; what is registered and what the tests cover are both ``table``.
    public struct Route: Sendable, Hashable {
        public enum Endpoint: String, Sendable, CaseIterable { case metadata, read, vread, history, search, searchForm }

        public let method: String
        public let path: String
        public let endpoint: Endpoint
        /// Whether anybody may ask.
        public let isPublic: Bool

        /// Whether a request's path fits the route's.
        func matches(_ components: [Substring]) -> Bool {
            let template = path.split(separator: "/")
            return template.count == components.count
                && zip(template, components).allSatisfy { $0.first == ":" || $0 == $1 }
        }
    }

    /// All routes. What answers GET answers HEAD too.
    public static let table = [
        Route(method: "GET", path: "/fhir/metadata", endpoint: .metadata, isPublic: true),
        Route(method: "GET", path: "/fhir/:type", endpoint: .search, isPublic: false),
        Route(method: "POST", path: "/fhir/:type/_search", endpoint: .searchForm, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id", endpoint: .read, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id/_history", endpoint: .history, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id/_history/:version", endpoint: .vread, isPublic: false),
    ]

    private let service: RecordsService
    private let scheme: String
    private let logger: Logger
    private let limiter: RateLimiter
    private let refusals: RefusalCharge

    /// - Parameters:
    ///   - scheme: `https` where the server speaks TLS; for the links in answers.
    ///   - refusals: told the code of each refusal.
    public init(
        database: any SQLDatabase, access: AccessControl, logger: Logger, scheme: String = "http",
        limiter: RateLimiter = RateLimiter(), refusals: @escaping @Sendable (String) async -> Void = { _ in },
        devices: (@Sendable (String) async throws -> Actor?)? = nil,
        clock: @escaping @Sendable () -> Date
    ) {
        service = RecordsService(
            database: database, access: access, devices: devices, clock: clock)
        self.refusals = RefusalCharge(limiter: limiter, count: refusals)
        self.scheme = scheme
        self.logger = logger
        self.limiter = limiter
    }

    /// Registers all routes.
    public func add(to router: some RouterMethods<ServerRequestContext>) {
        _ = router.add(middleware: RecordsMiddleware())
        for route in Self.table {
            guard let method = HTTPRequest.Method(rawValue: route.method) else { continue }
            let path = RouterPath(route.path)
            router.on(path, method: method) { request, context in
                await respond(to: request, context, route)
            }
            guard method == .get else { continue }
            router.on(path, method: .head) { request, context in
                await respond(to: request, context, route).createHeadResponse()
            }
        }
    }

    private func respond(
        to request: Request, _ context: ServerRequestContext, _ route: Route
    ) async -> Response {
        var response: Response
        var actor: Actor?
        do {
            response = try await answer(request, context, route.endpoint, &actor)
        } catch let failure as RecordsFailure {
            let seconds = await refusals.charge(
                status: failure.status, code: failure.code, to: context.client, isKnown: actor != nil)
            response = Response(seconds.map(RecordsFailure.rateLimited) ?? failure)
        } catch {
            logger.error("records", metadata: ["code": "\((error as? StorageError)?.code ?? "unexpected")"])
            response = Response(RecordsFailure.unavailable)
        }
        logger.info(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)", "route": "\(route.path)", "status": "\(response.status.code)",
            ])
        return response
    }

    private func answer(
        _ request: Request, _ context: ServerRequestContext, _ endpoint: Route.Endpoint, _ known: inout Actor?
    ) async throws -> Response {
        let asked = RecordsRequest(request, scheme: scheme)
        guard asked.acceptsJSON else { throw RecordsFailure.notAcceptable }
        if endpoint == .metadata {
            try checkRate(context.client)
            return Response(CapabilityStatement.records(date: service.clock(), url: asked.url).json)
        }
        let actor = try await service.actor(authorization: request.headers[.authorization])
        known = actor
        try checkRate(context.client)
        let type = context.parameters["type"].map(String.init) ?? ""
        let id = context.parameters["id"].map(String.init) ?? ""
        switch endpoint {
        case .read:
            let record = try await service.read(type: type, id: id, by: actor)
            if asked.knows(version: record.version) {
                return Response(status: .notModified, headers: Response.headers(of: record))
            }
            return try Response(record)
        case .vread:
            let version = context.parameters["version"].map(String.init) ?? ""
            return try Response(try await service.read(type: type, id: id, version: version, by: actor))
        case .history:
            return Response(
                try await service.history(
                    type: type, id: id, page: try HistoryPage(asked.parameters), url: asked.url, by: actor
                ).json)
        case .search, .searchForm, .metadata:
            let form = endpoint == .searchForm ? try await asked.form() : []
            return Response(
                try await service.search(
                    type: type, parameters: asked.parameters + form, strict: asked.isStrict, url: asked.url, by: actor
                ).json)
        }
    }
}

extension RecordsRoutes {
    private func checkRate(_ client: ClientAddress) throws {
        if case .retry(let seconds) = limiter.check(client, .readByAddress) {
            throw RecordsFailure.rateLimited(seconds)
        }
    }
}

/// Answers 404 and 405 below `/fhir` as an OperationOutcome.
struct RecordsMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let path = request.uri.path
            guard path.hasPrefix("/fhir/") else { throw error }
            let components = path.split(separator: "/")
            let known = RecordsRoutes.table.filter { $0.matches(components) }.map(\.method)
            guard !known.isEmpty, !known.contains(request.method.rawValue) else {
                return Response(RecordsFailure.notFound)
            }
            var response = Response(RecordsFailure.methodNotAllowed)
            let allowed = Set(known).union(known.contains("GET") ? ["HEAD"] : [])
            response.headers[.allow] = allowed.sorted().joined(separator: ", ")
            return response
        }
    }
}

extension Response {
    init(_ json: JSON, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/fhir+json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes())))
    }

    init(_ failure: RecordsFailure) {
        self.init(failure.outcome.json, status: HTTPResponse.Status(code: failure.status))
        if let seconds = failure.retryAfter { headers[.retryAfter] = String(seconds) }
        if failure.challenges { headers[.wwwAuthenticate] = "Bearer realm=\"tributary\"" }
    }

    init(_ record: StoredRecord) throws {
        self.init(try record.resource().json)
        for field in Response.headers(of: record) { headers[field.name] = field.value }
    }

    /// A version's ETag and time (<https://hl7.org/fhir/R4/http.html#versions>).
    static func headers(of record: StoredRecord) -> HTTPFields {
        [.eTag: "W/\"\(record.version)\"", .lastModified: HTTPDate.text(record.lastUpdated)]
    }
}

/// Dates as HTTP writes them (RFC 9110, 5.6.7).
enum HTTPDate {
    static func text(_ date: Date) -> String {
        let value = DateTime(date, milliseconds: false)
        let days = Int((date.timeIntervalSince1970 / 86400).rounded(.down))
        // 1970 began on a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(weekday), \(two(value.day)) \(months[value.month - 1]) \(value.year) "
            + "\(two(value.hour)):\(two(value.minute)):\(two(value.second)) GMT"
    }
}
