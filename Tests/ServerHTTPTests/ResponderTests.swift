import Hummingbird
import Logging
import NIOEmbedded
import Synchronization
import Testing

@testable import ServerHTTP

@Suite struct ResponderTests {
    struct Secret: Error {
        let text = "patient-4711"
    }

    /// The log lines.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var text: String { lines.withLock { $0.joined() } }
        var count: Int { lines.withLock { $0.count } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    let lines = Lines()
    let shutdown = ShutdownState()
    let registry = PrometheusRegistry()

    func respond(
        _ path: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], isSecure: Bool = false
    ) async throws -> Response {
        let router = Router(context: ServerRequestContext.self)
        router.get("participants/:id") { _, _ in "fine" }
        router.get("fail") { _, _ -> String in throw Secret() }
        router.get("busy") { _, _ -> String in throw HTTPFailure.serverBusy(retryAfter: 7) }
        router.head("refused") { _, _ -> String in throw HTTPFailure.serverBusy(retryAfter: 7) }
        RouteList(router.group()).getAndHead("both") { _, _ in Response.json(["a": "b"]) }
        let responder = ServingResponder(
            router: router.buildResponder(), trustedProxies: [], isSecure: isSecure, shutdown: shutdown,
            metrics: RequestMetrics(factory: registry), logLevel: .info)
        let logger = Logger(label: "http") { [lines] label in JSONLogHandler(label: label) { lines.add($0) } }
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
        return try await responder.respond(to: request, context: ServerRequestContext(source: source))
    }

    @Test func eachRequestGetsANewID() async throws {
        let headers: HTTPFields = [.requestID: "theirs"]
        let first = try await respond("/participants/4711", headers: headers)
        let second = try await respond("/participants/4711", headers: headers)
        let ids = [first, second].compactMap { $0.headers[.requestID] }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
        #expect(ids.allSatisfy(lines.text.contains))
    }

    @Test func logLineDescribesTheRequestWithoutPersonalData() async throws {
        _ = try await respond(
            "/participants/4711?name=Berta", headers: [.authorization: "Bearer geheim", .requestID: "theirs"])
        _ = try await respond("/nowhere/4711")
        _ = try await respond("/participants/4711", method: .init("GEHEIM")!)
        #expect(lines.count == 3)
        for word in ["4711", "Berta", "geheim", "GEHEIM", "theirs", "nowhere"] {
            #expect(!lines.text.contains(word), "\(word)")
        }
        #expect(lines.text.contains(#""method":"GET""#))
        #expect(lines.text.contains(#""status":"200""#))
        #expect(lines.text.contains(#""status":"404""#))
        #expect(lines.text.contains(#""address":"local""#))
        #expect(lines.text.contains(#""route":"/participants/{id}""#))
        #expect(lines.text.contains(#""milliseconds":""#))
    }

    @Test func unknownErrorRevealsNothing() async throws {
        let response = try await respond("/fail")
        #expect(response.status == .internalServerError)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(lines.text.contains("Secret"))
        #expect(!lines.text.contains("patient-4711"))
    }

    @Test func failureHasARetryAfterHeader() async throws {
        let response = try await respond("/busy")
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] == "7")
    }

    /// A readiness probe sends a request every few seconds.
    @Test func unavailableResponseOfAnotherRouteIsNotAnError() async throws {
        _ = try await respond("/busy")
        #expect(lines.count == 1 && lines.text.contains(#""level":"info""#) && lines.text.contains(#""status":"503""#))
    }

    @Test func aHeadIsAnsweredAsAGetIsWithoutItsBody() async throws {
        let get = try await respond("/both")
        let head = try await respond("/both", method: .head)
        #expect(get.body.contentLength == 9 && head.body.contentLength == 0)
        #expect(head.status == .ok && head.headers[.contentLength] == "9")
        #expect(try await respond("/refused", method: .head).body.contentLength == 0)
    }

    @Test func requestDuringShutdownIsRefused() async throws {
        #expect(try await respond("/participants/1").status == .ok)
        shutdown.begin()
        let response = try await respond("/participants/1")
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] != nil)
        #expect(response.headers[.connection] == "close")
    }

    @Test func strictTransportSecurityIsSentOnlyOverTLS() async throws {
        #expect(try await respond("/participants/1").headers[.strictTransportSecurity] == nil)
        #expect(
            try await respond("/participants/1", isSecure: true).headers[.strictTransportSecurity] == "max-age=31536000"
        )
    }

    @Test func requestsAreCountedByMethodAndStatus() async throws {
        for _ in 0..<3 { _ = try await respond("/participants/1") }
        _ = try await respond("/participants/1", method: .init("WHATEVER")!)
        let text = await registry.text()
        #expect(text.contains(#"http_requests_total{method="GET",status="200"} 3"#))
        #expect(text.contains(#"http_requests_total{method="OTHER",status="404"} 1"#))
        #expect(text.contains("http_request_seconds_count 4\n"))
    }

    @Test(arguments: ["0.0.0.0", "192.0.2.1", "::", "example.org"])
    func plainHTTPBeyondThisMachineIsRefusedWithoutAProxy(host: String) throws {
        let logger = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        let router = Router(context: ServerRequestContext.self)
        #expect {
            try HTTPServer(responder: router.buildResponder(), address: .init(host: host, port: 0), logger: logger)
        } throws: {
            ($0 as? ServerHTTPError)?.code == "plain-http"
        }
        _ = try HTTPServer(
            responder: router.buildResponder(), address: .init(host: host, port: 0),
            trustedProxies: [IPNetwork("10.0.0.1")], logger: logger
        )
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func plainHTTPOnThisMachineIsAccepted(host: String) throws {
        let logger = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        _ = try HTTPServer(
            responder: Router(context: ServerRequestContext.self).buildResponder(), address: .init(host: host, port: 0),
            logger: logger)
    }
}
