import FHIR
import FHIRValidation
import Foundation
import SearchTestSupport
import TestSupport
import Testing

@testable import FHIRSearch

@Suite struct ResourceSubsetTests {
    private func part(_ subset: ResourceSubset?, _ json: String) throws -> JSON {
        try #require(subset).of(Resource(Array(json.utf8))).json
    }

    private static let patient = #"""
        {"resourceType":"Patient","id":"p","meta":{"versionId":"1"},"language":"en","text":{"status":"generated","div":"<div/>"},
        "contained":[{"resourceType":"Organization","id":"o"}],"modifierExtension":[{"url":"urn:m","valueBoolean":true}],
        "extension":[{"url":"urn:e","valueString":"x"}],"name":[{"family":"A","_family":{"id":"f"}}],"gender":"male",
        "photo":[{"contentType":"image/png","data":"AAAA"}],"contact":[{"gender":"male"}],"active":true,"unknown":1,
        "communication":[{"language":{"text":"de"}}],"deceasedBoolean":false}
        """#

    private func keys(_ subset: ResourceSubset?) throws -> Set<String> {
        Set(try part(subset, Self.patient).object?.keys ?? [])
    }

    @Test func subsetHasTheRequestedAndMandatoryElements() throws {
        let always: Set = ["resourceType", "id", "meta"]
        let modifiers: Set = ["modifierExtension", "active", "deceasedBoolean"]
        let summary = try keys(ResourceSubset.summary)
        #expect(summary == always.union(["name", "gender"]).union(modifiers))
        let text = try keys(ResourceSubset.text)
        #expect(text == always.union(["text"]).union(modifiers))
        let all = try Resource(Array(Self.patient.utf8)).object.keys
        let data = try keys(ResourceSubset.data)
        #expect(data == Set(all).subtracting(["text"]))
        let two = ResourceSubset.elements(try ElementSubset("gender,photo"))
        #expect(try keys(two) == always.union(["gender", "photo"]))
        let named = ResourceSubset.elements(try ElementSubset("deceased,Patient.name,Observation.photo"))
        #expect(try keys(named) == always.union(["name", "deceasedBoolean"]))
        for subset in [ResourceSubset.summary, .text, .data] {
            let json = try part(subset, Self.patient)
            #expect(json["meta"]?["tag"]?[0]?["code"] == "SUBSETTED" && json["meta"]?["versionId"] == "1")
        }
    }

    @Test func summaryIncludesNestedElements() throws {
        let attachment = try part(
            .summary,
            #"{"resourceType":"DocumentReference","id":"d","status":"current","content":[{"attachment":{"contentType":"a/b","data":"AAAA","url":"u"}}]}"#
        )
        let expected = try JSON(Array(#"{"contentType":"a/b","url":"u"}"#.utf8))
        #expect(attachment["content"]?[0]?["attachment"] == expected)
        let name = try part(.summary, Self.patient)["name"]?[0]
        #expect(name?["_family"]?["id"] == "f")
    }

    @Test func subsettedTagIsAddedOnce() throws {
        let once = try ResourceSubset.summary.of(Resource(Array(Self.patient.utf8))).json.bytes()
        let twice = ResourceSubset.summary.of(try Resource(once))
        #expect(twice.json["meta"]?["tag"]?.array?.count == 1)
    }

    /// Subsets of R4's examples have all mandatory elements of R4.
    @Test(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func subsetsKeepMandatoryElements() throws {
        var count = 0
        for (name, resource) in try SearchedExamples.all().prefix(400) {
            guard let type = TypeModel.r4.type(resource.resourceType) else { continue }
            for subset in [ResourceSubset.summary, .text, .elements(try ElementSubset("code"))] {
                let part = subset.of(resource)
                for element in TypeModel.r4.elements(of: type) where element.min > 0 && !element.isChoice {
                    #expect((resource.object[element.name] == nil) == (part.object[element.name] == nil), "\(name)")
                }
                count += 1
            }
        }
        #expect(count > 300)
    }
}
