import AccessPolicy
import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import FHIRSearch

/// Value sets and code systems in searches: known ones are used, others are refused.
@Suite struct StoredTerminologyTests {
    private static func observation(_ id: String, _ code: String, system: String = "urn:animals") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"\#(system)","code":"\#(code)"}]}}"#
    }

    private static let resources = [
        observation("a", "cat"), observation("b", "tiger"), observation("c", "dog"),
        observation("d", "cat", system: "urn:other"), observation("e", "animal"),
        #"{"resourceType":"Patient","id":"f","gender":"female","identifier":[{"system":"urn:animals","value":"cat"}]}"#,
        #"{"resourceType":"Patient","id":"m","gender":"male"}"#,
        #"{"resourceType":"CodeSystem","id":"animals","url":"urn:animals","content":"complete","concept":[{"code":"animal","concept":[{"code":"cat","concept":[{"code":"tiger"}]},{"code":"dog"}]}]}"#,
        #"{"resourceType":"CodeSystem","id":"part","url":"urn:other","content":"fragment","concept":[{"code":"cat"}]}"#,
        #"{"resourceType":"ValueSet","id":"cats","url":"urn:vs:cats","compose":{"include":[{"system":"urn:animals","concept":[{"code":"cat"},{"code":"tiger"}]}]}}"#,
        #"{"resourceType":"ValueSet","id":"all","url":"urn:vs:all","compose":{"include":[{"system":"urn:animals"}]}}"#,
        #"{"resourceType":"ValueSet","id":"of","url":"urn:vs:of","compose":{"include":[{"valueSet":["urn:vs:cats"]}]}}"#,
        #"{"resourceType":"ValueSet","id":"none","url":"urn:vs:none","compose":{"include":[]}}"#,
        #"{"resourceType":"ValueSet","id":"rule","url":"urn:vs:rule","compose":{"include":[{"system":"urn:animals","filter":[{"property":"p","op":"=","value":"v"}]}]}}"#,
        #"{"resourceType":"ValueSet","id":"circle","url":"urn:vs:circle","compose":{"include":[{"valueSet":["urn:vs:circle"]}]}}"#,
        #"{"resourceType":"ValueSet","id":"hidden","url":"urn:vs:hidden","compose":{"include":[{"system":"urn:animals"}]},"meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]}}"#,
    ]

    @Test(arguments: [
        ("Observation", "code:in=urn:vs:cats", ["a", "b"]),
        ("Observation", "code:not-in=urn:vs:cats", ["c", "d", "e"]),
        ("Observation", "code:in=urn:vs:cats,urn:vs:of", ["a", "b"]),
        ("Observation", "code:in=urn:vs:all", ["a", "b", "c", "e"]), ("Observation", "code:in=urn:vs:none", []),
        ("Observation", "code:not-in=urn:vs:none", ["a", "b", "c", "d", "e"]),
        ("Observation", "code:below=urn:animals|cat", ["a", "b"]),
        ("Observation", "code:above=urn:animals|tiger", ["a", "b", "e"]),
        ("Observation", "combo-code:in=urn:vs:cats", ["a", "b"]),
        ("Observation", "status:in=http://hl7.org/fhir/ValueSet/observation-status", ["a", "b", "c", "d", "e"]),
        ("Patient", "gender:in=http://hl7.org/fhir/ValueSet/administrative-gender", ["f", "m"]),
        ("Patient", "gender:not-in=http://hl7.org/fhir/ValueSet/administrative-gender", []),
        ("Patient", "identifier:in=urn:vs:cats", ["f"]),
    ])
    func searchesUseStoredTerminology(type: String, query: String, ids: [String]) async throws {
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                let found = try await store.ids(type, query)
                #expect(found == ids, "\(engine) \(query)")
            }
        }
    }

    @Test func unknownTerminologyIsRefused() async throws {
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.rs"))
        try await SearchStore.with(Self.resources) { store in
            for query in [
                "code:in=urn:vs:unknown", "code:in=urn:vs:rule", "code:in=urn:vs:circle", "code:not-in=urn:vs:unknown",
                "code:in=http://hl7.org/fhir/ValueSet/mimetypes", "code:below=urn:other|cat", "code:below=cat",
                "code:below=urn:animals|cow", "code:above=urn:unknown|cow", "subject:above=Patient/m",
                "subject:below=Patient/m",
            ] {
                let error = await #expect(throws: SearchConditionError.self) {
                    try await store.ids("Observation", query)
                }
                #expect(error?.code == "terminology-unknown", "\(query)")
            }
            // A hidden value set is reported as missing.
            let all = try await store.ids("Observation", "code:in=urn:vs:hidden")
            #expect(all.count == 4)
            await #expect(throws: SearchConditionError.self) {
                try await store.ids("Observation", "code:in=urn:vs:hidden", by: grant)
            }
        }
    }
}
