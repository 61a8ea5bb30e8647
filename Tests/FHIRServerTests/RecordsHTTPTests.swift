import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import Testing

@testable import FHIRSearch

/// HTTP's rules for the API: methods, media types, conditional reads, links.
@Suite struct RecordsHTTPTests {
    private struct Answer: Sendable {
        let status: Int
        let headers: HTTPFields
        let body: ByteBuffer

        var json: JSON {
            get throws { try JSON(Array(body.readableBytesView)) }
        }
    }

    private func send(
        _ fixture: RecordsFixture, method: HTTPRequest.Method, path: String, headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> Answer {
        var fields = headers
        fields[.authorization] = "Bearer \(fixture.token)"
        return try await fixture.application.test(.router) { [fields] client in
            try await client.execute(
                uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) }
            ) {
                Answer(status: Int($0.status.code), headers: $0.headers, body: $0.body)
            }
        }
    }

    @Test func readHasTheVersionAndTimeInItsHeaders() async throws {
        let fixture = try await RecordsFixture()
        let at = try #require(DateTime.init("2026-02-01T03:04:05.678Z")?.start())
        try await fixture.put(observation("a"), at: at)
        let answer = try await send(fixture, method: .get, path: "/fhir/Observation/a")
        #expect(answer.headers[.eTag] == "W/\"1\"")
        #expect(answer.headers[.lastModified] == "Sun, 01 Feb 2026 03:04:05 GMT")
        #expect(answer.headers[.contentType] == "application/fhir+json; charset=utf-8")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(try answer.json["meta"]?["lastUpdated"] == "2026-02-01T03:04:05.678Z")
        try await fixture.close()
    }

    @Test(arguments: [
        ("W/\"1\"", 304), ("\"1\"", 304), ("W/\"9\", W/\"1\"", 304), ("*", 304), ("W/\"2\"", 200), ("1", 200),
        ("W/\"11\"", 200),
    ])
    func unmodifiedResourceIsNotSentAgain(tags: String, status: Int) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        let answer = try await send(fixture, method: .get, path: "/fhir/Observation/a", headers: [.ifNoneMatch: tags])
        #expect(answer.status == status)
        #expect((answer.body.readableBytes == 0) == (status == 304))
        #expect(answer.headers[.eTag] == "W/\"1\"")
        try await fixture.close()
    }

    @Test func headIsGetWithoutABody() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        for path in ["/fhir/Observation/a", "/fhir/Observation", "/fhir/metadata", "/fhir/Observation/a/_history/1"] {
            let answer = try await send(fixture, method: .head, path: path)
            #expect(answer.status == 200, "\(path)")
            #expect(answer.body.readableBytes == 0)
        }
        for (path, status) in [
            ("/fhir/Observation/none", 404), ("/fhir/metadata/x/y", 404), ("/fhir/Nonsense", 404),
        ] {
            let refused = try await send(fixture, method: .head, path: path)
            #expect(refused.status == status && refused.body.readableBytes == 0, "\(path)")
            #expect(refused.headers[.contentType] == "application/fhir+json; charset=utf-8")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        ("POST", "/fhir/Observation/a", "DELETE, GET, HEAD, PATCH, PUT"),
        ("TRACE", "/fhir/Observation", "DELETE, GET, HEAD, PATCH, POST, PUT"), ("PUT", "/fhir", "GET, HEAD, POST"),
        ("GET", "/fhir/Observation/_search", "POST"), ("DELETE", "/fhir/metadata", "GET, HEAD"),
        ("PUT", "/fhir/metadata", "GET, HEAD"), ("POST", "/fhir/metadata", nil),
        ("POST", "/fhir/Observation/a/_history", "GET, HEAD"),
    ])
    func unsupportedMethodsAreReportedWithTheAllowedOnes(method: String, path: String, allow: String?) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        let answer = try await send(fixture, method: try #require(HTTPRequest.Method(rawValue: method)), path: path)
        #expect(answer.status == (allow == nil ? 404 : 405))
        #expect(answer.headers[.allow] == allow)
        #expect(try answer.json["resourceType"] == "OperationOutcome")
        #expect(try await fixture.get("/fhir/Observation/a").0 == 200)
        try await fixture.close()
    }

    @Test(arguments: [
        ("application/fhir+json", 200), ("application/json", 200), ("*/*", 200),
        ("text/html, application/fhir+json;q=0.5", 200), ("application/*", 200),
        ("application/fhir+xml;q=0.9, application/json", 200),
        ("text/html", 406), ("application/json;q=0", 406), ("application/fhir+jsonp", 406),
    ])
    func acceptHeaderDecidesTheStatus(accept: String, status: Int) async throws {
        let fixture = try await RecordsFixture()
        let answer = try await send(fixture, method: .get, path: "/fhir/Observation", headers: [.accept: accept])
        #expect(answer.status == status, "\(accept)")
        #expect(try answer.json["resourceType"] == (status == 200 ? "Bundle" : "OperationOutcome"))
        try await fixture.close()
    }

    @Test(arguments: [("json", 200), ("application/fhir+json", 200), ("application/fhir%2Bjson", 200), ("turtle", 406)])
    func theFormatOverridesTheHeader(format: String, status: Int) async throws {
        let fixture = try await RecordsFixture()
        let answer = try await send(
            fixture, method: .get, path: "/fhir/Observation?_format=\(format)", headers: [.accept: "text/html"])
        #expect(answer.status == status)
        try await fixture.close()
    }

    @Test func aSearchFormIsAForm() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a b".replacingOccurrences(of: " ", with: "-")))
        func search(_ body: String, _ type: String?) async throws -> Answer {
            var headers: HTTPFields = [:]
            headers[.contentType] = type
            return try await send(
                fixture, method: .post, path: "/fhir/Observation/_search", headers: headers, body: body)
        }
        let form = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(try await search("code=8867-4", form).json["total"] == 1)
        #expect(try await search("code=8867-4&_id=x", form).json["total"] == 0)
        #expect(try await search("", nil).json["total"] == 1)
        #expect(try await search("{}", "application/json").status == 415)
        #expect(try await search("code=%FF", form).status == 400)
        #expect(try await search(String(repeating: "x", count: 70_000), form).status == 413)
        let compressed: HTTPFields = [.contentType: form, .contentEncoding: "gzip"]
        #expect(
            try await send(
                fixture, method: .post, path: "/fhir/Observation/_search", headers: compressed, body: "_id=x"
            ).status == 415)
        try await fixture.close()
    }

    @Test(arguments: [
        ("code=%38867-4", 1), ("%63ode=x", 0), ("date=2026-03-01T10:00:00+02:00", 1),
        ("code=8867-4&&", 1), ("code", 1),
    ])
    func percentEncodedQueriesAreRead(query: String, total: Int) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        #expect(try await fixture.get("/fhir/Observation?\(query)").1["total"]?.text() == "\(total)")
        try await fixture.close()
    }

    @Test func invalidPercentEncodingIsRefused() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        for path in [
            "Observation?code=%ZZ", "Observation?code=%FF", "Observation?%ZZ=1", "Observation?code=%", "?_id=%C3",
            "Observation?code=a%00", "Observation/a?_elements=%ZZ", "Patient/p1/Observation?code=%E2%82",
        ] {
            let (status, json) = try await fixture.get("/fhir/" + path)
            #expect(status == 400 && json["resourceType"] == "OperationOutcome", "\(path)")
        }
        try await fixture.close()
    }

    /// The link contains the parameter with its modifier, and the colon escaped.
    @Test func nextPageKeepsTheModifier() async throws {
        let fixture = try await RecordsFixture()
        for id in ["a", "b", "c"] { try await fixture.put(observation(id)) }
        try await fixture.put(observation("d", subject: "p2"))
        var path: String? = "/fhir/Observation?subject:Patient=p1&_count=1"
        var ids: [String] = []
        while let page = path, ids.count < 9 {
            let bundle = try await send(fixture, method: .get, path: page).json
            #expect(bundle["total"] == 3)
            ids += (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
            let next = bundle["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            path = next.flatMap { next in next.range(of: "/fhir/").map { String(next[$0.lowerBound...]) } }
        }
        #expect(ids.sorted() == ["a", "b", "c"])
        try await fixture.close()
    }

    @Test func deletedResourceIsGone() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        try await fixture.database.write { transaction in
            try transaction.execute("UPDATE record SET deleted = 1")
            try transaction.execute("UPDATE record_version SET deleted = 1")
        }
        for path in ["/fhir/Observation/a", "/fhir/Observation/a/_history/1"] {
            let (status, json) = try await fixture.get(path)
            #expect(status == 410)
            #expect(json["issue"]?[0]?["code"] == "deleted")
        }
        #expect(try await fixture.ids("/fhir/Observation") == [])
        let entry = try await fixture.get("/fhir/Observation/a/_history").1["entry"]?[0]
        #expect(entry?["request"]?["method"] == "DELETE")
        #expect(entry?["resource"] == nil)
        try await fixture.close()
    }

    @Test(arguments: ["/fhir/Observation/a/_history/x", "/fhir/Observation/a/_history/0", "/fhir/Observation/a%2Fb"])
    func invalidVersionOrIDIsNotFound(path: String) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        #expect(try await fixture.get(path).0 == 404)
        try await fixture.close()
    }

    @Test func aHistoryIsPagedFromTheNewest() async throws {
        let fixture = try await RecordsFixture()
        for number in 1...5 { try await fixture.put(observation("a", code: "\(number)-0")) }
        var path = "/fhir/Observation/a/_history?_count=2"
        var versions: [String] = []
        for _ in 0..<4 {
            let (status, bundle) = try await fixture.get(path)
            #expect(status == 200)
            #expect(bundle["total"] == 5)
            #expect(bundle["type"] == "history")
            versions += (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["meta"]?["versionId"]?.string }
            let next = bundle["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            guard let next, let start = next.range(of: "/fhir/") else { break }
            path = String(next[start.lowerBound...])
        }
        #expect(versions == ["5", "4", "3", "2", "1"])
        for query in ["_count=x", "_count=-1", "_cursor=5", "_cursor=n!", "_cursor=n-1"] {
            #expect(try await fixture.get("/fhir/Observation/a/_history?\(query)").0 == 400, "\(query)")
        }
        try await fixture.close()
    }

    /// Returns a value that a parameter accepts.
    private static func value(for parameter: SearchParameterTable.Parameter) -> String {
        switch parameter.kind {
        case .date: "2026"
        case .number, .quantity: "1"
        case .composite:
            parameter.components.compactMap { SearchParameterTable.r4.parameter(id: $0.id) }.map(value)
                .joined(separator: "$")
        default: "x"
        }
    }

    /// Every parameter and type of the statement is supported, and no other one.
    @Test func capabilityStatementMatchesTheServer() async throws {
        let fixture = try await RecordsFixture()
        let prefer = try #require(HTTPFields.Element.Name("Prefer"))
        let statement = try await fixture.get("/fhir/metadata").1
        #expect(statement["rest"]?[0]?["security"] != nil)
        for resource in statement["rest"]?[0]?["resource"]?.array ?? [] {
            let type = try #require(resource["type"]?.string)
            let names = resource["searchParam"]?.array?.compactMap { $0["name"]?.string } ?? []
            #expect(Set(names).count == names.count)
            // The audit has parameters of its own only.
            let general = type == "AuditEvent" ? ["patient", "date", "agent"] : ["_id", "_lastUpdated", "_security"]
            #expect(Set(names).isSuperset(of: general))
            for name in names {
                let value = try Self.value(
                    for: #require(ParameterPathTrie.of(type)?.parameters.first { $0.code == name }))
                let answer = try await send(
                    fixture, method: .get, path: "/fhir/\(type)?\(name)=\(value)",
                    headers: [prefer: "return=minimal, handling=strict"])
                #expect(answer.status == 200, "\(type) \(name)")
            }
        }
        for type in ["Resource", "DomainResource", "observation", "Nonsense"] {
            #expect(try await fixture.get("/fhir/\(type)").0 == 404, "\(type)")
        }
        try await fixture.close()
    }

    @Test func logsAndFailuresRepeatNoToken() async throws {
        let fixture = try await RecordsFixture()
        let answer = try await fixture.get("/fhir/Observation/none", token: "secret-token-text")
        #expect(answer.0 == 401)
        #expect(!answer.1.text().contains("secret-token-text"))
        try await fixture.close()
    }
}
