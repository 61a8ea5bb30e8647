import Foundation
import Hummingbird
import Logging
import ServerHTTP
import StudyFiles
import StudyOperations
import TestSupport
import Testing

@testable import TributaryServer

/// The middlewares of the server as it is composed of all modules.
@Suite struct SearchMiddlewareTests {
    /// The limit of docs/architecture.md.
    private static let limit = 5

    private func withDispatcher(_ body: (RequestDispatcher) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study"), antispam: "a-secret-word",
            now: Date())
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try StudyServer(folder: folder, options: ServerOptions(port: 0), logger: logger)
        let stores = try StudyStores(folder)
        let opened = try await server.open(stores, PrometheusRegistry())
        let gateway = try #require(server.gateway(opened))
        let dispatcher = try server.makeDispatcher(
            opened, refusals: server.refusalCounter(opened), bodies: BodyBudget(bytes: 1 << 20),
            exports: nil, gateway: gateway, work: AccountWork(), hasRoom: { true })
        try await body(dispatcher)
        try await opened.queue?.close()
        try await opened.records?.close()
    }

    private func names(
        _ method: HTTPRequest.Method, _ path: String, in dispatcher: RequestDispatcher
    ) async -> [String] {
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return await dispatcher.middlewares(for: request).map { String(describing: type(of: $0)) }
    }

    @Test func aSearchPassesNoMoreThanFiveMiddlewares() async throws {
        try await withDispatcher { dispatcher in
            let expected = [
                "CompressionMiddleware", "CrossOriginMiddleware", "LongWorkMiddleware", "RefusalMiddleware",
                "FormatMiddleware",
            ]
            for (method, path) in [
                (HTTPRequest.Method.get, "/fhir/Observation?code=1"), (.get, "/fhir?_type=Patient"),
                (.get, "/fhir/Questionnaire"), (.get, "/fhir/Patient/1/Observation"),
                (.post, "/fhir/Observation/_search"), (.post, "/fhir/Patient/1/Observation/_search"),
            ] {
                let passed = await names(method, path, in: dispatcher)
                #expect(passed.count <= Self.limit, "\(method) \(path): \(passed)")
                #expect(passed == expected, "\(method) \(path)")
            }
        }
    }

    @Test func aPageAndASignInPassNoMiddlewareOfTheFHIRAPI() async throws {
        try await withDispatcher { dispatcher in
            #expect(await names(.get, "/oauth2/authorize", in: dispatcher) == ["RefusalMiddleware"])
            #expect(
                await names(.post, "/oauth2/token", in: dispatcher) == ["RefusalMiddleware", "CrossOriginMiddleware"])
        }
    }
}
