import FHIR
import Testing

@testable import FHIRVersions

@Suite struct ValueSetTests {
    static let moods = """
        {"resourceType":"ValueSet","id":"moods","status":"active","contact":[{"name":"A","telecom":[
         {"system":"url","value":"http://x.example"}]}],"useContext":[{"text":"clinic"}],"requirements":"why",
         "lockedDate":"2015-01-01","extensible":true,"codeSystem":{"id":"cs","system":"urn:mood","version":"1",
          "caseSensitive":true,"concept":[{"code":"mood","abstract":true,"definition":"All","concept":[
           {"code":"good","display":"Good","designation":[{"language":"de","value":"Gut"}]}]}]}}
        """

    @Test func theCodesAreAContainedCodeSystemThatTheSetLists() throws {
        let result = try converted(ValueSetTests.moods)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(try resource(ValueSetTests.moods), in: result) == [])
        let codes = try #require(result.resource.contained.first?.json)
        #expect(codes["id"]?.string == "cs")
        #expect(codes["status"]?.string == "active")
        #expect(codes["content"]?.string == "complete")
        #expect(codes.path("property.0.code")?.string == "notSelectable")
        #expect(codes.path("concept.0.property.0.valueBoolean")?.bool == true)
        #expect(codes.path("concept.0.concept.0.designation.0.value")?.string == "Gut")
        let include = try #require(result.resource.json.path("compose.include.0"))
        #expect(include["system"]?.string == "urn:mood" && include["version"]?.string == "1")
        #expect(include["concept"]?.array?.compactMap { $0["code"]?.string } == ["mood", "good"])
        #expect(include.path("concept.1.designation.0.language")?.string == "de")
        #expect(result.resource.json.path("extension.1.valueReference.reference")?.string == "#cs")
    }

    @Test func contactsContextsAndDatesHaveTheirPathsOfR4() throws {
        let json = try converted(ValueSetTests.moods).resource.json
        #expect(json.path("contact.0.telecom.0.value")?.string == "http://x.example")
        #expect(json.path("useContext.0.valueCodeableConcept.text")?.string == "clinic")
        #expect(json.path("useContext.0.code.extension.0.valueCode")?.string == "unknown")
        #expect(json["purpose"]?.string == "why")
        #expect(json.path("compose.lockedDate")?.string == "2015-01-01")
        #expect(
            json.path("extension.0")
                == [
                    "url": "http://hl7.org/fhir/StructureDefinition/valueset-extensible",
                    "valueBoolean": true,
                ])
    }

    @Test func codesOfAContainedSetAreContainedInTheSameResource() throws {
        let result = try converted(
            """
            {"resourceType":"Questionnaire","status":"draft","contained":[
             {"resourceType":"ValueSet","id":"a","codeSystem":{"system":"urn:a","concept":[{"code":"1"}]}},
             {"resourceType":"ValueSet","id":"b","codeSystem":{"system":"urn:b","concept":[{"code":"1"}]}},
             {"resourceType":"ValueSet","id":"a-codes","compose":{"include":[{"system":"urn:c"}]}}],
             "group":{"linkId":"g","question":[{"linkId":"1","options":{"reference":"#a"}},
             {"linkId":"2","options":{"reference":"#b","display":"B"}},{"linkId":"3","options":{"reference":"#a-codes"}}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let contained = result.resource.contained
        #expect(contained.map(\.resourceType) == ["ValueSet", "ValueSet", "ValueSet", "CodeSystem", "CodeSystem"])
        #expect(contained.compactMap(\.id) == ["a", "b", "a-codes", "a-codes-2", "b-codes"])
        #expect(contained.allSatisfy { $0.object["contained"] == nil })
        #expect(contained[0].json.path("extension.0.valueReference.reference")?.string == "#a-codes-2")
        let display = result.resource.json.path("item.0.item.1._answerValueSet.extension.0.valueString")
        #expect(display?.string == "B")
    }

    @Test func aSystemThatR4HasWithOtherCodesKeepsItsURLWhereItIsDefined() throws {
        for (old, new) in [
            ("http://hl7.org/fhir/data-absent-reason", "http://hl7.org/fhir/data-absent-reason"),
            ("http://hl7.org/fhir/encounter-class", "http://hl7.org/fhir/encounter-class"),
            ("http://hl7.org/fhir/v2/0001", "http://terminology.hl7.org/CodeSystem/v2-0001"),
        ] {
            let result = try converted(
                #"{"resourceType":"ValueSet","status":"draft","codeSystem":{"system":"\#(old)","concept":[{"code":"asked"}]}}"#
            )
            #expect(result.resource.contained.first?.object["url"]?.string == new)
        }
    }

    @Test func theStandardExtensionsOfDefinedCodesAreR4s() throws {
        let source = try resource(
            """
            {"resourceType":"ValueSet","status":"active","codeSystem":{"system":"urn:a","extension":[
             {"url":"http://hl7.org/fhir/StructureDefinition/valueset-oid","valueUri":"urn:oid:1.2.3 "}],
             "concept":[{"code":"old","extension":[
              {"url":"http://hl7.org/fhir/StructureDefinition/valueset-deprecated","valueBoolean":true},
              {"url":"http://hl7.org/fhir/StructureDefinition/valueset-comments","valueString":"use new"}]},
             {"code":"new","extension":[
              {"url":"http://hl7.org/fhir/StructureDefinition/valueset-deprecated","valueBoolean":false}]}]}}
            """)
        let result = try FHIRConversion.toR4(source, from: .dstu2)
        #expect(VanishedValues.of(source, in: result) == [])
        let codes = try #require(result.resource.contained.first?.json)
        #expect(codes["identifier"] == [["system": "urn:ietf:rfc:3986", "value": "urn:oid:1.2.3"]])
        #expect(codes.path("property.0.code")?.string == "status")
        #expect(codes.path("concept.0.property.0") == ["code": "status", "valueCode": "deprecated"])
        #expect(
            codes.path("concept.0.extension.0.url")?.string
                == "http://hl7.org/fhir/StructureDefinition/codesystem-concept-comments")
        #expect(codes.path("concept.1.extension.0.valueBoolean")?.bool == false)
    }
}
