import FHIR
import FormOperations
import Foundation
import Testing

/// The extraction by template.
struct TemplateExtractionTests {
    /// Returns a form with one template.
    private func form(_ template: String, items: String, root: String = "") throws -> Questionnaire {
        let extensions = root.isEmpty ? "" : "\"extension\": [\(root)], "
        return try Samples.form("{\"contained\": [\(template)], \(extensions)\"item\": [\(items)]}")
    }

    private func extract(_ reference: String) -> String {
        #"{"url": "\#(Samples.sdc)templateExtract", "extension": [{"url": "template", "valueReference": {"reference": "\#(reference)"}}]}"#
    }

    private func value(_ expression: String) -> String {
        #"{"extension": [{"url": "\#(Samples.sdc)templateExtractValue", "valueString": "\#(expression)"}]}"#
    }

    private func basic(_ members: String) -> String {
        #"{"resourceType": "Basic", "id": "t", "code": {"text": "x"}\#(members.isEmpty ? "" : ", ")\#(members)}"#
    }

    private func question(_ extensions: String, _ type: String = "string", repeats: Bool = false) -> String {
        let written = extensions.isEmpty ? "" : ", \"extension\": [\(extensions)]"
        return #"{"linkId": "q", "type": "\#(type)", "repeats": \#(repeats)\#(written)}"#
    }

    @Test func aQuestionWithoutAnAnswerGivesNoResource() throws {
        let form = try form(basic(""), items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q"}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        #expect(Samples.resources(bundle) == [])
        #expect(bundle.type == .transaction)
    }

    @Test func theRootGivesOneResourceWithoutAnswers() throws {
        let form = try form(basic(""), items: question(""), root: extract("#t"))
        let (bundle, problems) = Samples.extract(form, try Samples.response("{}"))
        #expect(problems == [])
        #expect(Samples.resources(bundle).count == 1)
        #expect(Samples.resources(bundle)[0]["id"] == nil)
    }

    @Test func eachAnswerGivesAResourceOfItsOwn() throws {
        let template = basic(#""identifier": [{"_value": \#(value("answer.value"))}]"#)
        let form = try form(template, items: question(extract("#t"), repeats: true))
        let response = try Samples.response(
            #"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        #expect(Samples.resources(bundle).map { $0["identifier"]?[0]?["value"]?.string } == ["a", "b"])
    }

    @Test func aContextWithSeveralResultsCopiesTheElement() throws {
        let template = basic(
            #"""
            "identifier": [{"system": "http://example.org/fixed", "value": "1"},
              {"extension": [{"url": "\#(Samples.sdc)templateExtractContext",
                "valueExpression": {"name": "one", "language": "text/fhirpath", "expression": "item.answer.value"}}],
               "system": "http://example.org/x", "_value": \#(value("%one + '!'"))}]
            """#)
        let group =
            #"{"linkId": "g", "type": "group", "repeats": true, "extension": [\#(extract("#t"))], "item": [\#(question("", repeats: true))]}"#
        let form = try form(template, items: group)
        let response = try Samples.response(
            #"{"item": [{"linkId": "g", "item": [{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}]}, {"linkId": "g", "item": [{"linkId": "q", "answer": [{"valueString": "c"}]}]}]}"#
        )
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        let values = Samples.resources(bundle).map { ($0["identifier"]?.array ?? []).map { $0["value"]?.string } }
        #expect(values == [["1", "a!", "b!"], ["1", "c!"]])
    }

    @Test func aValueWithoutAResultRemovesTheElementAndItsSibling() throws {
        let template = basic(
            #""author": {"_reference": \#(value("item.where(linkId = 'none').answer.value"))}, "created": "1900-01-01", "_created": \#(value("{}"))"#
        )
        let form = try form(template, items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        let resource = try #require(Samples.resources(bundle).first)
        #expect(resource["author"] == nil && resource["created"] == nil && resource["_created"] == nil)
    }

    @Test func otherExtensionsOfAPrimitiveStay() throws {
        let template = basic(
            #"""
            "created": "1900-01-01", "_created": {"extension": [
              {"url": "http://example.org/kept", "valueString": "k"},
              {"url": "\#(Samples.sdc)templateExtractValue", "valueString": "'2026-01-31'"}]}
            """#)
        let form = try form(template, items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, _) = Samples.extract(form, response)
        let resource = try #require(Samples.resources(bundle).first)
        #expect(resource["created"] == "2026-01-31")
        #expect(resource["_created"]?["extension"]?[0]?["url"] == "http://example.org/kept")
        #expect(resource["_created"]?["extension"]?.array?.count == 1)
    }

    @Test func severalValuesOfASingleElementAreReported() throws {
        let template = basic(#""_created": \#(value("'2026-01-31' | '2026-02-01'"))"#)
        let form = try form(template, items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems.map(\.code) == ["several-values"])
        #expect(problems.first?.severity == .warning)
        #expect(Samples.resources(bundle).first?["created"] == "2026-01-31")
    }

    @Test func anErrorOfOneElementIsReportedAndTheNextIsExtracted() throws {
        let template = basic(
            #""_created": \#(value("nothing(")), "_language": \#(value("%patient.language")), "identifier": [{"_value": \#(value("answer.value"))}], "subject": {"_reference": \#(value("1 'kg' + 1 's'"))}"#
        )
        let form = try form(template, items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems.allSatisfy { $0.severity == .error && $0.linkID == "q" })
        #expect(problems.filter { $0.code == "expression-failed" }.count >= 2)
        #expect(problems.first?.expression == "Questionnaire.contained[0].created")
        #expect(Samples.resources(bundle).first?["identifier"]?[0]?["value"] == "a")
    }

    @Test func aValueOfAnotherTypeIsReported() throws {
        let template = basic(#""_created": \#(value("answer.value")), "subject": {"reference": "Patient/1"}"#)
        let form = try form(template, items: question(extract("#t")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems.map(\.code) == ["value-type"])
        #expect(Samples.resources(bundle).first?["created"] == nil)
    }

    @Test func aMissingTemplateIsReported() throws {
        let form = try form(basic(""), items: question(extract("#other")))
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems.map(\.code) == ["template-missing"])
        #expect(problems.first?.expression == "QuestionnaireResponse.item[0].answer[0]")
        #expect(Samples.resources(bundle) == [])
    }

    @Test func partsOfTheExtensionSetTheEntry() throws {
        let extract = #"""
            {"url": "\#(Samples.sdc)templateExtract", "extension": [
              {"url": "template", "valueReference": {"reference": "#t"}},
              {"url": "fullUrl", "valueString": "%new"},
              {"url": "resourceId", "valueString": "answer.value"},
              {"url": "ifNoneExist", "valueString": "'identifier=' + answer.value"},
              {"url": "ifModifiedSince", "valueString": "%resource.authored"}]},
            {"url": "\#(Samples.sdc)extractAllocateId", "valueString": "new"}
            """#
        let form = try form(basic(""), items: question(extract))
        let response = try Samples.response(
            #"{"authored": "2026-01-31T10:00:00Z", "item": [{"linkId": "q", "answer": [{"valueString": "a-1"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        let entry = try #require(bundle.object["entry"]?[0])
        #expect(entry["fullUrl"]?.string?.hasPrefix("urn:uuid:") == true)
        #expect(entry["request"]?["method"] == "PUT" && entry["request"]?["url"] == "Basic/a-1")
        #expect(entry["request"]?["ifNoneExist"] == "identifier=a-1")
        #expect(entry["request"]?["ifModifiedSince"] == "2026-01-31T10:00:00Z")
    }

    @Test func twoResourcesWithOneIdAreReported() throws {
        let extract =
            ##"{"url": "\##(Samples.sdc)templateExtract", "extension": [{"url": "template", "valueReference": {"reference": "#t"}}, {"url": "resourceId", "valueString": "'same'"}]}"##
        let form = try form(basic(""), items: question(extract, repeats: true))
        let response = try Samples.response(
            #"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}]}"#)
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems.map(\.code) == ["resource-id-repeated"])
        #expect(Samples.resources(bundle).count == 1)
    }

    @Test func aContextWithManyResultsIsBounded() throws {
        let context = #"{"url": "\#(Samples.sdc)templateExtractContext", "valueString": "%resource.item.answer.value"}"#
        let template = basic(
            #""identifier": [{"extension": [\#(context)], "_value": \#(value("%resource.item.answer.value.join(',')"))}]"#
        )
        let form = try form(template, items: question(extract("#t"), repeats: true))
        let answers = (0..<5_000).map { #"{"valueString": "a long answer \#($0)"}"# }.joined(separator: ",")
        let response = try Samples.response(#"{"item": [{"linkId": "q", "answer": [\#(answers)]}]}"#)
        var extraction = FormExtraction(form)
        extraction.limits.steps = 3_000_000
        let (bundle, problems) = extraction.extracted(from: response, now: Samples.now, makeUUID: Samples.counter())
        #expect(problems.contains { $0.code == "too-expensive" })
        #expect(bundle.json.byteCount(upTo: 50_000_000) != nil)
    }

    @Test func aTemplateOfABundleIsTheWholeTransaction() throws {
        let bundle = #"""
            {"resourceType": "Bundle", "id": "b", "type": "transaction", "entry": [
              {"extension": [{"url": "\#(Samples.sdc)templateExtractContext", "valueString": "item.where(linkId = 'q').answer"}],
               "resource": {"resourceType": "Basic", "code": {"_text": \#(value("value"))}},
               "request": {"method": "POST", "url": "Basic"}},
              {"extension": [{"url": "\#(Samples.sdc)templateExtractContext", "valueString": "item.where(linkId = 'none')"}],
               "resource": {"resourceType": "Basic", "code": {"text": "never"}},
               "request": {"method": "POST", "url": "Basic"}}]}
            """#
        let form = try form(
            bundle, items: question("", repeats: true),
            root: ##"{"url": "\##(Samples.sdc)templateExtractBundle", "valueReference": {"reference": "#b"}}"##)
        let response = try Samples.response(
            #"{"item": [{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}]}"#)
        let (result, problems) = Samples.extract(form, response)
        #expect(problems == [])
        #expect(Samples.resources(result).map { $0["code"]?["text"]?.string } == ["a", "b"])
        #expect(result.object["id"] == nil)
    }
}
