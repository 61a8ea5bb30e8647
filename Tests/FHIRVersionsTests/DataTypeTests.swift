import FHIR
import Testing

@testable import FHIRVersions

@Suite struct DataTypeTests {
    private func patient(_ members: String, _ version: FHIRVersion = .stu3) throws -> FHIRConversion.Converted {
        let source = try resource(#"{"resourceType":"Patient",\#(members)}"#)
        let result = try FHIRConversion.toR4(source, from: version)
        #expect(VanishedValues.of(source, in: result) == [], "\(members)")
        return result
    }

    @Test func moneyHasACurrency() throws {
        let json = try patient(
            """
            "extension":[{"url":"http://x.example/a","valueMoney":{"value":1.20,"system":"urn:iso:std:iso:4217",
             "code":"EUR"}},{"url":"http://x.example/b","valueMoney":{"value":2,"unit":"coins"}}]
            """
        ).resource.json
        #expect(json.path("extension.0.valueMoney.currency")?.string == "EUR")
        #expect(json.path("extension.0.valueMoney.value")?.number?.text == "1.20")
        #expect(json.path("extension.1.valueQuantity.unit")?.string == "coins")
    }

    @Test func theNarrativeHasItsNamespace() throws {
        let json = try patient(#""text":{"status":"generated","div":"<div><p>x</p></div>"}"#, .dstu2).resource.json
        #expect(json.path("text.div")?.string == #"<div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div>"#)
    }

    @Test(arguments: [
        (#""active":"true""#, "active", JSON.bool(true)), (#""active":1"#, "active", JSON?.none),
        (#""birthDate":"2015-02-18T10:00:00Z""#, "birthDate", "2015-02-18"),
        (#""birthDate":1970"#, "birthDate", "1970"), (#""gender":" male ""#, "gender", "male"),
        (#""gender":"""#, "gender", JSON?.none), (#""multipleBirthInteger":"2""#, "multipleBirthInteger", 2),
        (#""multipleBirthInteger":2.5"#, "multipleBirthInteger", JSON?.none),
        (#""active":[[true]]"#, "active", JSON?.none),
        (#""gender":{"code":"male"}"#, "gender", JSON?.none), (#""name":["x"]"#, "name", JSON?.none),
        (#""name":{}"#, "name", JSON?.none),
    ])
    func valueOfAnotherFormIsReadOrReported(member: String, key: String, value: JSON?) throws {
        let result = try patient(member)
        #expect(result.resource.object[key] == value)
        if value == nil, member != #""name":{}"# {
            #expect(result.notes.contains { $0.kind == .leftOut && $0.location.hasPrefix("Patient." + key) })
        }
        #expect(StructureCheck.problems(result.resource) == [])
    }

    @Test func twoTypesOfOneChoiceAreOneAndAnExtension() throws {
        let result = try patient(#""deceasedBoolean":true,"deceasedDateTime":"2015-01-01""#)
        #expect(result.resource.object["deceasedBoolean"]?.bool == true)
        #expect(result.resource.object["deceasedDateTime"] == nil)
        #expect(result.resource.json.path("extension.0.valueDateTime")?.string == "2015-01-01")
    }

    @Test func extensionsOnPrimitivesStay() throws {
        let json = try patient(
            #""name":[{"given":["A",null],"_given":[null,{"id":"g","extension":[{"url":"http://x.example","valueMarkdown":"m"}]}]}]"#
        ).resource.json
        #expect(json.path("name.0._given.1.id")?.string == "g")
        #expect(json.path("name.0._given.1.extension.0.valueMarkdown")?.string == "m")
    }

    @Test func commentsOfDSTU2AreReported() throws {
        let result = try patient(#""fhir_comments":["a"],"name":[{"fhir_comments":["b"],"family":["F"]}]"#, .dstu2)
        #expect(
            result.notes.filter { $0.kind == .leftOut }.map(\.location) == [
                "Patient.fhir_comments", "Patient.name[0].fhir_comments",
            ])
    }

    @Test func emergencyContactHasTheCodeOfR4Too() throws {
        let json = try patient(
            """
            "contact":[{"relationship":[{"coding":[{"system":"http://hl7.org/fhir/patient-contact-relationship",
             "code":"emergency"}]}],"name":{"text":"N"}}],"link":[{"other":{"reference":"Patient/2"},"type":"replace"}]
            """, .dstu2
        ).resource.json
        #expect(json.path("contact.0.relationship.0.coding.0.code")?.string == "emergency")
        #expect(json.path("contact.0.relationship.0.coding.1.code")?.string == "C")
        #expect(json.path("link.0.type")?.string == "replaced-by")
    }

    @Test func deepExtensionsAreConvertedWithoutEnd() throws {
        var text = #"{"url":"http://x.example","valueCode":"c"}"#
        for _ in 0..<90 { text = #"{"url":"http://x.example","extension":[\#(text)]}"# }
        let result = try patient(#""extension":[\#(text)]"#)
        #expect(result.notes.isEmpty)
    }

    @Test func noteIsASentenceWithThePath() throws {
        let result = try patient(#""contact":[{"name":{"text":"N"}},{"shoe":1}]"#)
        #expect(
            result.notes.map(\.sentence) == [
                "Patient.contact[1].shoe is left out: no release has such an element."
            ])
    }
}
