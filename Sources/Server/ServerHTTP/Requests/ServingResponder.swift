import CoreMetrics
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Wraps the router, so that it sees every request, including those without a route. Assigns the request id and the
/// client's address, answers 503 during shutdown, and writes the log line of each request.
struct ServingResponder<Router: HTTPResponder>: HTTPResponder where Router.Context == ServerRequestContext {
    let router: Router
    let trustedProxies: [IPNetwork]
    /// Whether browsers are required to use TLS from now on (RFC 6797).
    let isSecure: Bool
    let shutdown: ShutdownState
    let metrics: RequestMetrics?
    /// The level of the log line. Requests that monitoring repeats every few seconds are not worth a line at `info`.
    let logLevel: Logger.Level
    /// Cancels the task of a request whose client has disconnected; nil if connections are not counted.
    private let connections: ConnectionBudget?
    /// Limits the log lines of refusals and failures.
    private let throttle = LogThrottle()

    init(
        router: Router, trustedProxies: [IPNetwork], isSecure: Bool, shutdown: ShutdownState, metrics: RequestMetrics?,
        logLevel: Logger.Level, connections: ConnectionBudget? = nil
    ) {
        self.router = router
        self.trustedProxies = trustedProxies
        self.isSecure = isSecure
        self.shutdown = shutdown
        self.metrics = metrics
        self.logLevel = logLevel
        self.connections = connections
    }

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        let peer = context.client.address
        context.client = ClientAddress(
            peer: peer, forwardedFor: request.headers[values: .forwardedFor], trustedProxies: trustedProxies)
        context.isConfidential =
            isSecure || context.client.isThisMachine
            || (request.headers[values: .forwardedProto] == ["https"] && trustedProxies.contains(peer))
        var response = try await expecting(request, context)
        // Independent of the route: after HEAD, the client continues to read where a body would begin (RFC 9110
        // section 9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = context.requestID
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        let duration = start.duration(to: .now)
        metrics?.count(method: request.method, status: response.status.code, duration: duration)
        log(response, to: request, context: context, duration: duration)
        return response
    }

    /// Writes the one log line of a request: method, route, status, address, time, client and code, and nothing else.
    /// Paths, queries, header fields and bodies may contain personal data.
    private func log(_ response: Response, to request: Request, context: ServerRequestContext, duration: Duration) {
        let (route, outcome) = (context.endpointPath, context.outcome.reported)
        let level: Logger.Level =
            switch (response.status.code, outcome.code) {
            // The number of these is not limited. At a low level, a flood of them does not hide the lines that need
            // attention.
            case (..<400, _), (405, _), (429, "rate-limited"), (_, "request-cancelled"): logLevel
            // Clients get these in normal operation, for a resource that does not exist or a token that has expired.
            case (401, _), (404, _), (410, _), (412, _): logLevel
            // No route refused it: there is no such route, or it is the readiness check.
            case (_, nil): logLevel
            case (..<500, _): .notice
            default: .error
            }
        guard context.logger.logLevel <= level else { return }
        var omitted = 0
        if level > logLevel {
            guard let count = throttle.admit(outcome.code ?? String(response.status.code)) else { return }
            omitted = count
        }
        var metadata: Logger.Metadata = [
            "method": .string(RequestMetrics.name(request.method)), "status": .string(String(response.status.code)),
            "address": .string(context.client.shortened), "milliseconds": .string(duration.tenthsOfMilliseconds),
        ]
        if let route { metadata["route"] = .string(route) }
        if let caller = outcome.caller { metadata["client"] = .string(caller) }
        if omitted > 0 { metadata["omitted"] = .string(String(omitted)) }
        if let code = outcome.code { metadata["code"] = .string(code) }
        if level == .error, let cause = outcome.cause { metadata["cause"] = .string(cause) }
        context.logger.log(level: level, "request", metadata: metadata)
    }

    /// Meets the client's expectations before it sends a body (RFC 9110 section 10.1.1).
    private func expecting(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let expectations = request.expectations
        guard !expectations.isEmpty else { return try await answer(request, context) }
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            let failure = HTTPFailure.expectationUnknown
            context.outcome.refuse(failure, because: failure)
            var response = failure.response
            response.headers[.connection] = "close"
            return response
        }
        let progress = ContinuingBody.Progress()
        var continuing = request
        continuing.body = RequestBody(
            asyncSequence: ContinuingBody(body: request.body, channel: context.channel, progress: progress))
        var response = try await answer(continuing, context)
        // The client may or may not send the body after a final status, so the connection cannot be reused.
        if !progress.hasBegun { response.headers[.connection] = "close" }
        return response
    }

    private func answer(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        if shutdown.isUnderWay {
            var response = HTTPFailure.shuttingDown.response
            response.headers[.connection] = "close"
            return response
        }
        do {
            guard let tasks = connections?.tasks(of: context.connection) else {
                return try await router.respond(to: request, context: context)
            }
            return try await tasks.running { try await router.respond(to: request, context: context) }
        } catch let error as HTTPParserError {
            // The connection answers 400 and ends.
            throw error
        } catch let error as HTTPError
            where error.status == .notFound && ControlCharacters.areEncoded(in: request.uri.string)
        {
            // No route has the path, so none has refused the address.
            let failure = HTTPFailure.addressInvalid
            context.outcome.refuse(failure, because: failure)
            return failure.response
        } catch let error as any HTTPResponseError {
            return try error.response(from: request, context: context)
        } catch is CancellationError {
            // The client disconnected, or the server is shutting down.
            return HTTPFailure.requestCancelled.response
        } catch {
            // An error's text may repeat parts of the request, so only its type is logged.
            let type = String(describing: type(of: error))
            if throttle.admit("failed " + type) != nil {
                context.logger.error("failed", metadata: ["error": .string(type)])
            }
            return HTTPFailure.internalError.response
        }
    }
}

extension Duration {
    /// The duration in milliseconds, with one decimal.
    fileprivate var tenthsOfMilliseconds: String {
        let tenths = Int((self / .microseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension HTTPField.Name {
    static let forwardedFor = HTTPField.Name(validated: "x-forwarded-for")
    static let forwardedProto = HTTPField.Name(validated: "x-forwarded-proto")
    static let requestID = HTTPField.Name(validated: "x-request-id")

    /// Creates one of our own names, which are valid. If one were not, it would be a name that no client sends in this
    /// use.
    package init(validated name: String) { self = HTTPField.Name(name) ?? .via }
}
