import Hummingbird
import ServerHTTP

/// Runs requests that may compute for a long time on separate threads. Swift's own threads are only as many as the
/// processors: two such requests could block all others.
struct LongWorkMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let executor: LongWorkExecutor

    /// Maximum number of bytes of a body that is processed quickly.
    private static let shortBody = 64 << 10

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.mayTakeLong(request) else { return try await next(request, context) }
        return try await withTaskExecutorPreference(executor) { try await next(request, context) }
    }

    /// Whether a request has a large body, or a patch, whose cost depends on the resource.
    private static func mayTakeLong(_ request: Request) -> Bool {
        switch request.method {
        case .get, .head, .delete, .options: false
        case .patch: true
        // A small Bundle may patch large resources.
        case .post where request.uri.path == "/fhir" || request.uri.path == "/fhir/": true
        default: request.headers[.contentLength].flatMap { Int($0) }.map { $0 > shortBody } ?? true
        }
    }
}
