import FHIR
import Foundation
import Hummingbird
import Logging
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
    }

    /// All routes.
    public static let table = [
        Route(method: "GET", path: "/fhir/metadata", endpoint: .metadata, isPublic: true),
        Route(method: "GET", path: "/fhir/:type", endpoint: .search, isPublic: false),
        Route(method: "POST", path: "/fhir/:type/_search", endpoint: .searchForm, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id", endpoint: .read, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id/_history", endpoint: .history, isPublic: false),
        Route(method: "GET", path: "/fhir/:type/:id/_history/:version", endpoint: .vread, isPublic: false),
    ]

    private let service: RecordsService
    private let logger: Logger

    public init(
        database: any SQLDatabase, access: AccessControl, logger: Logger, clock: @escaping @Sendable () -> Date
    ) {
        service = RecordsService(database: database, access: access, clock: clock)
        self.logger = logger
    }

    /// Registers all routes.
    public func add<Context: RequestContext>(to router: some RouterMethods<Context>) {
        _ = router.add(middleware: RecordsMiddleware<Context>())
        for route in Self.table {
            guard let method = HTTPRequest.Method(rawValue: route.method) else { continue }
            router.on(RouterPath(route.path), method: method) { request, context in
                let response = await answer(request, context, route.endpoint)
                logger.info(
                    "request",
                    metadata: [
                        "method": "\(route.method)", "route": "\(route.path)", "status": "\(response.status.code)",
                    ])
                return response
            }
        }
    }

    private func answer(
        _ request: Request, _ context: some RequestContext, _ endpoint: Route.Endpoint
    ) async -> Response {
        do {
            return try await respond(request, context, endpoint)
        } catch let failure as RecordsFailure {
            return Response(failure)
        } catch {
            logger.error("records", metadata: ["code": "\((error as? StorageError)?.code ?? "unexpected")"])
            return Response(RecordsFailure.unavailable)
        }
    }

    private func respond(
        _ request: Request, _ context: some RequestContext, _ endpoint: Route.Endpoint
    ) async throws -> Response {
        guard Self.acceptsJSON(request) else { throw RecordsFailure.notAcceptable }
        if endpoint == .metadata { return Response(CapabilityStatement.records(date: service.clock()).json) }
        let actor = try await service.actor(authorization: request.headers[.authorization])
        let type = context.parameters["type"].map(String.init) ?? ""
        let id = context.parameters["id"].map(String.init) ?? ""
        let url = Self.address(request)
        var parameters = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        switch endpoint {
        case .metadata: return Response(CapabilityStatement.records(date: service.clock()).json)
        case .read:
            let record = try await service.read(type: type, id: id, by: actor)
            if request.headers[.ifNoneMatch] == "W/\"\(record.version)\"" {
                return Response(status: .notModified, headers: try Self.headers(of: record))
            }
            return try Self.response(record)
        case .vread:
            let version = context.parameters["version"].map(String.init) ?? ""
            return try Self.response(try await service.read(type: type, id: id, version: version, by: actor))
        case .history:
            let count = parameters.first { $0.name == "_count" }.flatMap { Int($0.value) }
            let before = parameters.first { $0.name == "_cursor" }.flatMap { Cursor.number($0.value) }
            return Response(
                try await service.history(type: type, id: id, count: count, before: before, url: url, by: actor).json)
        case .searchForm:
            parameters += try await Self.form(request)
            fallthrough
        case .search:
            let strict = request.headers[values: .init("Prefer") ?? .accept].contains { $0.contains("handling=strict") }
            return Response(
                try await service.search(type: type, parameters: parameters, strict: strict, url: url, by: actor).json)
        }
    }

    private static func form(_ request: Request) async throws -> [(name: String, value: String)] {
        var request = request
        guard let buffer = try? await request.collectBody(upTo: 64 << 10) else { throw RecordsFailure.tooLarge }
        // A form is written as a query is, with + for a space.
        let text = String(buffer: buffer).replacingOccurrences(of: "+", with: "%20")
        return text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (
                parts[0].removingPercentEncoding ?? "", parts.count > 1 ? parts[1].removingPercentEncoding ?? "" : ""
            )
        }
    }

    private static func acceptsJSON(_ request: Request) -> Bool {
        if let format = request.uri.queryParameters["_format"], !format.lowercased().contains("json") { return false }
        guard let accept = request.headers[.accept], !accept.isEmpty else { return true }
        return accept.contains("json") || accept.contains("*/*") || accept.contains("application/*")
    }

    /// Where the client finds this API, as it wrote it.
    private static func address(_ request: Request) -> String {
        let scheme = request.head.scheme ?? "http"
        return "\(scheme)://\(request.head.authority ?? "localhost")/fhir"
    }

    private static func headers(of record: StoredRecord) throws -> HTTPFields {
        var headers: HTTPFields = [.eTag: "W/\"\(record.version)\""]
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        headers[.lastModified] = formatter.string(from: record.lastUpdated)
        return headers
    }

    private static func response(_ record: StoredRecord) throws -> Response {
        var response = Response(try record.resource().json)
        for field in try headers(of: record) { response.headers[field.name] = field.value }
        return response
    }
}

/// Answers 404 and 405 below `/fhir` as an OperationOutcome.
struct RecordsMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            guard request.uri.path.hasPrefix("/fhir/") else { throw error }
            return Response(
                request.method == .get || request.method == .head
                    ? RecordsFailure.notFound : RecordsFailure.methodNotAllowed)
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
        if failure.challenges { headers[.wwwAuthenticate] = "Bearer realm=\"tributary\"" }
    }
}
