import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import ServerHTTP

/// The handling of a refused request, for refusals of any module.
@Suite struct RefusalTests {
    struct Unforeseen: Error {
        let text = "patient-4711"
    }

    /// The counted refusals, and the log lines.
    final class RefusalRecorder: Sendable {
        private let state = Mutex((codes: [String](), lines: [String]()))
        var codes: [String] { state.withLock { $0.codes } }
        var lines: [String] { state.withLock { $0.lines } }
        func count(_ code: String) { state.withLock { $0.codes.append(code) } }
        func log(_ line: String) { state.withLock { $0.lines.append(line) } }
    }

    let recorder = RefusalRecorder()

    /// Returns a server whose addresses may cause three refusals.
    func application(_ tables: (RefusalCharge) -> [RouteTable]) throws -> some ApplicationProtocol {
        var limits = RateLimits()
        limits[.unauthenticatedByAddress] = try Rate(perSecond: 1, burst: 3)
        let limiter = RateLimiter(limits: limits, now: { .zero })
        let charge = RefusalCharge(limiter: limiter) { [recorder] in recorder.count($0) }
        let logger = Logger(label: "test") { [recorder] label in JSONLogHandler(label: label) { recorder.log($0) } }
        return Application(
            responder: ServingResponder(
                router: RequestDispatcher(devices: [], clients: tables(charge)), trustedProxies: [], isSecure: false,
                shutdown: ShutdownState(),
                metrics: nil, logLevel: .info), logger: logger)
    }

    static let problem: @Sendable (any Error, Request) -> any HTTPRefusal = { error, _ in
        error as? HTTPFailure ?? .internalError
    }

    static let oauth: @Sendable (any Error, Request) -> any HTTPRefusal = { error, _ in
        OAuthFailure(error as? HTTPFailure ?? .internalError)
    }

    static func refuse(_ status: HTTPResponse.Status) -> @Sendable (Request, ServerRequestContext) throws -> Response {
        { _, _ in throw HTTPFailure(status, code: "planned", message: "Planned.") }
    }

    private func ask(
        _ client: any TestClientProtocol, path: String, method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        try await client.execute(uri: path, method: method)
    }

    @Test func unauthenticatedRefusalsAreCountedAndThenRateLimited() async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { $0.get("no", use: Self.refuse(.unauthorized)) }
            return [RouteTable([routes], charge: charge)]
        }
        try await application.test(.router) { client in
            for _ in 0..<3 { #expect(try await ask(client, path: "/no").status == .unauthorized) }
            let fourth = try await ask(client, path: "/no")
            #expect(fourth.status == .tooManyRequests && fourth.headers[.retryAfter] == "1")
            #expect(String(buffer: fourth.body).contains(#""code":"rate-limited""#))
        }
        #expect(recorder.codes == ["planned", "planned", "planned"])
    }

    /// A request that makes the server fail is charged like a refused one, and does not fill the log.
    @Test func failuresForAStrangerAreLimitedLikeRefusals() async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("fail") { _, _ -> Response in throw Unforeseen() }
                routes.get("known") { _, context -> Response in
                    context.outcome.caller = "c-1"
                    throw Unforeseen()
                }
            }
            return [RouteTable([routes], charge: charge)]
        }
        let start = ContinuousClock.now
        try await application.test(.router) { client in
            var statuses: [Int] = []
            for _ in 0..<9 { statuses.append(try await ask(client, path: "/fail").status.code) }
            #expect(statuses == [500, 500, 500] + Array(repeating: 429, count: 6))
            let known = try await ask(client, path: "/known")
            #expect(known.status == .internalServerError)
        }
        #expect(recorder.codes == [])
        // One line for each second of the clock: those that began meanwhile, and the second of the first request.
        let seconds = Int(start.duration(to: .now).components.seconds) + 2
        #expect((1...seconds).contains(recorder.lines.filter { $0.contains(#""code":"internal""#) }.count))
    }

    @Test func authenticatedRefusalsAreCountedAndNotRateLimited() async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("no") { _, context -> Response in
                    context.outcome.caller = "c-1"
                    throw HTTPFailure(.forbidden, code: "planned", message: "Planned.")
                }
            }
            return [RouteTable([routes], charge: charge)]
        }
        try await application.test(.router) { client in
            for _ in 0..<9 {
                let answer = try await ask(client, path: "/no")
                #expect(answer.status == .forbidden)
            }
        }
        #expect(recorder.codes.count == 9)
        #expect(recorder.lines.allSatisfy { $0.contains(#""client":"c-1""#) && $0.contains(#""route":"/no""#) })
    }

    @Test(arguments: [
        (HTTPResponse.Status.requestTimeout, false), (.tooManyRequests, false),
        (.requestTimeout, true), (.tooManyRequests, true), (.internalServerError, true), (.serviceUnavailable, true),
    ])
    func errorsThatTheCallerDidNotCauseAreNotCharged(status: HTTPResponse.Status, isKnown: Bool) async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("no") { request, context -> Response in
                    if isKnown { context.outcome.caller = "c-1" }
                    return try Self.refuse(status)(request, context)
                }
            }
            return [RouteTable([routes], charge: charge)]
        }
        try await application.test(.router) { client in
            for _ in 0..<9 {
                let answer = try await ask(client, path: "/no")
                #expect(answer.status == status)
            }
        }
        #expect(recorder.codes.isEmpty)
    }

    @Test(arguments: [HTTPResponse.Status.internalServerError, .serviceUnavailable])
    func serverErrorIsChargedButNotCountedAsARefusal(status: HTTPResponse.Status) async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { $0.get("no", use: Self.refuse(status)) }
            return [RouteTable([routes], charge: charge)]
        }
        try await application.test(.router) { client in
            for _ in 0..<3 { #expect(try await ask(client, path: "/no").status == status) }
            let fourth = try await ask(client, path: "/no")
            #expect(fourth.status == .tooManyRequests && fourth.headers[.retryAfter] == "1")
        }
        #expect(recorder.codes.isEmpty)
    }

    /// The address is refused in the error format of the route, and charged like every other refusal.
    @Test func aControlCharacterInAnAddressIsRefusedInTheRoutesOwnForm() async throws {
        let application = try application { charge in
            let oauth = GuardedRoutes(refusal: Self.oauth) { $0.get("oauth/:id") { _, _ in "reached" } }
            let other = GuardedRoutes(refusal: Self.problem) { $0.get("other") { _, _ in "reached" } }
            return [RouteTable([oauth, other], charge: charge, below: "/oauth/")]
        }
        try await application.test(.router) { client in
            let first = try await ask(client, path: "/oauth/a%00")
            #expect(first.status == .badRequest && String(buffer: first.body).contains(#""error":"invalid_request""#))
            let unrouted = try await ask(client, path: "/oauth/a/b%1b")
            #expect(unrouted.status == .badRequest)
            #expect(String(buffer: unrouted.body).contains(#""error":"invalid_request""#))
            let other = try await ask(client, path: "/other?a=%00")
            #expect(other.status == .badRequest && String(buffer: other.body).contains(#""code":"address-invalid""#))
            #expect(try await ask(client, path: "/oauth/a%20b").status == .ok)
            #expect(try await ask(client, path: "/oauth/a%00").status == .badRequest)
            #expect(try await ask(client, path: "/oauth/a%00").status == .tooManyRequests)
        }
        #expect(recorder.codes == ["address-invalid", "address-invalid", "address-invalid"])
    }

    @Test func unexpectedErrorIsNamedByItsTypeOnlyInTheLog() async throws {
        let application = try application { charge in
            let routes = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("fail") { _, _ -> Response in throw Unforeseen() }
            }
            return [RouteTable([routes], charge: charge)]
        }
        try await application.test(.router) { client in
            let answer = try await ask(client, path: "/fail")
            #expect(answer.status == .internalServerError)
            #expect(!String(buffer: answer.body).contains("Unforeseen"))
        }
        let line = try #require(recorder.lines.last)
        #expect(line.contains("Unforeseen") && line.contains(#""level":"error""#) && !line.contains("4711"))
    }

    @Test func wrongMethodIsAnsweredWithTheAllowedOnesInTheRoutesFormat() async throws {
        let application = try application { charge in
            let oauth = GuardedRoutes(refusal: Self.oauth) {
                $0.post("token", use: Self.refuse(.badRequest))
            }
            let plain = GuardedRoutes(refusal: Self.problem) { routes in
                routes.put("things/:id", use: Self.refuse(.badRequest))
                routes.getAndHead("things/:id") { _, _ in Response(status: .ok) }
                routes.post("things/search", use: Self.refuse(.badRequest))
            }
            return [RouteTable([oauth, plain], charge: charge, below: "/things/")]
        }
        try await application.test(.router) { client in
            let token = try await ask(client, path: "/token", method: .get)
            #expect(token.status == .methodNotAllowed && token.headers[.allow] == "POST")
            #expect(String(buffer: token.body).contains(#""error":"invalid_request""#))
            let thing = try await ask(client, path: "/things/4711", method: .delete)
            #expect(thing.status == .methodNotAllowed && thing.headers[.allow] == "GET, HEAD, PUT")
            #expect(String(buffer: thing.body).contains(#""code":"method-not-allowed""#))
            // If one of several matching routes has the method, the path is unknown, not the method.
            #expect(try await ask(client, path: "/things/search", method: .get).status == .notFound)
            let unknown = try await ask(client, path: "/things/4711/more")
            #expect(unknown.status == .notFound && unknown.body.readableBytes > 0)
            let elsewhere = try await ask(client, path: "/nowhere")
            #expect(elsewhere.status == .notFound && elsewhere.body.readableBytes == 0)
        }
        #expect(recorder.codes.isEmpty)
        #expect(!recorder.lines.joined().contains("4711"))
    }

    @Test func specificRoutesPrecedeRoutesThatAreAddedLater() async throws {
        let application = try application { charge in
            let particular = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("things/first/:id") { _, context in
                    Response.json(["id": context.parameters.get("id") ?? ""])
                }
            }
            let later = GuardedRoutes(refusal: Self.problem) { routes in
                routes.getAndHead("things/:type/:id") { _, _ in Response(status: .accepted) }
                routes.get("things/:type/:id/more") { _, _ in Response(status: .accepted) }
            }
            return [
                RouteTable([], particular: [particular], charge: charge),
                RouteTable([later], charge: charge, reportsMethods: false),
            ]
        }
        try await application.test(.router) { client in
            let first = try await ask(client, path: "/things/first/4711")
            #expect(String(buffer: first.body) == #"{"id":"4711"}"#)
            #expect(try await ask(client, path: "/things/first/4711", method: .head).status == .accepted)
            #expect(try await ask(client, path: "/things/second/4711").status == .accepted)
            #expect(try await ask(client, path: "/things/first/4711/more").status == .accepted)
            let wrong = try await ask(client, path: "/things/first/4711", method: .delete)
            #expect(wrong.status == .methodNotAllowed && wrong.headers[.allow] == "GET")
        }
        #expect(recorder.lines.contains { $0.contains("first/{id}") && !$0.contains("4711") })
    }

    @Test func particularRoutesPassOtherRequestsToTheNextRoutes() async throws {
        let application = try application { charge in
            let particular = GuardedRoutes(refusal: Self.problem, takes: { $0.headers[.accept] == "ours" }) { routes in
                routes.get("things/:id") { _, _ in Response(status: .ok) }
            }
            let others = GuardedRoutes(refusal: Self.problem) { routes in
                routes.get("things/other") { _, _ in Response(status: .noContent) }
            }
            let later = GuardedRoutes(refusal: Self.problem) {
                $0.get("things/:id") { _, _ in Response(status: .accepted) }
            }
            return [
                RouteTable([], particular: [particular, others], charge: charge), RouteTable([later], charge: charge),
            ]
        }
        try await application.test(.router) { client in
            let ours = try await client.execute(uri: "/things/1", method: .get, headers: [.accept: "ours"]) {
                $0.status
            }
            #expect(ours == .ok)
            #expect(try await ask(client, path: "/things/1").status == .accepted)
            #expect(try await ask(client, path: "/things/other").status == .noContent)
        }
    }

    @Test func problemHasItsCodeDetailAndMembers() async throws {
        var failure = HTTPFailure(
            .unprocessableContent, code: "planned", message: "See \"/x\".", headers: [.retryAfter: "7"])
        failure.members = ["submission": "s-1", "cmhealth": 711, "code": "other", "status": 200]
        let response = failure.response
        #expect(response.status == .unprocessableContent && response.headers[.retryAfter] == "7")
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(response.headers[.cacheControl] == "no-store")
        let application = try application { charge in
            [RouteTable([GuardedRoutes(refusal: Self.problem) { $0.get("no") { _, _ in response } }], charge: charge)]
        }
        try await application.test(.router) { client in
            let answer = try await ask(client, path: "/no")
            #expect(
                String(buffer: answer.body)
                    == #"{"cmhealth":711,"code":"planned","detail":"See \"/x\".","status":422,"submission":"s-1","#
                    + #""title":"Unprocessable Content","type":"about:blank"}"#)
        }
    }

    @Test(arguments: [
        (HTTPResponse.Status.unauthorized, "unauthorized_client"), (.forbidden, "invalid_request"),
        (.tooManyRequests, "temporarily_unavailable"), (.serviceUnavailable, "temporarily_unavailable"),
    ])
    func oauthHasAnErrorCodeForEachStatus(status: HTTPResponse.Status, word: String) {
        #expect(OAuthFailure(HTTPFailure(status, code: "planned", message: "Planned.")).error == word)
    }
}
