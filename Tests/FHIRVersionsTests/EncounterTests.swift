import FHIR
import Testing

@testable import FHIRVersions

@Suite struct EncounterTests {
    static let stay = """
        {"resourceType":"Encounter","status":"finished","class":"inpatient","patient":{"reference":"Patient/1"},
         "reason":[{"text":"cough"}],"indication":[{"reference":"Condition/1"}],
         "incomingReferral":[{"reference":"ReferralRequest/7"}],"appointment":{"reference":"Appointment/1"},
         "length":{"value":9,"unit":"days"},
         "hospitalization":{"admittingDiagnosis":[{"reference":"Condition/2"}],
          "dischargeDiagnosis":[{"reference":"Condition/3"}],"admitSource":
          {"coding":[{"system":"http://hl7.org/fhir/admit-source","code":"emd"}]}}}
        """

    @Test func theDiagnosesOfAStayAreDiagnosesOfTheEncounter() throws {
        let json = try converted(EncounterTests.stay).resource.json
        #expect(json.path("diagnosis.0.condition.reference")?.string == "Condition/2")
        #expect(json.path("diagnosis.0.use.coding.0.code")?.string == "AD")
        #expect(json.path("diagnosis.1.use.coding.0.code")?.string == "DD")
        #expect(json.path("hospitalization")?["admittingDiagnosis"] == nil)
    }

    @Test func renamedElementsHaveTheirNamesOfR4() throws {
        let result = try converted(EncounterTests.stay)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(try resource(EncounterTests.stay), in: result) == [])
        let json = result.resource.json
        #expect(json.path("class.code")?.string == "IMP")
        #expect(json.path("subject.reference")?.string == "Patient/1")
        #expect(json.path("reasonCode.0.text")?.string == "cough")
        #expect(json.path("reasonReference.0.reference")?.string == "Condition/1")
        #expect(json.path("appointment.0.reference")?.string == "Appointment/1")
        #expect(
            json.path("hospitalization.admitSource.coding.0.system")?.string
                == "http://terminology.hl7.org/CodeSystem/admit-source")
    }

    @Test func aReferenceNamesTheTypeAsR4Does() throws {
        let json = try converted(EncounterTests.stay).resource.json
        #expect(json.path("basedOn.0.reference")?.string == "ServiceRequest/7")
        // The resource itself has that name too.
        let bundle = try converted(
            """
            {"resourceType":"Bundle","type":"collection","entry":[{"resource":\(EncounterTests.stay)},
             {"resource":{"resourceType":"ReferralRequest","id":"7","status":"active"}}]}
            """)
        #expect(bundle.resource.json.path("entry.0.resource.basedOn.0.reference")?.string == "ServiceRequest/7")
        #expect(bundle.resource.json.path("entry.1.resource.resourceType")?.string == "ServiceRequest")
    }

    @Test func theLengthIsADurationWithUCUMsCode() throws {
        let json = try converted(EncounterTests.stay).resource.json
        #expect(json.path("length.code")?.string == "d")
        #expect(json.path("length.system")?.string == "http://unitsofmeasure.org")
        let other = try converted(
            #"{"resourceType":"Encounter","status":"finished","length":{"value":2,"unit":"shifts"}}"#)
        #expect(other.resource.json["length"] == nil)
        #expect(
            other.resource.extension("http://hl7.org/fhir/1.0/StructureDefinition/extension-Encounter.length")?
                .value?.json["unit"]?.string == "shifts")
    }

    @Test func theContextsAndRolesOfSTU3GetR4sNames() throws {
        let result = try converted(
            """
            {"resourceType":"Encounter","status":"triaged","class":{"system":"http://hl7.org/fhir/v3/ActCode",
             "code":"AMB"},"diagnosis":[{"condition":{"reference":"Condition/1"},"role":{"coding":[
             {"system":"http://hl7.org/fhir/diagnosis-role","code":"AD"}]},"rank":1}]}
            """, .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json.path("class.system")?.string == "http://terminology.hl7.org/CodeSystem/v3-ActCode")
        #expect(
            json.path("diagnosis.0.use.coding.0.system")?.string
                == "http://terminology.hl7.org/CodeSystem/diagnosis-role")
    }
}
