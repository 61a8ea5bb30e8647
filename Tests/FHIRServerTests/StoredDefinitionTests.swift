import FHIR
import Foundation
import HTTPTypes
import Testing

/// Code systems are stored like other records; those of the server cannot be written.
@Suite struct StoredDefinitionTests {
    private static let own = JSONObject(resourceType: "CodeSystem", id: "own").setting("url", "urn:example:own")

    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        fixture.published = [Self.own, PublishedResourcesTests.definition.object]
        try await fixture.addWriter()
        return fixture
    }

    private func codeSystem(_ id: String, _ url: String) -> String {
        """
        {"resourceType":"CodeSystem","id":"\(id)","url":"\(url)","status":"active","content":"complete",\
        "concept":[{"code":"animal","concept":[{"code":"cat"},{"code":"dog"}]},{"code":"plant"}]}
        """
    }

    private func coded(_ id: String, _ code: String) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"urn:example:kinds","code":"\#(code)"}]}}"#
    }

    @Test func aStoredCodeSystemIsReadAndFoundAndUsed() async throws {
        let fixture = try await fixture()
        let put = try await fixture.send(.put, "/fhir/CodeSystem/kinds", body: codeSystem("kinds", "urn:example:kinds"))
        #expect(put.status == 201, "\(put.json)")
        let posted = try await fixture.send(.post, "/fhir/CodeSystem", body: codeSystem("x", "urn:example:others"))
        #expect(posted.status == 201)
        #expect(try await fixture.send(.get, "/fhir/CodeSystem/kinds").json["url"] == "urn:example:kinds")
        #expect(try await fixture.send(.get, "/fhir/CodeSystem/kinds/_history").json["total"] == 1)
        let list = try await fixture.send(.get, "/fhir/CodeSystem").json
        #expect(list["total"] == 3 && list["entry"]?.array?.count == 3, "\(list)")
        #expect(try await fixture.ids("/fhir/CodeSystem?url=urn:example:kinds") == ["kinds"])
        for (id, code) in [("c", "cat"), ("a", "animal"), ("p", "plant")] {
            _ = try await fixture.send(.put, "/fhir/Observation/\(id)", body: coded(id, code))
        }
        let set =
            #"{"resourceType":"ValueSet","id":"v","status":"active","url":"urn:example:set","compose":{"include":[{"system":"urn:example:kinds"}]}}"#
        _ = try await fixture.send(.put, "/fhir/ValueSet/v", body: set)
        for (query, count) in [
            ("code:below=urn:example:kinds%7Canimal", 2), ("code:above=urn:example:kinds%7Ccat", 2),
            ("code:in=urn:example:set", 3), ("code:not-in=urn:example:set", 0),
        ] {
            let found = try await fixture.send(.get, "/fhir/Observation?\(query)").json
            #expect(found["total"]?.integer == count, "\(query) \(found)")
        }
        #expect(try await fixture.send(.delete, "/fhir/CodeSystem/kinds").status == 204)
        #expect(try await fixture.send(.get, "/fhir/CodeSystem/kinds").status == 410)
        try await fixture.close()
    }

    @Test func theServersOwnDefinitionsAreNotWritten() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let patch: HTTPFields = [.contentType: "application/merge-patch+json"]
        for answer in [
            try await fixture.send(.put, "/fhir/CodeSystem/own", body: codeSystem("own", "urn:example:another")),
            try await fixture.send(.put, "/fhir/CodeSystem/x", body: codeSystem("x", "urn:example:own")),
            try await fixture.send(.post, "/fhir/CodeSystem", body: codeSystem("x", "urn:example:own")),
            try await fixture.send(.delete, "/fhir/CodeSystem/own"),
            try await fixture.send(.patch, "/fhir/CodeSystem/own", body: "{}", headers: patch),
            try await fixture.send(
                .put, "/fhir/StructureDefinition/x", body: #"{"resourceType":"StructureDefinition","id":"x"}"#),
        ] { #expect(answer.status == 403 && code(answer.json) == "type-published", "\(answer.json)") }
        #expect(try await fixture.rows == rows)
        _ = try await fixture.send(.put, "/fhir/CodeSystem/x", body: codeSystem("x", "urn:example:x"))
        let renamed = try await fixture.send(
            .patch, "/fhir/CodeSystem/x", body: #"{"url":"urn:example:own"}"#, headers: patch)
        #expect(renamed.status == 403 && code(renamed.json) == "type-published", "\(renamed.json)")
        // Without a token only published resources are returned.
        let open = try await fixture.send(.get, "/fhir/CodeSystem", token: "")
        #expect(open.json["total"] == 1)
        #expect(try await fixture.send(.get, "/fhir/CodeSystem/own", token: "").status == 200)
        #expect(try await fixture.send(.get, "/fhir/CodeSystem/x", token: "").status == 404)
        let resources = try await fixture.send(.get, "/fhir/metadata").json["rest"]?[0]?["resource"]?.array ?? []
        let codes = resources.first { $0["type"] == "CodeSystem" }?["interaction"]?.array?.compactMap {
            $0["code"]?.string
        }
        #expect(codes?.contains("create") == true)
        try await fixture.close()
    }

    /// A subset of a resource does not replace the whole.
    @Test func subsetOfAResourceIsRefusedAsAnUpdate() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        let part = try await fixture.send(.get, "/fhir/Observation/a?_elements=status,code")
        #expect(part.json["meta"]?["tag"]?[0]?["code"] == "SUBSETTED")
        let text = String(decoding: part.json.bytes(), as: UTF8.self)
        let rows = try await fixture.rows
        let bundle =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"PUT","url":"Observation/a"},"resource":\#(text)}]}"#
        for answer in [
            try await fixture.send(.put, "/fhir/Observation/a", body: text),
            try await fixture.send(.put, "/fhir/Observation?identifier=urn:x%7Ca%5C%7Cv", body: text),
            try await fixture.send(.post, "/fhir", body: bundle),
        ] { #expect(answer.status == 422 && code(answer.json) == "subsetted-update", "\(answer.json)") }
        #expect(try await fixture.rows == rows)
        // If there is no whole resource, or the stored one is a subset, it is accepted.
        let other = text.replacingOccurrences(of: #""id":"a""#, with: #""id":"b""#)
        for status in [201, 200] {
            #expect(try await fixture.send(.put, "/fhir/Observation/b", body: other).status == status)
        }
        try await fixture.close()
    }
}

extension JSONObject {
    fileprivate func setting(_ name: String, _ value: String) -> JSONObject {
        var object = self
        object[name] = .string(value)
        return object
    }
}
