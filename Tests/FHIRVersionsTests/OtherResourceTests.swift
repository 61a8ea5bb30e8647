import FHIR
import Testing

@testable import FHIRVersions

@Suite struct OtherResourceTests {
    @Test func anObservationOfDSTU2GetsR4sLists() throws {
        let result = try converted(
            """
            {"resourceType":"Observation","status":"final","category":{"text":"vital"},
             "code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}]},"comments":"tall",
             "valueQuantity":{"value":180.0,"units":"cm"},"interpretation":{"text":"high"},
             "related":[{"type":"has-member","target":{"reference":"Observation/2"}},
              {"type":"replaces","target":{"reference":"Observation/3"}}],"madeUp":1}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json.path("category.0.text")?.string == "vital")
        #expect(json.path("note.0.text")?.string == "tall")
        #expect(json.path("valueQuantity.unit")?.string == "cm")
        #expect(json.path("hasMember.0.reference")?.string == "Observation/2")
        #expect(
            json.path("extension.0")
                == [
                    "url": "http://hl7.org/fhir/StructureDefinition/observation-replaces",
                    "valueReference": ["reference": "Observation/3"],
                ])
        #expect(result.notes.contains { $0.kind == .leftOut && $0.path == "Observation.madeUp" })
    }

    @Test func aUnitUnderBothNamesKeepsBoth() throws {
        let json = try converted(
            #"{"resourceType":"Observation","code":{},"valueQuantity":{"value":1,"unit":"m","units":"metre"}}"#
        ).resource.json
        #expect(json.path("valueQuantity.unit")?.string == "m")
        #expect(json.text().contains("metre"))
        #expect(json["status"]?.string == "unknown")
    }

    @Test func aPatientKeepsNamesCarersAndAnimals() throws {
        let result = try converted(
            """
            {"resourceType":"Patient","id":"p","birthDate":"1970","name":[{"family":["van","Dyk"],
             "_family":[{"extension":[{"url":"http://x.example/prefix","valueCode":"VV"}]},null],"given":["A"]}],
             "careProvider":[{"reference":"Practitioner/1"}],"animal":{"species":{"text":"dog"}}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json.path("name.0.family")?.string == "van Dyk")
        #expect(json.path("name.0._family.extension.0.valueCode")?.string == "VV")
        #expect(json.path("generalPractitioner.0.reference")?.string == "Practitioner/1")
        #expect(json.path("extension.0.extension.0.valueCodeableConcept.text")?.string == "dog")
    }

    @Test func encounterGetsAClassOrAnUnknownOne() throws {
        let known = try converted(
            #"{"resourceType":"Encounter","status":"finished","class":"outpatient","patient":{"reference":"Patient/1"}}"#
        )
        #expect(StructureCheck.problems(known.resource) == [])
        #expect(known.resource.json.path("class.code")?.string == "AMB")
        #expect(known.resource.json.path("subject.reference")?.string == "Patient/1")
        let unknown = try converted(#"{"resourceType":"Encounter","status":"finished"}"#)
        #expect(StructureCheck.problems(unknown.resource) == [])
        #expect(unknown.resource.json.path("class.extension.0.valueCode")?.string == "unknown")
    }

    @Test func codesDefinedInAValueSetAreIncludedInIt() throws {
        let result = try converted(
            """
            {"resourceType":"ValueSet","status":"active","codeSystem":{"system":"urn:mood","caseSensitive":true,
             "concept":[{"code":"1","display":"Good","definition":"Feels good","concept":[{"code":"1a"}]},
             {"code":"2","display":"Bad"}]},
             "compose":{"import":["http://x.example/vs"],"include":[{"system":"urn:y"}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let include = try #require(result.resource.json.path("compose.include")?.array)
        #expect(include.count == 3)
        #expect(include[0]["concept"]?.array?.compactMap { $0["code"]?.string } == ["1", "1a", "2"])
        let codes = try #require(result.resource.contained.first)
        #expect(codes.resourceType == "CodeSystem" && codes.object["url"]?.string == "urn:mood")
        #expect(codes.json.path("caseSensitive")?.bool == true)
        #expect(codes.json.path("concept.0.definition")?.string == "Feels good")
        #expect(codes.json.path("concept.0.concept.0.code")?.string == "1a")
        let reference = result.resource.extension(
            "http://hl7.org/fhir/1.0/StructureDefinition/extension-ValueSet.codeSystem")
        #expect(reference?.value?.json["reference"]?.string == codes.id.map { "#" + $0 })
        #expect(include.contains { $0.path("valueSet.0")?.string == "http://x.example/vs" })
    }

    @Test func aQuestionnaireOfDSTU2BecomesItems() throws {
        let result = try converted(
            """
            {"resourceType":"Questionnaire","status":"published","telecom":[{"system":"email","value":"a@b.example"}],
             "contained":[{"resourceType":"ValueSet","id":"yn","codeSystem":{"system":"urn:yn","concept":[
              {"code":"y"}]}}],
             "group":{"title":"Mood","concept":[{"system":"urn:c","code":"f"}],"required":true,"group":[
              {"linkId":"g","title":"Part","question":[
               {"linkId":"1","text":"Well?","type":"choice","options":{"reference":"#yn"}},
               {"linkId":"2","text":"When?","type":"instant","extension":[
                {"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-enableWhen","extension":[
                 {"url":"#question","valueString":"1"},{"url":"#answer","valueCoding":{"code":"y"}}]},
                {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueInteger":1}],
                "group":[{"linkId":"2.g","question":[{"linkId":"3","option":[{"code":"z"}]}]}]}]}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["title"]?.string == "Mood")
        #expect(json["status"]?.string == "active")
        #expect(json.path("contact.0.telecom.0.value")?.string == "a@b.example")
        #expect(json.path("code.0.code")?.string == "f")
        #expect(json.path("item.0.text")?.string == "Part")
        #expect(json.path("item.0.item.0.answerValueSet")?.string == "#yn")
        #expect(json.path("item.0.item.1.type")?.string == "dateTime")
        #expect(
            json.path("item.0.item.1.enableWhen.0")
                == ["question": "1", "operator": "=", "answerCoding": ["code": "y"]])
        #expect(json.path("item.0.item.1.extension.0.valueInteger")?.integer == 1)
        #expect(json.path("item.0.item.1.item.0.item.0.type")?.string == "choice")
        #expect(json.path("item.0.item.1.item.0.item.0.answerOption.0.valueCoding.code")?.string == "z")
    }

    @Test func aQuestionnaireOfSTU3GetsOptionsInitialsAndOperators() throws {
        let result = try converted(
            """
            {"resourceType":"Questionnaire","status":"active","item":[
             {"linkId":"1","type":"choice","option":[{"valueCoding":{"code":"a"}},{"valueString":"b"}],
              "initialCoding":{"code":"a"}},
             {"linkId":"2","type":"choice","options":{"reference":"http://x.example/vs"}},
             {"linkId":"3","type":"string","enableWhen":[{"question":"1","hasAnswer":true},
              {"question":"2","answerString":"x"}]}]}
            """, .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json.path("item.0.answerOption.1.valueString")?.string == "b")
        // With options there is no initial value in R4.
        #expect(json.path("item.0.answerOption.0.initialSelected")?.bool == true)
        #expect(json.path("item.0.initial") == nil)
        #expect(json.path("item.1.answerValueSet")?.string == "http://x.example/vs")
        #expect(
            json.path("item.2.enableWhen.0") == ["question": "1", "operator": "exists", "answerBoolean": true])
        #expect(json.path("item.2.enableBehavior")?.string == "any")
    }

    @Test func r4ResourceIsReturnedUnchanged() throws {
        let text = #"{"resourceType":"Basic","x":1}"#
        let result = try converted(text, .r4)
        #expect(result.resource == (try resource(text)))
        #expect(result.notes.isEmpty)
    }

    @Test func aTypeThatIsNotReadIsRefusedWithACode() {
        #expect(throws: FHIRConversionError.unsupportedType("Sandwich", .dstu2)) {
            try converted(#"{"resourceType":"Sandwich"}"#)
        }
        #expect(FHIRConversionError.unsupportedType("Sandwich", .dstu2).code == "fhir-version-unsupported-type")
    }
}
