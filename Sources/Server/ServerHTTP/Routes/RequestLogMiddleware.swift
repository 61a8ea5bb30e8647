import Hummingbird
import Logging

/// Writes one line for a request that a route took: method, route, status, client and code, and nothing else. Paths,
/// queries, headers and bodies may tell who and what.
struct RequestLogMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        context.logOutcome(
            method: RequestMetrics.name(request.method), route: context.endpointPath ?? "", status: response.status)
        return response
    }
}

extension ServerRequestContext {
    /// Writes the line.
    func logOutcome(method: String, route: String, status: HTTPResponse.Status) {
        let level: Logger.Level =
            switch (status.code, outcome.code) {
            // Nothing bounds how often these come: a flood does not fill the log where it says what is worth a look.
            case (..<400, _), (405, _), (429, "rate-limited"): .info
            case (..<500, _): .notice
            default: .error
            }
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = ["method": "\(method)", "route": "\(route)", "status": "\(status.code)"]
        if let caller = outcome.caller { metadata["client"] = "\(caller)" }
        if let code = outcome.code { metadata["code"] = "\(code)" }
        if level == .error, let cause = outcome.cause { metadata["cause"] = "\(cause)" }
        logger.log(level: level, "request", metadata: metadata)
    }
}
