import FHIR
import Testing

@testable import FHIRVersions

@Suite struct ContainedTests {
    @Test func containedConditionIsConverted() throws {
        let source = try resource(
            """
            {"resourceType":"Observation","status":"final","code":{},"contained":[{"resourceType":"Condition","id":"c",
             "patient":{"reference":"Patient/1"},"verificationStatus":"provisional","clinicalStatus":"relapse",
             "category":{"text":"finding"},"onsetQuantity":{"value":3,"unit":"a"},"notes":"n","dateRecorded":"2015",
             "code":{"text":"flu"},"abatementBoolean":false}]}
            """)
        let result = try FHIRConversion.toR4(source, from: .dstu2)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let condition = try #require(result.resource.json.path("contained.0"))
        #expect(condition.path("subject.reference")?.string == "Patient/1")
        #expect(condition.path("verificationStatus.coding.0.code")?.string == "provisional")
        #expect(condition.path("onsetAge.value")?.integer == 3)
        #expect(condition.path("extension.0.valueBoolean")?.bool == false)
    }

    @Test func aContainedReferralIsAServiceRequest() throws {
        let source = try resource(
            """
            {"resourceType":"QuestionnaireResponse","status":"completed","basedOn":[{"reference":"#order"}],"contained":[
             {"resourceType":"ReferralRequest","id":"order","status":"suspended","intent":"order",
              "subject":{"reference":"Patient/1"},"requester":{"agent":{"reference":"Practitioner/1"}}}]}
            """)
        let result = try FHIRConversion.toR4(source, from: .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let request = try #require(result.resource.json.path("contained.0"))
        #expect(request["resourceType"]?.string == "ServiceRequest")
        #expect(request["status"]?.string == "on-hold")
        #expect(request.path("requester.reference")?.string == "Practitioner/1")
    }

    @Test func containedResourceOfAnUnknownTypeIsKeptAndReported() throws {
        let result = try converted(
            #"{"resourceType":"Patient","contained":[{"resourceType":"Sandwich","id":"o","bread":[{"kind":"x"}]}]}"#)
        #expect(result.resource.json.path("contained.0.bread.0.kind")?.string == "x")
        #expect(result.notes.contains { $0.kind == .untouched && $0.location == "Patient.contained[0]" })
    }
}
