import FHIR
import Testing

@testable import FHIRVersions

/// Records that hospitals send to phones in DSTU2.
@Suite struct ClinicalRecordTests {
    private func json(_ text: String) throws -> JSON {
        let source = try resource(text)
        let result = try FHIRConversion.toR4(source, from: .dstu2)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        return result.resource.json
    }

    @Test func allergyKeepsItsSubstanceAndVerificationStatus() throws {
        let allergy = #"""
            {"resourceType":"AllergyIntolerance","onset":"2012","recordedDate":"2015-01-02T10:00:00Z",
             "patient":{"reference":"Patient/1"},"reporter":{"reference":"Patient/1"},
             "substance":{"coding":[{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"7982"}]},
             "status":"STATUS","criticality":"CRITH","category":"medication","lastOccurence":"2014-05",
             "reaction":[{"manifestation":[{"text":"hives"}],"severity":"mild"}]}
            """#
        let made = try json(allergy.replacing("STATUS", with: "confirmed"))
        #expect(made.path("code.coding.0.code")?.string == "7982")
        #expect(made.path("onsetDateTime")?.string == "2012")
        #expect(made.path("asserter.reference")?.string == "Patient/1")
        #expect(made.path("criticality")?.string == "high")
        #expect(made.path("category.0")?.string == "medication")
        #expect(made.path("lastOccurrence")?.string == "2014-05")
        #expect(made.path("verificationStatus.coding.0.code")?.string == "confirmed")
        // In this case the older release does not record whether it is active.
        #expect(made.path("clinicalStatus.coding") == nil)
        let active = try json(allergy.replacing("STATUS", with: "active"))
        #expect(active.path("clinicalStatus.coding.0.code")?.string == "active")
        #expect(active.path("verificationStatus") == nil)
        let wrong = try json(allergy.replacing("STATUS", with: "entered-in-error"))
        #expect(wrong.path("verificationStatus.coding.0.code")?.string == "entered-in-error")
        #expect(wrong.path("clinicalStatus") == nil)
    }

    @Test func immunizationKeepsItsDateAndStatus() throws {
        func immunization(wasNotGiven: Bool) throws -> JSON {
            try json(
                #"""
                {"resourceType":"Immunization","status":"completed","date":"2013-01-10","vaccineCode":{"text":"flu"},
                 "patient":{"reference":"Patient/1"},"wasNotGiven":\#(wasNotGiven),"reported":true,
                 "performer":{"reference":"Practitioner/1"},"requester":{"reference":"Practitioner/2"}}
                """#)
        }
        let given = try immunization(wasNotGiven: false)
        #expect(given.path("occurrenceDateTime")?.string == "2013-01-10")
        #expect(given.path("status")?.string == "completed")
        #expect(given.path("primarySource") == .bool(false))
        #expect(given.path("performer.0.actor.reference")?.string == "Practitioner/1")
        #expect(given.path("performer.1.actor.reference")?.string == "Practitioner/2")
        #expect(given.path("performer.1.function.coding.0.code")?.string == "OP")
        #expect(try immunization(wasNotGiven: true).path("status")?.string == "not-done")
    }

    @Test func medicationOrderKeepsItsPrescriberAndDate() throws {
        let made = try json(
            #"""
            {"resourceType":"MedicationOrder","dateWritten":"2015-01-15","status":"active",
             "patient":{"reference":"Patient/1"},"prescriber":{"reference":"Practitioner/1"},
             "reasonCodeableConcept":{"text":"pain"},"note":"with food",
             "medicationCodeableConcept":{"text":"Paracetamol"}}
            """#)
        #expect(made.path("resourceType")?.string == "MedicationRequest")
        #expect(made.path("authoredOn")?.string == "2015-01-15")
        #expect(made.path("subject.reference")?.string == "Patient/1")
        #expect(made.path("requester.reference")?.string == "Practitioner/1")
        #expect(made.path("reasonCode.0.text")?.string == "pain")
        #expect(made.path("note.0.text")?.string == "with food")
        #expect(made.path("medicationCodeableConcept.text")?.string == "Paracetamol")
    }
}
