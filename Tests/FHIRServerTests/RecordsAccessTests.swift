import Enrolments
import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import StorageTestSupport
import Submissions
import Testing

@testable import FHIRSearch

@Suite struct RecordsAccessTests {
    /// A route and whether it is public. A route with GET has HEAD too.
    private static let routes: [(method: HTTPRequest.Method, path: String, isPublic: Bool)] = [
        (.get, "/fhir/metadata", true),
        (.get, "/openapi.json", true),
        (.get, "/fhir", false),
        (.get, "/fhir/{type}", false),
        (.post, "/fhir/{type}/_search", false),
        (.get, "/fhir/{type}/{id}", false),
        (.get, "/fhir/_history", false),
        (.get, "/fhir/{type}/_history", false),
        (.get, "/fhir/{type}/{id}/_history", false),
        (.get, "/fhir/{type}/{id}/_history/{version}", false),
    ]

    /// The writing routes, which no token of the study team may use.
    private static let writes: [(method: HTTPRequest.Method, path: String)] = [
        (.post, "/fhir"), (.put, "/fhir/{type}"), (.patch, "/fhir/{type}"), (.patch, "/fhir/{type}/{id}"),
        (.delete, "/fhir/{type}"), (.delete, "/fhir/{type}/{id}"),
    ]
    /// The writing routes that a receiver has too.
    private static let plainWrites: [(method: HTTPRequest.Method, path: String)] = [
        (.post, "/fhir/{type}"), (.put, "/fhir/{type}/{id}"),
    ]

    /// The operations with the status for the study team's token.
    private static let operations: [(method: HTTPRequest.Method, path: String, status: Int)] = [
        // An Observation has no such operation.
        (.get, "/fhir/{type}/{id}/$everything", 404), (.post, "/fhir/{type}/{id}/$everything", 404),
        (.post, "/fhir/{type}/$validate", 200),
        (.post, "/fhir/{type}/{id}/$validate", 200),
        // An Observation has no compartment.
        (.get, "/fhir/{type}/{id}/{member}", 404), (.post, "/fhir/{type}/{id}/_search", 404),
        (.post, "/fhir/{type}/{id}/{member}/_search", 404),
    ]

    private func path(_ template: String) -> String {
        template.replacingOccurrences(of: "{type}", with: "Observation").replacingOccurrences(of: "{id}", with: "a")
            .replacingOccurrences(of: "{version}", with: "1")
    }

    @Test func registeredRoutesAreThoseTested() async throws {
        let fixture = try await RecordsFixture()
        let registered = fixture.routes.tables.flatMap(\.paths).map { "\($0.method.rawValue) \($0.path)" }
        let expected =
            (Self.routes.map { ($0.method, $0.path) } + Self.operations.map { ($0.method, $0.path) }).flatMap {
                (route: (method: HTTPRequest.Method, path: String)) in
                (route.method == .get ? ["GET", "HEAD"] : [route.method.rawValue]).map { "\($0) \(route.path)" }
            } + Self.writes.map { "\($0.method.rawValue) \($0.path)" } + ["OPTIONS /openapi.json"]
        #expect(registered.sorted() == expected.sorted())
        try await fixture.close()
    }

    /// Returns a device's token that is valid where devices are known: in the queue's store.
    private func deviceToken(_ fixture: RecordsFixture) async throws -> String {
        let queue = try await TestEngine.chosen.open(
            path: fixture.folder.appendingPathComponent("queue.sqlite").path,
            migrations: SubmissionsSchema.migrations)
        let devices = DeviceAccess(database: queue, clock: { Date() })
        let client = try await devices.registerClient(receiptDigest: "d")
        let device = try #require(
            try await devices.authenticateClient(id: client.clientID, secret: client.clientSecret))
        let token = try await devices.issueToken(for: device, lifetime: 60).token
        #expect(try await devices.authenticate(bearer: token) != nil)
        try await queue.close()
        return token
    }

    @Test func everyRouteButThePublicOnesNeedsAStaffToken() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        let deviceToken = try await deviceToken(fixture)
        for route in Self.routes {
            for (token, expected) in [(nil, 401), ("wrong", 401), (deviceToken, 401), (fixture.token, 200)] {
                var headers: HTTPFields = [:]
                if let token { headers[.authorization] = "Bearer \(token)" }
                let status = try await fixture.application.test(.router) { [headers] client in
                    try await client.execute(uri: path(route.path), method: route.method, headers: headers) {
                        response in
                        if response.status != .ok {
                            let json = try JSON(Array(response.body.readableBytesView))
                            #expect(json["resourceType"] == "OperationOutcome")
                        }
                        if response.status == .unauthorized { #expect(response.headers[.wwwAuthenticate] != nil) }
                        return Int(response.status.code)
                    }
                }
                #expect(status == (route.isPublic ? 200 : expected), "\(route.method) \(route.path)")
            }
        }
        try await fixture.close()
    }

    @Test func operationsNeedATokenThatSeesRecords() async throws {
        let fixture = try await RecordsFixture()
        let deviceToken = try await deviceToken(fixture)
        for route in Self.operations {
            for (token, expected) in [
                (nil, 401), ("wrong", 401), (deviceToken, 401), (fixture.token, route.status),
            ] {
                let (status, json, _) = try await fixture.send(
                    route.method, path(route.path), body: route.method == .post ? observation("a") : nil,
                    token: token ?? "", headers: [:])
                #expect(status == expected, "\(route.method) \(route.path)")
                #expect(json["resourceType"] == "OperationOutcome")
            }
        }
        try await fixture.close()
    }

    @Test func neitherTheStudyTeamsNorADevicesTokenWrites() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        let deviceToken = try await deviceToken(fixture)
        for route in Self.writes + Self.plainWrites {
            let criteria = route.path == "/fhir/{type}" && route.method != .post ? "?_id=a" : ""
            let body =
                switch (route.method, route.path) {
                case (.patch, _): "{}"
                case (.post, "/fhir"):
                    #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation/a"}}]}"#
                default: observation("a", code: "x")
                }
            for (token, expected) in [(nil, 401), ("wrong", 401), (deviceToken, 401), (fixture.token, 403)] {
                let (status, json, _) = try await fixture.send(
                    route.method, path(route.path) + criteria, body: body, token: token ?? "", headers: [:])
                #expect(status == expected, "\(route.method) \(route.path) \(json)")
                #expect(json["resourceType"] == "OperationOutcome")
            }
        }
        #expect(try await fixture.get("/fhir/Observation/a").1["meta"]?["versionId"] == "1")
        try await fixture.close()
    }

    @Test func everyReadLeavesAnAuditRow() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        _ = try await fixture.get("/fhir/Observation/a")
        _ = try await fixture.get("/fhir/Observation?code=x")
        let actions = try await fixture.database.read { transaction in
            try transaction.query("SELECT action FROM audit WHERE role = 'staff' ORDER BY action").map {
                try $0.text("action")
            }
        }
        #expect(actions.contains("read-record"))
        #expect(actions.contains("search-records"))
        try await fixture.close()
    }

    @Test func missingResourcesAreReportedAsOperationOutcomes() async throws {
        let fixture = try await RecordsFixture()
        for (path, status) in [
            ("/fhir/Observation/none", 404), ("/fhir/Practitioner/x", 404), ("/fhir/Nonsense", 404),
            ("/fhir/Observation/none/_history", 404), ("/fhir/Observation?_format=turtle", 406),
        ] {
            let (found, json) = try await fixture.get(path)
            #expect(found == status, "\(path)")
            #expect(json["resourceType"] == "OperationOutcome")
        }
        try await fixture.close()
    }

    @Test func matchingETagOmitsTheBody() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        #expect(try await fixture.get("/fhir/Observation/a", headers: [.ifNoneMatch: "W/\"1\""]).0 == 304)
        #expect(try await fixture.get("/fhir/Observation/a", headers: [.ifNoneMatch: "W/\"2\""]).0 == 200)
        try await fixture.close()
    }

    @Test func capabilityStatementNamesTheServedTypes() async throws {
        let fixture = try await RecordsFixture()
        let (_, json) = try await fixture.get("/fhir/metadata")
        #expect(json["fhirVersion"] == "4.0.1")
        let types = json["rest"]?[0]?["resource"]?.array?.compactMap { $0["type"]?.string } ?? []
        #expect(Set(RecordType.all).isSubset(of: types))
        try await fixture.close()
    }
}
