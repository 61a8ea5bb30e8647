import Hummingbird

/// Serves routes ahead of the router. A router has one handler for a path and a method. If a request matches two paths,
/// the router considers only the more literal one, even if that one lacks the method.
struct ParticularRoutesMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private let routes: [(patterns: [RoutePattern], takes: @Sendable (Request) async -> Bool)]
    private let responder: RouterResponder<ServerRequestContext>

    init(routes: [GuardedRoutes], charge: RefusalCharge) {
        let router = Router(context: ServerRequestContext.self)
        for routes in routes { routes.add(to: router, charge: charge) }
        self.routes = routes.map { (patterns: $0.patterns, takes: $0.takes) }
        responder = router.buildResponder()
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = RequestPath(request.uri.path)
        for routes in routes {
            let isOurs = routes.patterns.contains { $0.takes(path) && $0.method == request.method }
            if isOurs, await routes.takes(request) { return try await responder.respond(to: request, context: context) }
        }
        return try await next(request, context)
    }
}
