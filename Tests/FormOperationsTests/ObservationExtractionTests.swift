import FHIR
import FormOperations
import Foundation
import Testing

/// The extraction by observation.
struct ObservationExtractionTests {
    private func rule(_ value: String) -> String {
        #"{"url": "\#(Samples.sdc)observationExtract", \#(value)}"#
    }
    private var on: String { rule(#""valueBoolean": true"#) }
    private var off: String { rule(#""valueBoolean": false"#) }
    private func code(_ code: String, _ extensions: String = "") -> String {
        #"{"system": "http://loinc.org", "code": "\#(code)", "extension": [\#(extensions)]}"#
            .replacing(#", "extension": []"#, with: "")
    }
    private func item(
        _ linkID: String, _ type: String, codes: [String], extensions: [String] = [], items: [String] = []
    ) -> String {
        var text = #"{"linkId": "\#(linkID)", "type": "\#(type)""#
        if !codes.isEmpty { text += #", "code": [\#(codes.joined(separator: ", "))]"# }
        if !extensions.isEmpty { text += #", "extension": [\#(extensions.joined(separator: ", "))]"# }
        if !items.isEmpty { text += #", "item": [\#(items.joined(separator: ", "))]"# }
        return text + "}"
    }
    private func form(root: [String] = [], _ items: String...) throws -> Questionnaire {
        let extensions = root.isEmpty ? "" : #""extension": [\#(root.joined(separator: ", "))], "#
        return try Samples.form("{\(extensions)\"item\": [\(items.joined(separator: ", "))]}")
    }

    private let head = #"""
        "id": "r1", "authored": "2026-01-31T10:00:00+01:00", "subject": {"reference": "Patient/7"}, "author": {"reference": "Patient/7"},
        "encounter": {"reference": "Encounter/e"}, "basedOn": [{"reference": "ServiceRequest/s"}], "partOf": [{"reference": "Observation/o"}, {"reference": "Procedure/p"}],
        """#

    private func response(_ items: String) throws -> QuestionnaireResponse {
        try Samples.response("{\(head) \"item\": [\(items)]}")
    }

    @Test func anAnswerBecomesAnObservation() throws {
        let unit =
            #"{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit", "valueCoding": {"system": "http://unitsofmeasure.org", "code": "kg", "display": "kg"}}"#
        let form = try form(item("w", "decimal", codes: [code("29463-7"), code("3141-9")], extensions: [on, unit]))
        let (bundle, problems) = Samples.extract(
            form, try response(#"{"linkId": "w", "answer": [{"valueDecimal": 70.50}]}"#))
        #expect(problems == [])
        let entry = try #require(bundle.object["entry"]?[0])
        #expect(entry["request"]?["method"] == "POST" && entry["request"]?["url"] == "Observation")
        let expected = try Samples.json(
            #"""
            {"resourceType": "Observation", "basedOn": [{"reference": "ServiceRequest/s"}], "partOf": [{"reference": "Procedure/p"}], "status": "final",
             "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}, {"system": "http://loinc.org", "code": "3141-9"}]},
             "subject": {"reference": "Patient/7"}, "encounter": {"reference": "Encounter/e"}, "effectiveDateTime": "2026-01-31T10:00:00+01:00",
             "issued": "2026-01-31T10:00:00+01:00", "performer": [{"reference": "Patient/7"}],
             "valueQuantity": {"value": 70.50, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"},
             "derivedFrom": [{"reference": "QuestionnaireResponse/r1"}]}
            """#)
        #expect(entry["resource"] == expected)
    }

    @Test(arguments: [
        ("integer", #""valueInteger": 3"#, #""valueInteger":3"#),
        ("decimal", #""valueDecimal": 3.0"#, #""valueQuantity":{"value":3.0}"#),
        ("boolean", #""valueBoolean": false"#, #""valueBoolean":false"#),
        ("date", #""valueDate": "2026-01-31""#, #""valueDateTime":"2026-01-31""#),
        ("dateTime", #""valueDateTime": "2026-01-31T10:00:00Z""#, #""valueDateTime":"2026-01-31T10:00:00Z""#),
        ("time", #""valueTime": "10:00:00""#, #""valueTime":"10:00:00""#),
        ("string", #""valueString": "a""#, #""valueString":"a""#),
        ("url", #""valueUri": "http://a""#, #""valueString":"http://a""#),
        ("choice", #""valueCoding": {"code": "c"}"#, #""valueCodeableConcept":{"coding":[{"code":"c"}]}"#),
        ("quantity", #""valueQuantity": {"value": 1}"#, #""valueQuantity":{"value":1}"#),
    ])
    func eachTypeOfAnswerHasItsValue(type: String, answer: String, expected: String) throws {
        let form = try form(item("q", type, codes: [code("1-8")], extensions: [on]))
        let (bundle, problems) = Samples.extract(form, try response(#"{"linkId": "q", "answer": [{\#(answer)}]}"#))
        #expect(problems == [])
        #expect(Samples.resources(bundle).first?.text().contains(expected) == true, "\(bundle.json.text())")
    }

    @Test func anAttachmentIsReported() throws {
        let form = try form(item("q", "attachment", codes: [code("1-8")], extensions: [on]))
        let (bundle, problems) = Samples.extract(
            form, try response(#"{"linkId": "q", "answer": [{"valueAttachment": {"url": "http://a"}}]}"#))
        #expect(problems.map(\.code) == ["observation-value"])
        #expect(Samples.resources(bundle) == [])
    }

    @Test func theRuleIsInheritedAndFalseStopsIt() throws {
        let form = try form(
            root: [on],
            item(
                "g", "group", codes: [],
                items: [
                    item("a", "string", codes: [code("a")]),
                    item(
                        "b", "string", codes: [code("b")], extensions: [off],
                        items: [item("b1", "string", codes: [code("b1")])]),
                    item("c", "string", codes: []),
                ]))
        let answers = #"""
            {"linkId": "g", "item": [{"linkId": "a", "answer": [{"valueString": "x"}]},
             {"linkId": "b", "answer": [{"valueString": "x", "item": [{"linkId": "b1", "answer": [{"valueString": "x"}]}]}]},
             {"linkId": "c", "answer": [{"valueString": "x"}]}]}
            """#
        let (bundle, problems) = Samples.extract(form, try response(answers))
        #expect(problems == [])
        #expect(codes(bundle) == ["a"])
    }

    private func codes(_ bundle: FHIR.Bundle) -> [String] {
        Samples.resources(bundle).compactMap { $0["code"]?["coding"]?[0]?["code"]?.string }
    }

    @Test func onlyMarkedCodesAreExtractedIfOneIsMarked() throws {
        let form = try form(
            item("a", "string", codes: [code("1", on), code("2"), code("3", off)]),
            item("b", "string", codes: [code("4"), code("5", off)], extensions: [on]))
        let (bundle, _) = Samples.extract(
            form,
            try response(
                #"{"linkId": "a", "answer": [{"valueString": "x"}]}, {"linkId": "b", "answer": [{"valueString": "x"}]}"#
            ))
        let found = Samples.resources(bundle).map { ($0["code"]?["coding"]?.array ?? []).map { $0.text() } }
        #expect(
            found == [[#"{"system":"http://loinc.org","code":"1"}"#], [#"{"system":"http://loinc.org","code":"4"}"#]])
    }

    @Test func severalAnswersAreSeveralObservations() throws {
        let form = try form(item("a", "string", codes: [code("1")], extensions: [on]))
        let (bundle, _) = Samples.extract(
            form, try response(#"{"linkId": "a", "answer": [{"valueString": "x"}, {"valueString": "y"}]}"#))
        #expect(Samples.resources(bundle).map { $0["valueString"]?.string } == ["x", "y"])
    }

    @Test func componentsAreInTheObservationOfTheGroup() throws {
        let component = rule(#""valueCode": "component""#)
        let form = try form(
            item(
                "bp", "group", codes: [code("85354-9")], extensions: [on],
                items: [
                    item("s", "integer", codes: [code("8480-6")], extensions: [component]),
                    item("d", "integer", codes: [code("8462-4")], extensions: [component]),
                ]))
        let (bundle, problems) = Samples.extract(
            form,
            try response(
                #"{"linkId": "bp", "item": [{"linkId": "s", "answer": [{"valueInteger": 120}]}, {"linkId": "d", "answer": [{"valueInteger": 80}]}]}"#
            ))
        #expect(problems == [])
        #expect(codes(bundle) == ["85354-9"])
        let components = Samples.resources(bundle).first?["component"]?.array ?? []
        #expect(components.map { $0["valueInteger"]?.integer } == [120, 80])
    }

    @Test func membersAndDerivedObservationsReferToEachOther() throws {
        let form = try form(
            item(
                "p", "group", codes: [code("panel")], extensions: [on],
                items: [
                    item(
                        "m", "integer", codes: [code("m")], extensions: [rule(#""valueCode": "member""#)],
                        items: [
                            item("d", "integer", codes: [code("d")], extensions: [rule(#""valueCode": "derived""#)])
                        ]),
                    item("i", "integer", codes: [code("i")], extensions: [rule(#""valueCode": "independent""#)]),
                ]))
        let (bundle, problems) = Samples.extract(
            form,
            try response(
                #"{"linkId": "p", "item": [{"linkId": "m", "answer": [{"valueInteger": 1, "item": [{"linkId": "d", "answer": [{"valueInteger": 2}]}]}]}, {"linkId": "i", "answer": [{"valueInteger": 3}]}]}"#
            ))
        #expect(problems == [])
        #expect(codes(bundle) == ["panel", "m", "d", "i"])
        let urls = (bundle.object["entry"]?.array ?? []).map { $0["fullUrl"]?.string }
        let found = Samples.resources(bundle)
        #expect(found[0]["hasMember"]?.array?.map { $0["reference"]?.string } == [urls[1]])
        #expect(found[2]["derivedFrom"]?.array?.compactMap { $0["reference"]?.string }.last == urls[1])
        #expect(found[3]["derivedFrom"]?.array?.count == 1)
    }

    @Test func aGroupWithoutRelatedItemsGivesNoObservation() throws {
        let form = try form(
            item(
                "p", "group", codes: [code("panel")], extensions: [on],
                items: [item("i", "integer", codes: [code("i")])]))
        let (bundle, _) = Samples.extract(
            form, try response(#"{"linkId": "p", "item": [{"linkId": "i", "answer": [{"valueInteger": 3}]}]}"#))
        #expect(codes(bundle) == ["i"])
    }

    @Test func theNearestCategoryReplacesOthers() throws {
        func category(_ text: String) -> String {
            #"{"url": "\#(Samples.sdc)observation-extract-category", "valueCodeableConcept": {"text": "\#(text)"}}"#
        }
        let form = try form(
            root: [on, category("root")], item("a", "string", codes: [code("a")]),
            item("b", "string", codes: [code("b")], extensions: [category("b1"), category("b2")]))
        let (bundle, _) = Samples.extract(
            form,
            try response(
                #"{"linkId": "a", "answer": [{"valueString": "x"}]}, {"linkId": "b", "answer": [{"valueString": "x"}]}"#
            ))
        let found = Samples.resources(bundle).map { ($0["category"]?.array ?? []).map { $0["text"]?.string } }
        #expect(found == [["root"], ["b1", "b2"]])
    }

    @Test func theEntryOfAnObservationCanBeNamed() throws {
        let allocate = #"{"url": "\#(Samples.sdc)extractAllocateId", "valueString": "obs"}"#
        let entry =
            #"{"url": "\#(Samples.sdc)observationExtractEntry", "extension": [{"url": "fullUrl", "valueString": "%obs"}, {"url": "ifNoneExist", "valueString": "'code=a'"}]}"#
        let form = try form(item("a", "string", codes: [code("a")], extensions: [on, allocate, entry]))
        let (bundle, problems) = Samples.extract(
            form, try response(#"{"linkId": "a", "answer": [{"valueString": "x"}]}"#))
        #expect(problems == [])
        #expect(bundle.object["entry"]?[0]?["fullUrl"] == "urn:uuid:00000000-0000-4000-8000-000000000001")
        #expect(bundle.object["entry"]?[0]?["request"]?["ifNoneExist"] == "code=a")
    }

    @Test func aDateWithoutATimeIsNoInstant() throws {
        let form = try form(item("a", "string", codes: [code("a")], extensions: [on]))
        let response = try Samples.response(
            #"{"authored": "2026-01-31", "item": [{"linkId": "a", "answer": [{"valueString": "x"}]}]}"#)
        let found = Samples.resources(Samples.extract(form, response).bundle)
        #expect(found.first?["effectiveDateTime"] == "2026-01-31")
        #expect(found.first?["issued"] == nil)
    }
}
