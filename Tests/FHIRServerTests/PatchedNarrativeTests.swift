import FHIR
import Foundation
import HTTPTypes
import Testing

@testable import FHIRPatch

/// The narrative of a patched resource (https://hl7.org/fhir/R4/http.html#patch).
@Suite struct PatchedNarrativeTests {
    private static let div = #"<div xmlns=\"http://www.w3.org/1999/xhtml\">Body weight: 70 kg</div>"#

    private func body(_ status: String) -> String {
        #"{"resourceType":"Observation","id":"w","text":{"status":"\#(status)","div":"\#(Self.div)"},"status":"final","code":{"text":"w"},"valueQuantity":{"value":70,"unit":"kg"}}"#
    }

    private static let json = "application/json-patch+json"
    private static let parameters = """
        {"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},\
        {"name":"path","valueString":"Observation.value.value"},{"name":"value","valueDecimal":90}]}]}
        """

    @Test(arguments: [
        ("generated", json, #"[{"op":"replace","path":"/valueQuantity/value","value":90}]"#, 200, false),
        ("extensions", "application/merge-patch+json", #"{"valueQuantity":{"value":90}}"#, 200, false),
        ("generated", "application/fhir+json", parameters, 200, false),
        ("additional", json, #"[{"op":"replace","path":"/valueQuantity/value","value":90}]"#, 422, true),
        ("empty", json, #"[{"op":"replace","path":"/valueQuantity/value","value":90}]"#, 200, true),
        ("generated", json, #"[{"op":"add","path":"/meta","value":{"tag":[{"code":"t"}]}}]"#, 200, true),
        (
            "additional", json,
            #"[{"op":"replace","path":"/valueQuantity/value","value":90},{"op":"replace","path":"/text/div","value":"<div xmlns=\"http://www.w3.org/1999/xhtml\">90 kg</div>"}]"#,
            200, true
        ),
        ("generated", json, #"[{"op":"remove","path":"/text"},{"op":"remove","path":"/valueQuantity"}]"#, 200, false),
    ])
    func possiblyStaleNarrativeIsNotKept(status: String, type: String, patch: String, expected: Int, isKept: Bool)
        async throws
    {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        _ = try await fixture.send(.put, "/fhir/Observation/w", body: body(status))
        let answer = try await fixture.send(.patch, "/fhir/Observation/w", body: patch, headers: [.contentType: type])
        #expect(answer.status == expected, "\(answer.json)")
        if expected != 200 { #expect(code(answer.json) == "narrative-stale") }
        let read = try await fixture.send(.get, "/fhir/Observation/w").json
        #expect((read["text"] != nil) == isKept, "\(read)")
        try await fixture.close()
    }

    @Test func narrativesOfContainedResourcesAreTheirOwn() throws {
        func resource(_ value: Int) throws -> JSONObject {
            try #require(
                try JSON(
                    parsing:
                        #"{"resourceType":"Basic","text":{"status":"additional","div":"a"},"contained":[{"resourceType":"Basic","id":"a","text":{"status":"generated","div":"a"},"n":\#(value)},{"resourceType":"Basic","id":"b","text":{"status":"generated","div":"b"}}]}"#
                ).object)
        }
        let checked = try PatchedNarrative.checked(resource(2), before: resource(1))
        #expect(checked["text"] != nil)
        #expect(checked["contained"]?[0]?["text"] == nil && checked["contained"]?[1]?["text"] != nil)
    }
}
