import HTTPTypes
import Hummingbird

/// Answers requests that no route takes: a preflight with the methods of the path, 405 with `Allow` (RFC 9110 section
/// 15.5.6) for a known path and an unknown method, and 404 below its root path.
struct UnroutedMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private struct Route {
        let pattern: RoutePattern
        let refusal: @Sendable (any Error, Request) -> any HTTPRefusal
    }

    private let routes: [Route]
    private let root: String?

    /// - Parameter root: the path below which a 404 has the form of the first routes.
    init(routes: [GuardedRoutes], below root: String?) {
        self.routes = routes.flatMap { routes in
            routes.patterns.map { Route(pattern: $0, refusal: routes.refusal) }
        }
        self.root = root
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let path = request.uri.path
            let components = RequestPath(path)
            let known = routes.filter { $0.pattern.takes(components) }
            guard let first = known.first, !known.contains(where: { $0.pattern.method == request.method }) else {
                guard let root, path.hasPrefix(root), let refusal = routes.first?.refusal else { throw error }
                let failure =
                    ControlCharacters.areEncoded(in: request.uri.string) ? HTTPFailure.addressInvalid : .notFound
                return try refusal(failure, request).response(from: request, context: context)
            }
            let methods = Set(known.map(\.pattern.method)).sorted { $0.rawValue < $1.rawValue }
            // Every route answers a preflight. The CORS middleware around the routes adds the headers if the origin may
            // read.
            if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
                context.coreContext.endpointPath.value = first.pattern.path.description
                return Response(
                    status: .noContent,
                    headers: [.allow: (methods + [.options]).map(\.rawValue).joined(separator: ", ")])
            }
            let refused = first.refusal(HTTPFailure.methodNotAllowed(allow: methods), request)
            context.outcome.refuse(refused, because: refused)
            context.coreContext.endpointPath.value = first.pattern.path.description
            return try refused.response(from: request, context: context)
        }
    }
}
