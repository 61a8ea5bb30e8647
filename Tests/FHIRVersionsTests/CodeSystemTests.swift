import FHIR
import Testing

@testable import FHIRVersions

@Suite struct CodeSystemTests {
    @Test(arguments: [
        ("http://hl7.org/fhir/v2/0203", "MR", "http://terminology.hl7.org/CodeSystem/v2-0203", "MR"),
        ("http://hl7.org/fhir/v3/MaritalStatus", "M", "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "M"),
        ("http://hl7.org/fhir/marital-status", "U", "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "U"),
        (
            "http://hl7.org/fhir/data-absent-reason", "NaN",
            "http://terminology.hl7.org/CodeSystem/data-absent-reason", "not-a-number"
        ),
        (
            "http://hl7.org/fhir/data-absent-reason", "masked",
            "http://terminology.hl7.org/CodeSystem/data-absent-reason", "masked"
        ),
        (
            "http://hl7.org/fhir/observation-category", "vital-signs",
            "http://terminology.hl7.org/CodeSystem/observation-category", "vital-signs"
        ),
        (
            "http://hl7.org/fhir/organization-type", "prov",
            "http://terminology.hl7.org/CodeSystem/organization-type", "prov"
        ),
        // A code that the system no longer has keeps its old URL.
        ("http://hl7.org/fhir/organization-type", "icu", "http://hl7.org/fhir/organization-type", "icu"),
        (
            "http://hl7.org/fhir/contracttypecodes", "consent", "http://terminology.hl7.org/CodeSystem/contract-type",
            "consent"
        ),
        ("http://hl7.org/fhir/encounter-class", "home", "http://terminology.hl7.org/CodeSystem/v3-ActCode", "HH"),
        ("http://hl7.org/fhir/encounter-class", "daytime", "http://hl7.org/fhir/encounter-class", "daytime"),
        (
            "http://hl7.org/fhir/resource-types", "Conformance", "http://hl7.org/fhir/resource-types",
            "CapabilityStatement"
        ),
        ("http://hl7.org/fhir/observation-status", "final", "http://hl7.org/fhir/observation-status", "final"),
        ("http://hl7.org/fhir/v2/vs/0136", "Y", "http://hl7.org/fhir/v2/vs/0136", "Y"),
        ("http://loinc.org", "1-8", "http://loinc.org", "1-8"),
    ])
    func codingHasTheSystemAndCodeOfR4(system: String, code: String, newSystem: String, newCode: String) throws {
        let source = try resource(
            """
            {"resourceType":"Observation","status":"final","code":{"coding":[{"system":"\(system)","code":"\(code)"}]}}
            """)
        let result = try FHIRConversion.toR4(source, from: .dstu2)
        let coding = result.resource.json.path("code.coding.0")
        #expect(coding?["system"]?.string == newSystem)
        #expect(coding?["code"]?.string == newCode)
        #expect(VanishedValues.of(source, in: result) == [])
        let locations = Set(result.notes.map(\.location))
        #expect(locations.contains("Observation.code.coding[0].system") == (system != newSystem))
        #expect(locations.contains("Observation.code.coding[0].code") == (code != newCode))
    }

    @Test func aVersionInTheURLOfATableBecomesTheVersion() throws {
        let json = try converted(
            #"{"resourceType":"Observation","code":{"coding":[{"system":"http://hl7.org/fhir/v2/0360/2.7","code":"BS"}]}}"#
        ).resource.json
        #expect(json.path("code.coding.0.system")?.string == "http://terminology.hl7.org/CodeSystem/v2-0360")
        #expect(json.path("code.coding.0.version")?.string == "2.7")
    }

    @Test func reasonForAbsentDataInAnExtensionHasTheCodeOfR4() throws {
        let json = try converted(
            """
            {"resourceType":"Patient","_birthDate":{"extension":[
             {"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"asked"}]}}
            """
        ).resource.json
        #expect(json.path("_birthDate.extension.0.valueCode")?.string == "asked-unknown")
    }

    @Test func interpretationsComeFromTheSystemThatR4Names() throws {
        let result = try converted(
            """
            {"resourceType":"Observation","status":"final","code":{},"interpretation":{"coding":[
             {"system":"http://hl7.org/fhir/v2/0078","code":"H","display":"Above high normal"}]},
             "category":{"coding":[{"system":"http://hl7.org/fhir/v2/0078","code":"H"}]}}
            """)
        let json = result.resource.json
        #expect(
            json.path("interpretation.0.coding.0.system")?.string
                == "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation")
        #expect(
            json.path("category.0.coding.0.system")?.string == "http://terminology.hl7.org/CodeSystem/v2-0078")
    }

    @Test func codesOfAValueSetAreConvertedTogether() throws {
        let source = try resource(
            """
            {"resourceType":"ValueSet","status":"active","compose":{"include":[
             {"system":"http://hl7.org/fhir/data-absent-reason","concept":[{"code":"asked"},{"code":"masked"}]},
             {"system":"http://hl7.org/fhir/organization-type","concept":[{"code":"prov"},{"code":"icu"}]},
             {"system":"http://hl7.org/fhir/v3/NullFlavor"},{"valueSet":["http://hl7.org/fhir/ValueSet/v2-0136"]}]},
             "expansion":{"identifier":"urn:x","timestamp":"2015-01-01","contains":[
              {"system":"http://hl7.org/fhir/data-absent-reason","code":"temp"}]}}
            """)
        let result = try FHIRConversion.toR4(source, from: .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let include = try #require(result.resource.json.path("compose.include")?.array)
        #expect(include[0]["concept"] == [["code": "asked-unknown"], ["code": "masked"]])
        #expect(include[0]["system"]?.string == "http://terminology.hl7.org/CodeSystem/data-absent-reason")
        #expect(include[1]["system"]?.string == "http://hl7.org/fhir/organization-type")
        #expect(include[2]["system"]?.string == "http://terminology.hl7.org/CodeSystem/v3-NullFlavor")
        #expect(include[3].path("valueSet.0")?.string == "http://terminology.hl7.org/ValueSet/v2-0136")
        #expect(result.resource.json.path("expansion.contains.0.code")?.string == "temp-unknown")
    }
}
