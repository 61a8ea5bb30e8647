import AccessPolicy
import Foundation
import HTTPTypes
import Identity
import Testing

/// Scripts of registered apps can read the FHIR API from their own origins; other scripts cannot.
@Suite struct CrossOriginTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        _ = try await fixture.access.clients.createClient(
            NewClient(
                name: "app", proof: .none, redirectURIs: ["https://app.example/back"],
                scopes: AccessScopes("user/*.rs")), by: Actor(id: "site", role: .site))
        try await fixture.put(observation("o1"))
        return fixture
    }

    @Test func s11ScriptsOfARegisteredAppReadWithTheirToken() async throws {
        let fixture = try await fixture()
        for (path, token, status) in [
            ("/fhir/Observation/o1", "writer", 200), ("/fhir/Observation?code=8867-4", "writer", 200),
            ("/fhir?_type=Observation", "writer", 200), ("/fhir/Observation/none", "writer", 404),
            ("/fhir/Observation/o1", "", 401),
            ("/fhir/none/of/these/paths", "writer", 404),
        ] {
            let answer = try await fixture.send(.get, path, token: token, headers: [.origin: "https://app.example"])
            #expect(answer.status == status, "\(path)")
            #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example", "\(path)")
            #expect(answer.headers[.accessControlExposeHeaders]?.contains("ETag") == true)
            #expect(
                answer.headers[.accessControlAllowCredentials] == nil
                    && answer.headers[.vary]?.hasPrefix("Origin") == true)
        }
        try await fixture.close()
    }

    @Test func s11ScriptsOfOtherOriginsReadNothing() async throws {
        let fixture = try await fixture()
        for origin in [
            "https://evil.example", "null", "https://app.example.evil.example", "http://app.example",
            "https://app.example:8443", String(repeating: "a", count: 5_000),
        ] {
            for method in [HTTPRequest.Method.get, .options] {
                let answer = try await fixture.send(
                    method, "/fhir/Observation/o1",
                    headers: [.origin: origin, .accessControlRequestMethod: "GET"])
                #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(method) \(origin)")
                #expect(answer.headers[.vary] == "Origin")
                #expect(answer.status == (method == .get ? 200 : 204))
                #expect(answer.headers[.accessControlAllowMethods] == nil)
            }
        }
        try await fixture.close()
    }

    /// SMART App Launch 2.2, Considerations for CORS.
    @Test func everyOriginReadsTheMetadata() async throws {
        let fixture = try await fixture()
        for path in ["/fhir/metadata", "/fhir/metadata?_format=xml", "/openapi.json"] {
            for origin in ["https://inferno.example", "null"] {
                let answer = try await fixture.send(.head, path, token: "", headers: [.origin: origin])
                #expect(answer.status == 200 && answer.headers[.accessControlAllowOrigin] == "*", "\(path)")
                let preflight = try await fixture.send(
                    .options, path, token: "", headers: [.origin: origin, .accessControlRequestMethod: "GET"])
                #expect(preflight.status == 204 && preflight.headers[.accessControlAllowOrigin] == "*")
                #expect(preflight.headers[.accessControlAllowMethods] == "GET, HEAD")
            }
        }
        try await fixture.close()
    }

    @Test func everyRouteAnswersAPreflight() async throws {
        let fixture = try await fixture()
        for path in [
            "/fhir", "/fhir/Observation", "/fhir/Observation/o1", "/fhir/Observation/o1/_history/1", "/fhir/_history",
            "/fhir/Observation/_search", "/fhir/Patient/p1/$everything", "/fhir/Observation/$validate", "/fhir/Binary",
        ] {
            let answer = try await fixture.send(
                .options, path, token: "",
                headers: [.origin: "https://app.example", .accessControlRequestMethod: "POST"])
            #expect(
                answer.status == 204 && answer.headers[.accessControlAllowOrigin] == "https://app.example", "\(path)")
        }
        try await fixture.close()
    }

    @Test func preflightListsAllowedMethodsAndHeaders() async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .options, "/fhir/Observation/o1", token: "",
            headers: [.origin: "https://app.example", .accessControlRequestMethod: "PUT"])
        #expect(answer.status == 204)
        #expect(answer.headers[.accessControlAllowMethods]?.contains("PUT") == true)
        #expect(answer.headers[.accessControlAllowHeaders]?.contains("If-Match") == true)
        try await fixture.close()
    }
}
