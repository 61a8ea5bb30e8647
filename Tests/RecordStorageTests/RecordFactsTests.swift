import AccessPolicy
import FHIR
import Testing

@Suite struct RecordFactsTests {
    private func facts(_ text: String) throws -> RecordFacts { RecordFacts(try Resource(Array(text.utf8))) }

    @Test func factsHaveTheTypePatientsAndLabelsOfTheResource() throws {
        let facts = try facts(
            #"""
            {"resourceType":"Observation","subject":{"reference":"Patient/a"},"performer":[{"reference":"Patient/b"}],
             "meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]},
             "contained":[{"resourceType":"Device","meta":{"security":[
               {"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"ETHUD"}]}}]}
            """#)
        #expect(facts.type == "Observation")
        #expect(facts.owners == ["a", "b"])
        #expect(facts.labels == SecurityLabels(confidentiality: .restricted, sensitivities: ["ETHUD"]))
    }

    /// Access can be recomputed from the resource: only the ids in it count.
    @Test func patientReferenceWithoutAnIDIsNotAnOwner() throws {
        let device = #"{"resourceType":"Device","patient":{"identifier":{"value":"7"}}}"#
        #expect(try facts(device).owners.isEmpty && facts(device).isShared)
        let observation = #"{"resourceType":"Observation","subject":{"identifier":{"value":"7"}}}"#
        #expect(try facts(observation).owners.isEmpty && !facts(observation).isShared)
    }
}
