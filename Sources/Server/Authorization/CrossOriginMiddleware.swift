import HTTPTypes
import Hummingbird
import ServerHTTP

/// Lets scripts of other origins read answers (CORS, <https://fetch.spec.whatwg.org/#http-cors-protocol>): never with
/// cookies, for nothing here that reads cookies is for scripts.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// What a preflight is told.
    let methods: String
    /// An error in the form of the routes, which scripts are let read too; nil for the one that stands around.
    let refusal: (@Sendable (any Error) -> OAuthFailure)?
    /// Whether an origin may read.
    let isAllowed: @Sendable (String) async throws -> Bool
    private var isOpen = false

    init(
        methods: String, refusal: (@Sendable (any Error) -> OAuthFailure)? = nil,
        isAllowed: @escaping @Sendable (String) async throws -> Bool
    ) {
        self.methods = methods
        self.refusal = refusal
        self.isAllowed = isAllowed
    }

    /// For what everybody may read.
    static func open(methods: String) -> CrossOriginMiddleware {
        var middleware = CrossOriginMiddleware(methods: methods) { _ in true }
        middleware.isOpen = true
        return middleware
    }

    /// The answer before a script's request; the headers are added around it.
    static let preflight: @Sendable (Request, Context) async throws -> Response = { _, _ in
        Response(status: .noContent)
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let headers = try await headers(for: request)
        do {
            var response = try await next(request, context)
            for field in headers { response.headers[field.name] = field.value }
            return response
        } catch {
            throw refusal.map { $0(error).adding(headers) } ?? error
        }
    }

    private func headers(for request: Request) async throws -> HTTPFields {
        guard !isOpen else { return more([.accessControlAllowOrigin: "*"], request) }
        guard let origin = request.headers[.origin] else { return [:] }
        guard try await isAllowed(origin) else { return [.vary: "Origin"] }
        return more([.accessControlAllowOrigin: origin, .vary: "Origin"], request)
    }

    private func more(_ headers: HTTPFields, _ request: Request) -> HTTPFields {
        guard request.method == .options else { return headers }
        var headers = headers
        headers[.accessControlAllowMethods] = methods
        headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Accept"
        headers[.accessControlMaxAge] = "600"
        return headers
    }
}
