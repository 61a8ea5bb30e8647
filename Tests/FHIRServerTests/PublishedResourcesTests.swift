import FHIR
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FHIRServer

/// Definitions, which are readable without authentication.
@Suite struct PublishedResourcesTests {
    static let definition = StructureDefinition.ofExtension(
        id: "grip", url: "urn:example:grip", name: "GripStrength", title: "Grip strength", text: "How strong.",
        contexts: ["Observation"], valueType: "Quantity")

    private func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> (status: Int, body: JSON) {
        var fixture = try await RecordsFixture()
        fixture.published = [Self.definition.object]
        let answer = try await fixture.application.test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: headers) {
                (status: Int($0.status.code), body: try JSON(Array($0.body.readableBytesView)))
            }
        }
        try await fixture.close()
        return answer
    }

    @Test func definitionsAreReadWithoutAToken() async throws {
        let found = try await get("/fhir/StructureDefinition/grip")
        #expect(found.status == 200)
        #expect(found.body == .object(Self.definition.object))
        #expect(try await get("/fhir/StructureDefinition/other").status == 404)
        #expect(try await get("/fhir/Observation/grip").status == 401)
        #expect(try await get("/fhir/CodeSystem/grip").status == 401, "a type of which none is published")
    }

    @Test(arguments: [
        ("", 1), ("?url=urn:example:grip", 1), ("?url=urn:example:other", 0), ("?url=urn:a,urn:example:grip", 1),
        ("?_id=grip&name=grip", 1), ("?_id=grip&name=strength", 0), ("?unknown=1", 1),
    ])
    func definitionsAreSearchedWithoutAToken(query: String, count: Int) async throws {
        let found = try await get("/fhir/StructureDefinition\(query)")
        #expect(found.status == 200)
        #expect(found.body["total"]?.integer == count)
        let matches = (found.body["entry"]?.array ?? []).filter { $0["search"]?["mode"] == "match" }
        #expect(matches.count == count)
    }

    @Test func unknownParameterIsAnErrorWithStrictHandling() async throws {
        let field = HTTPField.Name("Prefer")
        let headers = HTTPFields([HTTPField(name: try #require(field), value: "handling=strict")])
        #expect(try await get("/fhir/StructureDefinition?unknown=1", headers).status == 400)
    }

    /// They are searched like records.
    @Test func searchOfDefinitionsHasPagesAndSubsets() async throws {
        var fixture = try await RecordsFixture()
        fixture.published = (0..<5).map { number in
            StructureDefinition.ofExtension(
                id: "d\(number)", url: "urn:example:d\(number)", name: "Grip\(number)", title: "Grip",
                text: "How strong.",
                contexts: ["Observation"], valueType: "Quantity"
            ).object
        }
        let strict = HTTPFields([HTTPField(name: .prefer, value: "handling=strict")])
        func get(_ query: String, _ headers: HTTPFields = strict) async throws -> (status: Int, body: JSON) {
            try await fixture.application.test(.router) { client in
                try await client.execute(
                    uri: query.hasPrefix("/") ? query : "/fhir/StructureDefinition" + query, method: .get,
                    headers: headers
                ) { (Int($0.status.code), try JSON(Array($0.body.readableBytesView))) }
            }
        }
        func ids(_ bundle: JSON) -> [String] {
            (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
        }
        var (found, path) = ([String](), "?_count=2")
        for count in [2, 2, 1] {
            let page = try await get(path).body
            #expect(page["total"] == 5 && page["entry"]?.array?.count == count)
            found += ids(page)
            guard let next = (page["link"]?.array ?? []).first(where: { $0["relation"] == "next" })?["url"]?.string
            else {
                #expect(count == 1)
                break
            }
            path = String(next[try #require(next.range(of: "/fhir/")).lowerBound...])
        }
        #expect(found == (0..<5).map { "d\($0)" })
        for query in ["?_count=0", "?_summary=count"] {
            let counted = try await get(query).body
            #expect(counted["total"] == 5 && counted["entry"] == nil, "\(query)")
        }
        for query in ["?_summary=true", "?_elements=url", "/fhir/StructureDefinition/d1?_summary=true"] {
            let body = try await get(query).body
            let first = body["entry"]?[0]?["resource"] ?? body
            #expect(first["url"] != nil && first["differential"] == nil, "\(query)")
            #expect(first["meta"]?["tag"]?[0]?["code"] == "SUBSETTED", "\(query)")
        }
        #expect(ids(try await get("?type=Extension&status=active&url:below=urn:example:d3").body) == ["d3"])
        #expect(ids(try await get("?_total=none&name:contains=RIP3").body) == ["d3"])
        let lenient = try await get("?foo=1", [:])
        #expect(lenient.status == 200 && lenient.body["entry"]?[5]?["search"]?["mode"] == "outcome")
        for query in ["?foo=1", "?_sort=name", "?_include=StructureDefinition:base", "?_count=x", "?_cursor=x"] {
            #expect(try await get(query).status == 400, "\(query)")
        }
        try await fixture.close()
    }

    @Test func capabilityStatementNamesTheDefinitions() async throws {
        let resources = try await get("/fhir/metadata").body["rest"]?[0]?["resource"]?.array ?? []
        let types = resources.compactMap { $0["type"]?.string }
        #expect(types.contains("StructureDefinition") && Set(types).count == types.count)
        let definition = resources.first { $0["type"] == "StructureDefinition" }
        #expect(definition?["interaction"]?.array?.compactMap { $0["code"]?.string } == ["read", "search-type"])
    }
}
