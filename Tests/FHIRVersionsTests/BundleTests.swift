import FHIR
import Testing

@testable import FHIRVersions

@Suite struct BundleTests {
    @Test func entriesAreConvertedAndOthersReported() throws {
        let result = try converted(
            """
            {"resourceType":"Bundle","type":"searchset","total":2,"entry":[
             {"fullUrl":"http://x.example/Device/1/_history/2","search":{"mode":"match","score":0.50},
              "resource":{"resourceType":"Device","id":"1","status":"available","type":{}}},
             {"search":{"mode":"include"},"resource":{"resourceType":"MedicationOrder","id":"2","dateWritten":"2015"}}]}
            """)
        let json = result.resource.json
        #expect(json.path("entry.0.resource.status")?.string == "active")
        #expect(json.path("entry.0.fullUrl")?.string == "http://x.example/Device/1")
        #expect(json.path("entry.0.search.score")?.number?.text == "0.50")
        #expect(json.path("entry.1.resource.resourceType")?.string == "MedicationRequest")
        #expect(json.path("entry.1.resource.authoredOn")?.string == "2015")
        #expect(
            result.notes.contains {
                $0.location == "Bundle.entry[1].resource" && $0.detail == "it is converted by structure only"
            })
    }

    @Test func aDocumentHasAnIdentifierAndATime() throws {
        let json = try converted(
            """
            {"resourceType":"Bundle","id":"d1","type":"document","meta":{"lastUpdated":"2015-02-18T10:00:00Z"},
             "entry":[{"resource":{"resourceType":"Composition"}}]}
            """
        ).resource.json
        #expect(json.path("identifier.value")?.string == "d1")
        #expect(json.path("identifier._system.extension.0.valueCode")?.string == "unknown")
        #expect(json["timestamp"]?.string == "2015-02-18T10:00:00Z")
    }

    @Test(arguments: [
        ("collection", false, false), ("transaction", true, false), ("transaction-response", false, true),
        ("history", true, true),
    ])
    func requestsAndResponsesAreKeptWhereR4AllowsThem(type: String, request: Bool, response: Bool) throws {
        let source = try resource(
            """
            {"resourceType":"Bundle","type":"\(type)","entry":[{"request":{"method":"GET","url":"Patient"},
             "response":{"status":"200"},"resource":{"resourceType":"Patient"}}, {"fullUrl":"urn:uuid:1"}]}
            """)
        let result = try FHIRConversion.toR4(source, from: .stu3)
        #expect(VanishedValues.of(source, in: result) == [])
        for index in 0...1 {
            let entry = try #require(result.resource.json.path("entry.\(index)"))
            #expect((entry["request"] != nil) == request)
            #expect((entry["response"] != nil) == response)
        }
    }

    @Test func aBundleHasNoExtensions() throws {
        let result = try converted(#"{"resourceType":"Bundle","type":["batch","history"],"base":"http://x.example"}"#)
        #expect(result.resource.object["extension"] == nil)
        #expect(Set(result.notes.filter { $0.kind == .leftOut }.map(\.location)) == ["Bundle.type[1]", "Bundle.base"])
    }
}
