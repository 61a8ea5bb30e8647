import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FHIRServer
@testable import ServerHTTP

/// Documents that need no authentication: the descriptions of the API and the page for browsers.
@Suite struct OpenDocumentTests {
    private static let definitions: [JSONObject] = ["a", "b"].map { id in
        var object = JSONObject(resourceType: "StructureDefinition")
        object["id"] = .string(id)
        object["name"] = .string("Definition" + id)
        object["description"] = .string(String(repeating: "text ", count: 1_000))
        return object
    }

    private func ask(
        _ application: some ApplicationProtocol, path: String, headers: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        try await application.test(.router) { try await $0.execute(uri: path, method: method, headers: headers) }
    }

    @Test(arguments: [
        "/openapi.json", "/fhir/metadata", "/fhir/metadata?_format=xml", "/fhir/StructureDefinition",
        "/fhir/StructureDefinition/a",
    ])
    func aDocumentIsGeneratedOnceAndThenSentAsBytes(path: String) async throws {
        var fixture = try await RecordsFixture()
        fixture.published = Self.definitions
        let routes = RecordsRoutes(
            database: fixture.database, access: fixture.access, published: fixture.published, clock: { Date() })
        let application = fixture.serving(routes)
        let first = try await ask(application, path: path)
        #expect(first.status == .ok && first.body.readableBytes > 1_400)
        let tag = try #require(first.headers[.eTag])
        for _ in 0..<20 {
            let next = try await ask(application, path: path)
            #expect(next.body == first.body && next.headers[.eTag] == tag)
        }
        let known = try await ask(application, path: path, headers: [.ifNoneMatch: tag])
        #expect(known.status == .notModified && known.body.readableBytes == 0 && known.headers[.eTag] == tag)
        #expect(try await ask(application, path: path, headers: [.ifNoneMatch: "W/\"other\""]).status == .ok)
        let gzip = try await ask(application, path: path, headers: [.acceptEncoding: "gzip"])
        #expect(gzip.headers[.contentEncoding] == "gzip" && gzip.body.readableBytes < first.body.readableBytes)
        #expect(gzip.headers[.vary]?.contains("Accept-Encoding") == true)
        let head = try await ask(application, path: path, method: .head)
        #expect(head.headers[.contentLength] == String(first.body.readableBytes) && head.body.readableBytes == 0)
        #expect(routes.documents.generations == 1)
        try await fixture.close()
    }

    @Test func theFormatsOfTheMetadataAreTwoDocuments() async throws {
        let fixture = try await RecordsFixture()
        let application = fixture.application
        let json = try await ask(application, path: "/fhir/metadata", headers: [.accept: "application/fhir+json"])
        let xml = try await ask(application, path: "/fhir/metadata", headers: [.accept: "application/fhir+xml"])
        #expect(json.headers[.eTag] != xml.headers[.eTag] && json.headers[.vary]?.contains("Accept") == true)
        let statement = try JSON(Array(json.body.readableBytesView))
        // An AuditEvent is made when it is read.
        let resources = (statement["rest"]?[0]?["resource"]?.array ?? []).filter { $0["type"] != "AuditEvent" }
        #expect(!resources.isEmpty && resources.allSatisfy { $0["conditionalRead"] == "not-match" })
        try await fixture.close()
    }

    @Test func theCacheIsBounded() {
        let documents = CachedDocuments(maximumBytes: 10_000)
        for number in 0..<100 {
            let document = documents.document("\(number)", mediaType: "text/plain") {
                ByteBuffer(repeating: UInt8(number), count: 1_000)
            }
            #expect(document.bytes.readableBytes == 1_000)
        }
        #expect(documents.generations == 100)
        _ = documents.document("99", mediaType: "text/plain") { ByteBuffer() }
        #expect(documents.generations == 100)
        _ = documents.document("0", mediaType: "text/plain") { ByteBuffer() }
        #expect(documents.generations == 101)
        // A document that is larger than the cache is sent and not cached.
        for _ in 0..<2 { _ = documents.document("x", mediaType: "a/b") { ByteBuffer(repeating: 1, count: 20_000) } }
        #expect(documents.generations == 103)
    }

    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(arguments: ["/", "/fhir", "/fhir/"])
    func aBrowserGetsAPage(path: String) async throws {
        let fixture = try await RecordsFixture()
        let routes = RecordsRoutes(
            database: fixture.database, access: fixture.access, address: PublicAddress("https://study.example/x"),
            oauthURIs: { [:] }, title: "Sleep <and> mood", version: "1.2.3", clock: { Date() })
        let application = fixture.serving(routes)
        for accept in [Self.browser, "text/html"] {
            let answer = try await ask(application, path: path, headers: [.accept: accept])
            #expect(answer.status == .ok && answer.headers[.contentType] == "text/html; charset=utf-8")
            let text = String(buffer: answer.body)
            for part in [
                "Sleep &lt;and&gt; mood", "1.2.3", "https://study.example/x/fhir/metadata", "/openapi.json",
                "/fhir/.well-known/smart-configuration", "tributary token create", "width=device-width",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(!text.contains("<script") && !text.contains(" style=") && !text.contains("src="))
            let policy = answer.headers[.contentSecurityPolicy] ?? ""
            #expect(
                policy.hasPrefix("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'"))
            #expect(
                answer.headers[.contentTypeOptions] == "nosniff" && answer.headers[.vary]?.contains("Accept") == true)
        }
        try await fixture.close()
    }

    @Test func programDoesNotGetThePageForBrowsers() async throws {
        let fixture = try await RecordsFixture()
        for (path, accept, status) in [
            ("/fhir", "application/fhir+json", 401), ("/fhir", "*/*", 401), ("/fhir?_type=Patient", Self.browser, 401),
            ("/fhir", "application/fhir+json, text/html;q=0.5", 401), ("/", "*/*", 404),
            ("/fhir/Patient", Self.browser, 401),
        ] {
            let answer = try await ask(fixture.application, path: path, headers: [.accept: accept])
            #expect(Int(answer.status.code) == status, "\(path) \(accept)")
        }
        try await fixture.close()
    }

    /// RFC 6750 section 3.1: the response to a request without a token contains no error code.
    @Test func invalidTokenIsReported() async throws {
        let fixture = try await RecordsFixture()
        for path in ["/fhir/Patient/a", "/fhir/Patient", "/fhir/_history"] {
            let none = try await ask(fixture.application, path: path)
            #expect(none.status == .unauthorized && none.headers[.wwwAuthenticate] == "Bearer realm=\"tributary\"")
            let wrong = try await ask(fixture.application, path: path, headers: [.authorization: "Bearer wrong"])
            #expect(wrong.status == .unauthorized)
            #expect(wrong.headers[.wwwAuthenticate]?.contains("error=\"invalid_token\"") == true)
            let json = try JSON(Array(wrong.body.readableBytesView))
            #expect(json["issue"]?[0]?["details"]?["text"] == "not-authenticated")
        }
        try await fixture.close()
    }
}
