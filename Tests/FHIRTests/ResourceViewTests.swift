import FHIR
import Testing

@Suite struct ResourceViewTests {
    @Test func typedViewsReadResourcesOfTheirTypeOnly() throws {
        let bytes = Array(#"{"resourceType":"Questionnaire","id":"q","x":1.50}"#.utf8)
        let resource = try Resource(bytes)
        let form = try #require(Questionnaire(resource))
        #expect(form.id == "q" && form.json.bytes() == bytes)
        #expect(QuestionnaireResponse(resource) == nil && Patient(Resource(JSONObject())) == nil)
        #expect(Resource(resource) == resource)
        #expect([resource].compactMap { Observation($0) }.isEmpty)
        #expect(Questionnaire(resource.object).id == "q")
    }
}
