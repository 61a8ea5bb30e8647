import FHIR
import Foundation
import TestSupport
import Testing

@testable import FHIRVersions

/// Resources of types without rules of their own.
@Suite struct StructureTests {
    @Test(arguments: [FHIRVersion.dstu2, .stu3])
    func everyTypeBecomesR4AndNothingVanishes(version: FHIRVersion) throws {
        let seed = Seeded.newSeed()
        let table = ReleaseConversion(from: version).source
        var resources = GeneratedResources(table: table, random: Seeded(seed))
        let types = table.resourceTypes
        #expect(types.count > 90)
        for type in types {
            for _ in 0..<4 {
                let source = resources.resource(type)
                let result = try FHIRConversion.toR4(source, from: version)
                #expect(StructureCheck.problems(result.resource) == [], "seed \(seed) \(source.json.text())")
                #expect(VanishedValues.of(source, in: result) == [], "seed \(seed) \(source.json.text())")
            }
        }
    }

    @Test func anOrderOfMedicinesIsAMedicationRequest() throws {
        let result = try converted(
            """
            {"resourceType":"MedicationOrder","id":"1","status":"active","patient":{"reference":"Patient/1"},
             "dateEnded":"2015-01-02","medicationReference":{"reference":"Medication/2"},"note":"slowly",
             "dosageInstruction":[{"text":"one a day"}]}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["resourceType"]?.string == "MedicationRequest")
        #expect(json["status"]?.string == "active")
        #expect(json.path("subject.reference")?.string == "Patient/1")
        #expect(json.path("_intent.extension.0.valueCode")?.string == "unknown")
        let urls = (json["extension"]?.array ?? []).compactMap { $0["url"]?.string }
        let home = "http://hl7.org/fhir/1.0/StructureDefinition/extension-MedicationOrder."
        #expect(urls.contains(home + "dateEnded"))
        #expect(result.notes.contains { $0.detail == "it is converted by structure only" })
    }

    @Test func aTypeWithoutSuccessorIsABasic() throws {
        let result = try converted(
            """
            {"resourceType":"Order","id":"o","date":"2015-01-02","subject":{"reference":"Patient/1"},
             "detail":[{"reference":"DiagnosticOrder/2"}],"when":{"code":{"text":"soon"}}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["resourceType"]?.string == "Basic")
        #expect(json.path("code.text")?.string == "Order")
        #expect(json["subject"] == nil)
        #expect(
            json["extension"]?.array?.contains([
                "url": "http://hl7.org/fhir/1.0/StructureDefinition/extension-Order.detail",
                "valueReference": ["reference": "ServiceRequest/2"],
            ]) == true)
        let when = json["extension"]?.array?.first { $0["url"]?.string?.hasSuffix(".when") == true }
        #expect(when?.path("extension.0.valueCodeableConcept.text")?.string == "soon")
    }

    @Test func requiredCodeThatR4DoesNotHaveIsKeptInAnExtension() throws {
        let json = try converted(
            #"{"resourceType":"MedicationOrder","status":"proposed","patient":{"reference":"Patient/1"}}"#
        ).resource.json
        #expect(json["status"] == nil)
        #expect(json.path("_status.extension.0.valueCode")?.string == "unknown")
        #expect(
            json["modifierExtension"]?.array?.first == [
                "url": "http://hl7.org/fhir/1.0/StructureDefinition/extension-MedicationOrder.status",
                "valueCode": "proposed",
            ])
    }

    @Test func elementThatChangesTheMeaningBecomesAModifierExtension() throws {
        let json = try converted(
            """
            {"resourceType":"MedicationStatement","status":"completed","patient":{"reference":"Patient/1"},
             "wasNotTaken":true,"reasonNotTaken":[{"text":"forgot"}],"medicationCodeableConcept":{"text":"x"}}
            """
        ).resource.json
        let home = "http://hl7.org/fhir/1.0/StructureDefinition/extension-MedicationStatement."
        #expect(
            json["modifierExtension"] == [["url": .string(home + "wasNotTaken"), "valueBoolean": true]])
        #expect(json.path("extension.0.url")?.string == home + "reasonNotTaken")
    }

    @Test func aCodeThatBecameAConceptHasItsSystem() throws {
        let json = try converted(
            """
            {"resourceType":"AllergyIntolerance","clinicalStatus":"active","verificationStatus":"confirmed",
             "patient":{"reference":"Patient/1"}}
            """, .stu3
        ).resource.json
        #expect(
            json.path("clinicalStatus.coding.0")
                == [
                    "system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "code": "active",
                ])
    }

    @Test func absoluteReferenceBecomesACanonicalURL() throws {
        let concept = try converted(
            """
            {"resourceType":"ConceptMap","status":"draft","sourceReference":{"reference":"http://x.example/vs"},
             "targetReference":{"reference":"ValueSet/2"}}
            """, .stu3
        ).resource.json
        #expect(concept["sourceCanonical"]?.string == "http://x.example/vs")
        #expect(concept["targetCanonical"] == nil)
        #expect(concept.text().contains("ValueSet/2"))
    }

    @Test func theEntriesOfABundleAgreeOnNewNames() throws {
        let json = try converted(
            """
            {"resourceType":"Bundle","type":"collection","entry":[
             {"fullUrl":"http://x.example/DiagnosticOrder/1","resource":{"resourceType":"DiagnosticOrder","id":"1",
              "status":"completed","subject":{"reference":"Patient/1"}}},
             {"resource":{"resourceType":"DiagnosticReport","id":"2","request":[
              {"reference":"http://x.example/DiagnosticOrder/1"},{"reference":"DiagnosticOrder/1"}]}}]}
            """
        ).resource.json
        #expect(json.path("entry.0.fullUrl")?.string == "http://x.example/ServiceRequest/1")
        #expect(json.path("entry.0.resource.resourceType")?.string == "ServiceRequest")
        let text = json.path("entry.1.resource")?.text() ?? ""
        #expect(text.contains("http://x.example/ServiceRequest/1") && text.contains("\"ServiceRequest/1\""))
    }

    @Test func aDefinitionOfAnExtensionHasR4sContextTypesAndIds() throws {
        let result = try converted(
            """
            {"resourceType":"StructureDefinition","url":"http://x.example/e","name":"E","status":"draft",
             "kind":"datatype","constrainedType":"Extension","abstract":false,"contextType":"resource",
             "context":["Patient"],"base":"http://hl7.org/fhir/StructureDefinition/Extension",
             "differential":{"element":[{"path":"Extension","type":[{"code":"Extension"}]},
              {"path":"Extension.value[x]","isModifier":true,"type":[
               {"code":"Reference","profile":["http://hl7.org/fhir/StructureDefinition/Patient"]},
               {"code":"Reference","profile":["http://hl7.org/fhir/StructureDefinition/Group"]},{"code":"string"}]}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["type"]?.string == "Extension")
        #expect(json["kind"]?.string == "complex-type")
        #expect(json["derivation"]?.string == "constraint")
        #expect(json.path("context.0") == ["type": "element", "expression": "Patient"])
        #expect(json.path("differential.element.0.type") == nil)
        #expect(json.path("differential.element.1.id")?.string == "Extension.value[x]")
        #expect(json.path("differential.element.1._isModifierReason") != nil)
        let types = try #require(json.path("differential.element.1.type")?.array)
        #expect(types.count == 2 && types[0]["targetProfile"]?.array?.count == 2)
    }
}
