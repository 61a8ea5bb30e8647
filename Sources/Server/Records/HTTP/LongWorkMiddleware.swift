import Hummingbird
import ServerHTTP

/// Runs requests that may compute for long on threads of their own. Swift's own threads are as few as the
/// processors: two requests that compute there would keep every other one waiting.
struct LongWorkMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let executor: LongWorkExecutor

    /// A body up to this many bytes is worked on soon.
    private static let shortBody = 64 << 10

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.mayTakeLong(request) else { return try await next(request, context) }
        return try await withTaskExecutorPreference(executor) { try await next(request, context) }
    }

    /// Whether a request brings a large body, or a patch, whose cost is that of the resource.
    private static func mayTakeLong(_ request: Request) -> Bool {
        switch request.method {
        case .get, .head, .delete, .options: false
        case .patch: true
        // A Bundle of few bytes can patch large resources.
        case .post where request.uri.path == "/fhir" || request.uri.path == "/fhir/": true
        default: request.headers[.contentLength].flatMap { Int($0) }.map { $0 > shortBody } ?? true
        }
    }
}
