import FHIR
import FormOperations
import Foundation
import Testing

/// The extraction by definition.
struct DefinitionExtractionTests {
    private let patient = "http://hl7.org/fhir/StructureDefinition/Patient"
    private let observation = "http://hl7.org/fhir/StructureDefinition/Observation"

    private func open(_ canonical: String, _ parts: String = "") -> String {
        #"{"url": "\#(Samples.sdc)definitionExtract", "extension": [{"url": "definition", "valueCanonical": "\#(canonical)"}\#(parts.isEmpty ? "" : ", ")\#(parts)]}"#
    }
    private func fixed(_ definition: String, _ value: String) -> String {
        #"{"url": "\#(Samples.sdc)definitionExtractValue", "extension": [{"url": "definition", "valueUri": "\#(definition)"}, {"url": "fixed-value", \#(value)}]}"#
    }
    private func calculated(_ definition: String, _ expression: String) -> String {
        #"{"url": "\#(Samples.sdc)definitionExtractValue", "extension": [{"url": "definition", "valueUri": "\#(definition)"}, {"url": "expression", "valueExpression": {"language": "text/fhirpath", "expression": "\#(expression)"}}]}"#
    }
    private func item(
        _ linkID: String, _ type: String, as definition: String? = nil, extensions: [String] = [], items: [String] = []
    ) -> String {
        var text = #"{"linkId": "\#(linkID)", "type": "\#(type)""#
        if let definition { text += #", "definition": "\#(definition)""# }
        if !extensions.isEmpty { text += #", "extension": [\#(extensions.joined(separator: ", "))]"# }
        if !items.isEmpty { text += #", "item": [\#(items.joined(separator: ", "))]"# }
        return text + "}"
    }
    private func form(root: [String] = [], _ items: String...) throws -> Questionnaire {
        let extensions = root.isEmpty ? "" : #""extension": [\#(root.joined(separator: ", "))], "#
        return try Samples.form("{\(extensions)\"item\": [\(items.joined(separator: ", "))]}")
    }
    private func answer(_ linkID: String, _ values: String...) -> String {
        #"{"linkId": "\#(linkID)", "answer": [\#(values.map { "{\($0)}" }.joined(separator: ", "))]}"#
    }
    private func group(_ linkID: String, _ items: String...) -> String {
        #"{"linkId": "\#(linkID)", "item": [\#(items.joined(separator: ", "))]}"#
    }
    private func response(_ items: String...) throws -> QuestionnaireResponse {
        try Samples.response(
            #"{"id": "r1", "authored": "2026-01-31T10:00:00Z", "subject": {"reference": "Patient/7"}, "item": [\#(items.joined(separator: ", "))]}"#
        )
    }

    private func system(_ code: String) -> String {
        fixed("\(patient)#Patient.telecom.system", #""valueCode": "\#(code)""#)
    }

    @Test func groupsCollectTheirItemsInOneElement() throws {
        let form = try form(
            item(
                "p", "group", extensions: [open(patient)],
                items: [
                    item(
                        "n", "group", as: "\(patient)#Patient.name",
                        extensions: [
                            calculated("\(patient)#Patient.name.text", "item.answer.value.join(' ')")
                        ],
                        items: [
                            item("given", "string", as: "\(patient)#Patient.name.given"),
                            item("family", "string", as: "\(patient)#Patient.name.family"),
                        ]),
                    item("gender", "choice", as: "\(patient)#Patient.gender"),
                    item("dob", "date", as: "\(patient)#Patient.birthDate"),
                    item(
                        "ihi", "string", as: "\(patient)#Patient.identifier.value",
                        extensions: [
                            fixed(
                                "\(patient)#Patient.identifier.type", #""valueCodeableConcept": {"text": "National"}"#),
                            fixed("\(patient)#Patient.identifier.system", #""valueUri": "http://example.org/nhio""#),
                        ]),
                    item("phone", "string", as: "\(patient)#Patient.telecom.value", extensions: [system("phone")]),
                    item("mail", "string", as: "\(patient)#Patient.telecom.value", extensions: [system("email")]),
                ]))
        let (bundle, problems) = Samples.extract(
            form,
            try response(
                group(
                    "p",
                    group(
                        "n", answer("given", #""valueString": "Ann""#, #""valueString": "Bea""#),
                        answer("family", #""valueString": "C""#)),
                    group("n", answer("given", #""valueString": "D""#)),
                    answer(
                        "gender",
                        #""valueCoding": {"system": "http://hl7.org/fhir/administrative-gender", "code": "female"}"#),
                    answer("dob", #""valueDate": "1990-05-01""#), answer("ihi", #""valueString": "8003""#),
                    answer("phone", #""valueString": "1""#), answer("mail", #""valueString": "2""#))))
        #expect(problems == [])
        let expected = try Samples.json(
            #"""
            {"resourceType": "Patient",
             "identifier": [{"type": {"text": "National"}, "system": "http://example.org/nhio", "value": "8003"}],
             "name": [{"text": "Ann Bea C", "family": "C", "given": ["Ann", "Bea"]}, {"text": "D", "given": ["D"]}],
             "telecom": [{"system": "phone", "value": "1"}, {"system": "email", "value": "2"}], "gender": "female", "birthDate": "1990-05-01"}
            """#)
        #expect(Samples.resources(bundle) == [expected])
    }

    @Test func theExampleOfHL7GivesItsResources() throws {
        let height = item(
            "height", "decimal", as: "\(observation)#Observation.value[x]:valueQuantity.value",
            extensions: [
                open(observation), fixed("\(observation)#Observation.status", #""valueCode": "final""#),
                fixed(
                    "\(observation)#Observation.category.coding",
                    #""valueCoding": {"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "vital-signs"}"#
                ),
                fixed(
                    "\(observation)#Observation.code.coding",
                    #""valueCoding": {"system": "http://loinc.org", "code": "8302-2"}"#),
                calculated("\(observation)#Observation.subject.reference", "%patientID"),
                calculated("\(observation)#Observation.effective", "(%resource.authored | now()).first()"),
                calculated("\(observation)#Observation.issued", "%resource.authored"),
                fixed("\(observation)#Observation.value[x]:valueQuantity.unit", #""valueString": "m""#),
                calculated(
                    "\(observation)#Observation.derivedFrom.reference", "'QuestionnaireResponse/' + %resource.id"),
            ])
        let form = try form(
            root: [#"{"url": "\#(Samples.sdc)extractAllocateId", "valueString": "patientID"}"#],
            item(
                "patient", "group", extensions: [open(patient, #"{"url": "fullUrl", "valueString": "%patientID"}"#)],
                items: [
                    item("family", "string", as: "\(patient)#Patient.name.family")
                ]),
            item("obs", "group", items: [height, height.replacing("height", with: "weight")]))
        let (bundle, problems) = Samples.extract(
            form,
            try response(
                group("patient", answer("family", #""valueString": "C""#)),
                group("obs", answer("height", #""valueDecimal": 1.63"#))))
        #expect(problems == [])
        let resources = Samples.resources(bundle)
        #expect(resources.map { $0["resourceType"]?.string } == ["Patient", "Observation"])
        #expect(resources[1]["subject"]?["reference"] == bundle.object["entry"]?[0]?["fullUrl"])
        #expect(resources[1]["valueQuantity"]?.text() == #"{"value":1.63,"unit":"m"}"#)
        #expect(resources[1]["effectiveDateTime"] == "2026-01-31T10:00:00Z")
        #expect(resources[1]["category"]?.array?.count == 1)
    }

    @Test func anItemWithoutAnAnswerGivesNoResource() throws {
        let form = try form(
            item(
                "p", "group",
                extensions: [open(patient), fixed("\(patient)#Patient.active", #""valueBoolean": true"#)],
                items: [
                    item("family", "string", as: "\(patient)#Patient.name.family")
                ]))
        let (bundle, problems) = Samples.extract(form, try response(group("p", #"{"linkId": "family"}"#)))
        #expect(problems == [])
        #expect(Samples.resources(bundle) == [])
    }

    @Test func theRootAlwaysGivesItsResource() throws {
        let form = try form(
            root: [open(patient), fixed("\(patient)#Patient.active", #""valueBoolean": true"#)],
            item("id", "string", as: "\(patient)#Patient.id"))
        let (bundle, _) = Samples.extract(form, try response())
        #expect(Samples.resources(bundle).map { $0.text() } == [#"{"resourceType":"Patient","active":true}"#])
        let (update, _) = Samples.extract(form, try response(answer("id", #""valueString": "p-1""#)))
        #expect(update.object["entry"]?[0]?["request"]?.text() == #"{"method":"PUT","url":"Patient/p-1"}"#)
    }

    @Test func severalAnswersForASingleElementAreAnError() throws {
        let form = try form(
            item(
                "p", "group", extensions: [open(patient)],
                items: [
                    item("text", "string", as: "\(patient)#Patient.name.text"),
                    item("dob", "date", as: "\(patient)#Patient.birthDate"),
                ]))
        let (bundle, problems) = Samples.extract(
            form,
            try response(
                group(
                    "p", answer("text", #""valueString": "a""#, #""valueString": "b""#),
                    answer("dob", #""valueDate": "1990-05-01""#))))
        #expect(problems.map(\.code) == ["several-values"])
        #expect(problems.first?.expression == "QuestionnaireResponse.item[0].item[0]")
        #expect(
            Samples.resources(bundle).map { $0.text() } == [#"{"resourceType":"Patient","birthDate":"1990-05-01"}"#])
    }

    @Test func anExtensionMeetsTheItemAbove() throws {
        let form = try form(
            item(
                "p", "group", extensions: [open(patient)],
                items: [
                    item(
                        "x", "boolean", as: "\(patient)#Patient.extension.value",
                        extensions: [
                            fixed("\(patient)#Patient.extension.url", #""valueUri": "http://example.org/x""#)
                        ]),
                    item("y", "string", as: "\(patient)#Patient.extension.value[x]"),
                ]))
        let (bundle, problems) = Samples.extract(
            form, try response(group("p", answer("x", #""valueBoolean": true"#), answer("y", #""valueString": "z""#))))
        #expect(problems.map(\.code) == ["extension-without-url"])
        #expect(
            Samples.resources(bundle).first?["extension"]?.text()
                == #"[{"url":"http://example.org/x","valueBoolean":true}]"#)
    }

    @Test func aSecondValueOfTheSameItemBeginsANewElement() throws {
        func pair(_ system: String, _ value: String) -> [String] {
            [
                fixed("\(patient)#Patient.identifier.system", #""valueUri": "\#(system)""#),
                fixed("\(patient)#Patient.identifier.value", #""valueString": "\#(value)""#),
            ]
        }
        let form = try form(
            root: [open(patient)] + pair("http://a", "1") + pair("http://b", "2"), item("x", "string"))
        let (bundle, problems) = Samples.extract(form, try response())
        #expect(problems == [])
        #expect(
            Samples.resources(bundle).first?["identifier"]?.text()
                == #"[{"system":"http://a","value":"1"},{"system":"http://b","value":"2"}]"#)
    }

    @Test func missingLevelsAreMade() throws {
        let form = try form(
            item(
                "p", "group", extensions: [open(patient)],
                items: [item("c", "string", as: "\(patient)#Patient.contact.name.text")]))
        let (bundle, problems) = Samples.extract(form, try response(group("p", answer("c", #""valueString": "a""#))))
        #expect(problems == [])
        #expect(Samples.resources(bundle).first?["contact"]?.text() == #"[{"name":{"text":"a"}}]"#)
    }

    @Test func faultsOfDefinitionsAreReported() throws {
        let form = try form(
            item(
                "p", "group", extensions: [open(patient), open(patient), open("http://example.org/unknown")],
                items: [
                    item("a", "string", as: "\(patient)#Patient.nothing.text"),
                    item("b", "string", as: "\(patient)#Patient.birthDate"),
                    item("c", "string", as: "\(patient)#Patient.extension.value.code"),
                    item("d", "group", as: "\(patient)#Patient.birthDate", items: [item("e", "string")]),
                    item(
                        "f", "string",
                        extensions: [fixed("\(observation)#Observation.status", #""valueCode": "final""#)]),
                    item(
                        "g", "string",
                        extensions: [
                            #"{"url": "\#(Samples.sdc)definitionExtractValue", "extension": [{"url": "definition", "valueUri": "nothing"}]}"#
                        ]),
                ]))
        let text = #""valueString": "x""#
        let (_, problems) = Samples.extract(
            form,
            try response(
                group(
                    "p", answer("a", text), answer("b", text), answer("c", text), group("d", answer("e", text)),
                    answer("f", text), answer("g", text))))
        #expect(
            problems.map(\.code) == [
                "definition-repeated", "definition-unknown", "definition-unknown", "value-type",
                "definition-type-ambiguous",
                "definition-of-group", "definition-not-open", "definition-missing",
            ])
    }

    @Test func aProfileAddsItsFixedValues() throws {
        let url = "http://example.org/StructureDefinition/height"
        let profile = StructureDefinition(
            try #require(
                try Samples.json(
                    #"""
                    {"resourceType": "StructureDefinition", "url": "\#(url)", "type": "Observation", "snapshot": {"element": [
                      {"id": "Observation", "path": "Observation"},
                      {"id": "Observation.status", "path": "Observation.status", "min": 1, "max": "1", "fixedCode": "final"},
                      {"id": "Observation.category", "path": "Observation.category", "min": 1, "max": "*"},
                      {"id": "Observation.category:VSCat", "path": "Observation.category", "min": 1, "max": "1"},
                      {"id": "Observation.category:VSCat.coding", "path": "Observation.category.coding", "min": 1, "max": "*"},
                      {"id": "Observation.category:VSCat.coding.code", "path": "Observation.category.coding.code", "min": 1, "max": "1", "fixedCode": "vital-signs"},
                      {"id": "Observation.code", "path": "Observation.code", "min": 1, "max": "1", "patternCodeableConcept": {"coding": [{"system": "http://loinc.org", "code": "8302-2"}]}},
                      {"id": "Observation.value[x]", "path": "Observation.value[x]", "min": 0, "max": "1", "type": [{"code": "Quantity"}]},
                      {"id": "Observation.value[x].system", "path": "Observation.value[x].system", "min": 1, "max": "1", "fixedUri": "http://unitsofmeasure.org"},
                      {"id": "Observation.value[x].code", "path": "Observation.value[x].code", "min": 1, "max": "1", "fixedCode": "cm"},
                      {"id": "Observation.note", "path": "Observation.note", "min": 0, "max": "*"},
                      {"id": "Observation.note.text", "path": "Observation.note.text", "min": 1, "max": "1", "fixedMarkdown": "never"}]}}
                    """#
                ).object))
        let form = try form(item("h", "decimal", as: "\(url)#Observation.value[x]", extensions: [open(url)]))
        let (bundle, problems) = Samples.extract(
            form, try response(answer("h", #""valueDecimal": 163"#)), definition: { $0.url == url ? profile : nil })
        #expect(problems == [])
        let expected = try Samples.json(
            #"""
            {"resourceType": "Observation", "meta": {"profile": ["\#(url)"]}, "status": "final",
             "category": [{"coding": [{"code": "vital-signs"}]}],
             "code": {"coding": [{"system": "http://loinc.org", "code": "8302-2"}]}, "valueQuantity": {"value": 163, "system": "http://unitsofmeasure.org", "code": "cm"}}
            """#)
        #expect(Samples.resources(bundle).map { comparable($0) } == [comparable(expected)])
    }

    @Test func anUnknownProfileIsReportedAndItsTypeIsThatOfTheDefinitions() throws {
        let url = "http://example.org/StructureDefinition/person"
        let form = try form(
            item("p", "group", extensions: [open(url)], items: [item("f", "string", as: "\(url)#Patient.name.family")]))
        let (bundle, problems) = Samples.extract(form, try response(group("p", answer("f", #""valueString": "a""#))))
        #expect(problems.map(\.code) == ["profile-unknown"])
        #expect(Samples.resources(bundle).first?["meta"]?["profile"]?[0]?.string == url)
    }

    @Test func anItemContextIsRead() throws {
        let context = #"{"url": "\#(Samples.sdc)itemExtractionContext", "valueCode": "Patient"}"#
        let form = try form(
            item(
                "p", "group", extensions: [context], items: [item("f", "string", as: "\(patient)#Patient.name.family")])
        )
        let (bundle, problems) = Samples.extract(form, try response(group("p", answer("f", #""valueString": "a""#))))
        #expect(problems == [])
        #expect(Samples.resources(bundle).count == 1)
    }
}
