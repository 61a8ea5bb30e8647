import FHIR
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Records

/// Definitions, which everybody may read.
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

    @Test func areReadWithoutAToken() async throws {
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
    func areFoundWithoutAToken(query: String, count: Int) async throws {
        let found = try await get("/fhir/StructureDefinition\(query)")
        #expect(found.status == 200)
        #expect(found.body["total"]?.integer == count)
        #expect((found.body["entry"]?.array ?? []).count == count)
    }

    @Test func whoAsksToBeToldIsToldOfAnUnknownParameter() async throws {
        let field = HTTPField.Name("Prefer")
        let headers = HTTPFields([HTTPField(name: try #require(field), value: "handling=strict")])
        #expect(try await get("/fhir/StructureDefinition?unknown=1", headers).status == 400)
    }

    @Test func areAmongTheCapabilities() async throws {
        let resources = try await get("/fhir/metadata").body["rest"]?[0]?["resource"]?.array ?? []
        let types = resources.compactMap { $0["type"]?.string }
        #expect(types.contains("StructureDefinition") && Set(types).count == types.count)
        let definition = resources.first { $0["type"] == "StructureDefinition" }
        #expect(definition?["interaction"]?.array?.compactMap { $0["code"]?.string } == ["read", "search-type"])
    }
}
