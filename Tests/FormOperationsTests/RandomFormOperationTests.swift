import FHIR
import FHIRValidation
import FormOperations
import Foundation
import Questionnaires
import TestSupport
import Testing

/// Operations on random and hostile forms: each ends, and reports problems instead of a crash.
struct RandomFormOperationTests {
    private static let types = [
        "group", "string", "integer", "decimal", "choice", "date", "boolean", "quantity", "display",
    ]
    private static let definitions = [
        "Patient.name", "Patient.name.given", "Patient.name.family", "Patient.birthDate", "Patient.active",
        "Patient.contact.name.text",
        "Patient.extension.value", "Patient.extension.url", "Patient.deceased[x]", "Patient.deceasedBoolean",
        "Patient.maritalStatus",
        "Patient.maritalStatus.coding", "Patient.telecom.value", "Patient.multipleBirth[x]:multipleBirthInteger",
        "Patient.id", "Patient",
        "Patient.nothing", "Patient.name:x.text", "Patient..a",
    ]
    private static let expressions = [
        "answer.value", "item.answer.value", "%resource.item", "%unknown", "(", "1/0", "now()", "%id",
        "%context.answer.value.first()",
        "descendants()", "'x'", "{}", "%qitem.code", "%questionnaire.title", "'a'.repeat('b')",
    ]

    private func values(_ random: inout Seeded) -> JSON {
        let all: [JSON] = [
            ["valueString": "a"], ["valueInteger": 3],
            ["valueDecimal": .number(JSONNumber(text: "1.50") ?? JSONNumber(1))],
            ["valueCoding": ["system": "http://s", "code": "c"]], ["valueDate": "2026-01-31"], ["valueBoolean": true],
            ["valueQuantity": ["value": 2, "code": "kg"]], ["valueNothing": 1], ["valueString": .null],
            ["valueUri": "not a uri"], [:],
            ["valueReference": ["reference": "Patient/1"]], ["valueAttachment": ["url": "http://x"]],
        ]
        return all.randomElement(using: &random) ?? .null
    }

    private func extensions(_ random: inout Seeded, isRoot: Bool) -> [JSON] {
        let patient = "http://hl7.org/fhir/StructureDefinition/Patient"
        let expression = JSON.string(Self.expressions.randomElement(using: &random) ?? "")
        let definition = JSON.string("\(patient)#\(Self.definitions.randomElement(using: &random) ?? "")")
        let all: [JSON] = [
            ["url": .string(Samples.sdc + "observationExtract"), "valueBoolean": .bool(Bool.random(using: &random))],
            [
                "url": .string(Samples.sdc + "observationExtract"),
                "valueCode": ["component", "member", "derived", "x"].randomElement(using: &random) ?? .null,
            ],
            ["url": .string(Samples.sdc + "extractAllocateId"), "valueString": "id"],
            [
                "url": .string(Samples.sdc + "definitionExtract"),
                "extension": [
                    ["url": "definition", "valueCanonical": .string(patient)],
                    ["url": "fullUrl", "valueString": expression],
                ],
            ],
            [
                "url": .string(Samples.sdc + "definitionExtractValue"),
                "extension": [
                    ["url": "definition", "valueUri": definition],
                    ["url": "expression", "valueExpression": ["language": "text/fhirpath", "expression": expression]],
                ],
            ],
            [
                "url": .string(Samples.sdc + "definitionExtractValue"),
                "extension": [
                    ["url": "definition", "valueUri": definition], ["url": "fixed-value", "valueString": "x"],
                ],
            ],
            [
                "url": .string(Samples.sdc + "templateExtract"),
                "extension": [
                    ["url": "template", "valueReference": ["reference": Bool.random(using: &random) ? "#t" : "#u"]],
                    ["url": "resourceId", "valueString": expression],
                ],
            ],
            ["url": .string(Samples.sdc + "observationLinkPeriod"), "valueDuration": ["value": 1, "code": "a"]],
            ["url": .string(Samples.sdc + "subQuestionnaire"), "valueCanonical": "http://example.org/form"],
            [
                "url": "http://hl7.org/fhir/StructureDefinition/variable",
                "valueExpression": ["name": "linkIdPrefix", "expression": expression],
            ],
        ]
        return (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in all.randomElement(using: &random) }
    }

    private func items(_ random: inout Seeded, depth: Int, _ count: inout Int) -> JSON {
        var items: [JSON] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            count += 1
            var item: JSON = [
                "linkId": .string("i\(count)"), "type": .string(Self.types.randomElement(using: &random) ?? ""),
            ]
            item["repeats"] = .bool(Bool.random(using: &random))
            if Bool.random(using: &random) { item["code"] = [["system": "http://s", "code": .string("c\(count)")]] }
            if Bool.random(using: &random) {
                item["definition"] = .string(
                    "http://hl7.org/fhir/StructureDefinition/Patient#\(Self.definitions.randomElement(using: &random) ?? "")"
                )
            }
            let own = extensions(&random, isRoot: false)
            if !own.isEmpty { item["extension"] = .array(own) }
            if depth < 4, Bool.random(using: &random) { item["item"] = self.items(&random, depth: depth + 1, &count) }
            items.append(item)
        }
        return .array(items)
    }

    private func answers(_ items: [JSON], _ random: inout Seeded) -> JSON {
        var output: [JSON] = []
        for item in items {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                var node: JSON = ["linkId": item["linkId"] ?? .null]
                let below = answers(item["item"]?.array ?? [], &random)
                if item["type"] == "group" {
                    node["item"] = below
                } else {
                    node["answer"] = .array(
                        (0..<Int.random(in: 0...2, using: &random)).map { _ in
                            var answer = values(&random)
                            if Bool.random(using: &random) { answer["item"] = below }
                            return answer
                        })
                }
                output.append(node)
            }
        }
        return .array(output)
    }

    private func form(_ random: inout Seeded) throws -> Questionnaire {
        let context = Self.expressions.randomElement(using: &random) ?? ""
        let value = Self.expressions.randomElement(using: &random) ?? ""
        var form = try Samples.form(
            #"""
            {"contained": [{"resourceType": "Patient", "id": "t", "name": [{"extension": [{"url": "\#(Samples.sdc)templateExtractContext", "valueString": "\#(context)"}],
              "text": "x", "_family": {"extension": [{"url": "\#(Samples.sdc)templateExtractValue", "valueString": "\#(value)"}]}}], "_active": {"extension": [{"url": "\#(Samples.sdc)templateExtractValue", "valueString": "\#(value)"}]}}]}
            """#)
        var count = 0
        form.object["item"] = items(&random, depth: 0, &count)
        let own = extensions(&random, isRoot: true)
        if !own.isEmpty { form.object["extension"] = .array(own) }
        return form
    }

    @Test func randomFormsGiveBundlesWithoutStructuralErrors() throws {
        var random = Seeded.fresh()
        for _ in 0..<300 {
            let form = try form(&random)
            var response = try Samples.response(#"{"id": "r", "authored": "2026-01-31T10:00:00Z"}"#)
            response.object["item"] = answers(form.object["item"]?.array ?? [], &random)
            let first = Samples.extract(form, response, isValid: false)
            let second = Samples.extract(form, response, isValid: false)
            #expect(first.bundle == second.bundle && first.problems == second.problems)
            // Types of values and names of elements are always those of R4; a form can omit required elements.
            let structural: Set<String> = [
                "wrong-shape", "unknown-element", "sibling-of-object", "several-choices", "unexpected-array",
                "array-expected", "nested-array", "empty-array", "empty-text", "null-value", "invalid-id", "full-url",
            ]
            let errors = FHIRValidator().validate(first.bundle.json).errors.filter { structural.contains($0.code) }
            #expect(
                errors.isEmpty,
                "\(errors.map { "\($0.code) \($0.expression): \($0.message)" }) \(form.json.text()) \(response.json.text())"
            )
        }
    }

    @Test func aResponseWithoutAnswersGivesOnlyTheResourcesOfTheRoot() throws {
        var random = Seeded.fresh()
        for _ in 0..<200 {
            let form = try form(&random)
            let (bundle, _) = Samples.extract(form, try Samples.response("{}"), isValid: false)
            let ofRoot = form.extension.filter {
                $0.url == Samples.sdc + "templateExtract" || $0.url == Samples.sdc + "definitionExtract"
            }
            #expect(Samples.resources(bundle).count <= ofRoot.count)
        }
    }

    @Test func randomFormsAreAssembledOrRefused() throws {
        var random = Seeded.fresh()
        for _ in 0..<300 {
            let part = try form(&random)
            var root = try form(&random)
            root.url = "http://example.org/root"
            let (whole, problems) = FormAssembly.assembled(root) { $0.url == part.url ? part : nil }
            #expect((whole == nil) == problems.contains { $0.severity == .error })
            if let items = whole?.object["item"] { #expect(!items.text().contains("subQuestionnaire\"")) }
        }
    }

    @Test func randomFormsArePopulated() throws {
        var random = Seeded.fresh()
        let observation = Observation(
            try #require(
                try Samples.json(
                    #"{"resourceType": "Observation", "status": "final", "subject": {"reference": "Patient/7"}, "effectiveDateTime": "2026-11-01", "code": {"coding": [{"system": "http://s", "code": "c1"}]}, "valueQuantity": {"value": 1e400, "code": "kg"}}"#
                ).object))
        for _ in 0..<200 {
            let form = QuestionnaireForm(try form(&random))
            let population = ObservationPopulation([observation], subject: "Patient/7", authored: Samples.now)
            var session = FormSession(form)
            for (path, value) in population.answers(of: form).answers { session.setAnswers([value], at: path) }
        }
    }

    // MARK: Bad input

    @Test func moreItemsThanTheLimitAreExtracted() throws {
        let count = 3 * OperationLimits().resources
        let rule = #"{"url": "\#(Samples.sdc)observationExtract", "valueBoolean": true}"#
        let items = (0..<count).map { #"{"linkId": "i\#($0)", "type": "integer", "code": [{"code": "c"}]}"# }.joined(
            separator: ",")
        let form = try Samples.form(#"{"extension": [\#(rule)], "item": [\#(items)]}"#)
        let answers = (0..<count).map { #"{"linkId": "i\#($0)", "answer": [{"valueInteger": 1}]}"# }.joined(
            separator: ",")
        let response = try Samples.response(#"{"item": [\#(answers)]}"#)
        var extraction = FormExtraction(form)
        extraction.limits.resources = count
        let (bundle, problems) = extraction.extracted(from: response, now: Samples.now, makeUUID: Samples.counter())
        #expect(problems == [])
        #expect(bundle.object["entry"]?.array?.count == count)
        let (short, tooMany) = FormExtraction(form).extracted(
            from: response, now: Samples.now, makeUUID: Samples.counter())
        #expect(tooMany.map(\.code).contains("too-many-resources"))
        #expect(short.object["entry"]?.array?.count == OperationLimits().resources)
    }

    @Test func deeplyNestedItemsAreBounded() throws {
        var item: JSON = ["linkId": "0", "type": "string"]
        var answer: JSON = ["linkId": "0", "answer": [["valueString": "x"]]]
        for number in 1..<1_000 {
            item = ["linkId": .string("\(number)"), "type": "group", "item": [item]]
            answer = ["linkId": .string("\(number)"), "item": [answer]]
        }
        var form = try Samples.form("{}")
        form.object["item"] = [item]
        var response = try Samples.response("{}")
        response.object["item"] = [answer]
        let (_, problems) = Samples.extract(form, response)
        #expect(problems.count <= 1)
    }

    @Test func aCostlyExpressionEndsWithinTheLimit() throws {
        let extract =
            ##"{"url": "\##(Samples.sdc)templateExtract", "extension": [{"url": "template", "valueReference": {"reference": "#t"}}]}"##
        let bomb = "(1 | 2 | 3).repeat($this + 1)"
        let form = try Samples.form(
            #"{"contained": [{"resourceType": "Basic", "id": "t", "code": {"_text": {"extension": [{"url": "\#(Samples.sdc)templateExtractValue", "valueString": "\#(bomb)"}]}}}], "item": [{"linkId": "q", "type": "string", "extension": [\#(extract)]}]}"#
        )
        let answers = (0..<10_000).map { #"{"valueString": "\#($0)"}"# }.joined(separator: ",")
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [\#(answers)]}]}"#)
        var extraction = FormExtraction(form)
        extraction.limits.steps = 500_000
        let (_, problems) = extraction.extracted(from: response, now: Samples.now, makeUUID: Samples.counter())
        #expect(problems.contains { $0.code == "too-expensive" })
    }
}
