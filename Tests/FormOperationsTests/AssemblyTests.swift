import FHIR
import FormOperations
import Foundation
import Testing

/// The assembly of forms from sub-forms.
struct AssemblyTests {
    private func part(_ url: String) -> String {
        #"{"linkId": "d-\#(url)", "type": "display", "extension": [{"url": "\#(Samples.sdc)subQuestionnaire", "valueCanonical": "http://e/Questionnaire/\#(url)"}]}"#
    }
    /// Returns a form with items, and with further elements.
    private func form(_ url: String, _ parts: String...) throws -> Questionnaire {
        let more = parts.dropFirst().map { ", " + $0 }.joined()
        return try Samples.form(
            #"{"url": "http://e/Questionnaire/\#(url)", "version": "1"\#(more), "item": [\#(parts[0])]}"#)
    }

    private func variable(_ name: String, _ expression: String) -> String {
        #"{"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {"name": "\#(name)", "language": "text/fhirpath", "expression": "\#(expression)"}}"#
    }
    private func assembled(
        _ root: Questionnaire, _ parts: Questionnaire...
    ) -> (form: Questionnaire?, problems: [OperationProblem]) {
        FormAssembly.assembled(root) { name in
            parts.first { $0.url == name.url && (name.version == nil || name.version == $0.version) }
        }
    }
    private func linkIDs(_ items: [Questionnaire.Item]?) -> [String] {
        (items ?? []).flatMap { [$0.linkId ?? ""] + linkIDs($0.item) }
    }

    @Test func itemsReplaceTheDisplayRecursively() throws {
        let root = try form(
            "a", #"{"linkId": "1", "type": "group", "item": [\#(part("b|1")), {"linkId": "2", "type": "string"}]}"#,
            #""extension": [{"url": "\#(Samples.sdc)assemble-expectation", "valueCode": "assemble-root-or-child"}]"#)
        let (whole, problems) = assembled(
            root, try form("b", #"{"linkId": "b1", "type": "string"}, \#(part("c"))"#),
            try form("c", #"{"linkId": "c1", "type": "string"}"#))
        #expect(problems == [])
        #expect(linkIDs(whole?.item) == ["1", "b1", "c1", "2"])
        #expect(whole?.url == root.url && whole?.version == "1")
        let sources = whole?.extensions(Samples.sdc + "assembledFrom").compactMap { $0.value?.json.string }
        #expect(sources == ["http://e/Questionnaire/b|1", "http://e/Questionnaire/c|1"])
        #expect(whole?.extension(Samples.sdc + "assemble-expectation")?.value?.json == "independent-root-or-child")
    }

    @Test func theExpectationOfARootIsRemoved() throws {
        let root = try form(
            "a", #"{"linkId": "1", "type": "string"}"#,
            #""extension": [{"url": "\#(Samples.sdc)assemble-expectation", "valueCode": "assemble-root"}]"#)
        let whole = try #require(assembled(root).form)
        #expect(whole.extension == [])
        #expect(whole.object["extension"] == nil)
    }

    @Test func aCircleIsAnError() throws {
        let (whole, problems) = assembled(
            try form("a", part("b")), try form("b", part("c")), try form("c", part("a")))
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["sub-questionnaire-circle"])
        #expect(problems.first?.linkID == "d-a")
        #expect(problems.first?.expression == "Questionnaire.item[0].resolve().item[0].resolve().item[0]")
    }

    @Test func aMissingFormOrVersionIsAnError() throws {
        let (whole, problems) = assembled(
            try form("a", "\(part("b|2")), \(part("x"))"), try form("b", #"{"linkId": "b1", "type": "string"}"#))
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["sub-questionnaire-missing", "sub-questionnaire-missing"])
    }

    @Test(arguments: [
        #""language": "de""#, #""implicitRules": "http://e/r""#, #""meta": {"security": [{"code": "R"}]}"#,
        #""extension": [{"url": "\#(Samples.sdc)endpoint", "valueUri": "http://e/x"}]"#,
        #""extension": [{"url": "\#(Samples.sdc)entryMode", "valueCode": "random"}]"#,
        #""extension": [{"url": "\#(Samples.sdc)performerType", "valueCode": "Patient"}]"#,
    ])
    func aDisagreeingElementIsAnError(_ element: String) throws {
        let child = try form("b", #"{"linkId": "b1", "type": "string"}"#, element)
        let (whole, problems) = assembled(try form("a", part("b")), child)
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["sub-questionnaire-disagrees"])
        let same = try form("a", part("b"), element)
        #expect(assembled(same, child).problems == [])
    }

    @Test(arguments: [
        "definitionExtract", "itemExtractionContext", "itemPopulationContext", "observationExtract",
        "observationLinkPeriod",
        "preferredTerminologyServer", "templateExtract", "questionnaireAdaptive",
    ])
    func anExtensionOfAWholeFormIsAnError(_ name: String) throws {
        let child = try form(
            "b", #"{"linkId": "b1", "type": "string"}"#,
            #""extension": [{"url": "\#(Samples.sdc)\#(name)", "valueCode": "x"}]"#)
        let (whole, problems) = assembled(try form("a", part("b")), child)
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["sub-questionnaire-extension"])
    }

    @Test func aRepeatedLinkIDIsAnError() throws {
        let (whole, problems) = assembled(
            try form("a", #"\#(part("b")), {"linkId": "b1", "type": "string"}"#),
            try form("b", #"{"linkId": "b1", "type": "string"}"#))
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["link-id-repeated"])
    }

    @Test func aNeededVariableMustBeInScope() throws {
        let child = try form(
            "b", #"{"linkId": "b1", "type": "string"}"#,
            #""extension": [{"url": "\#(Samples.sdc)assembleContext", "valueString": "age"}]"#)
        let (_, problems) = assembled(try form("a", part("b")), child)
        #expect(problems.map(\.code) == ["assemble-context-missing"])
        let root = try form(
            "a", #"{"linkId": "1", "type": "group", "extension": [\#(variable("age", "1"))], "item": [\#(part("b"))]}"#)
        #expect(assembled(root, child).problems == [])
    }

    @Test func extensionsOfASubFormGoWhereTheyBelong() throws {
        let launch =
            #"{"url": "\#(Samples.sdc)launchContext", "extension": [{"url": "name", "valueCoding": {"code": "patient"}}, {"url": "type", "valueCode": "Patient"}]}"#
        let library = #"{"url": "http://hl7.org/fhir/StructureDefinition/cqf-library", "valueCanonical": "http://e/l"}"#
        let extensions =
            #""extension": [\#(launch), \#(library), \#(variable("v", "1")), {"url": "http://e/dropped", "valueString": "x"}]"#
        let root = try form(
            "a",
            #"{"linkId": "1", "type": "group", "item": [\#(part("b"))]}, {"linkId": "2", "type": "group", "item": [\#(part("c"))]}"#
        )
        let (whole, problems) = assembled(
            root, try form("b", #"{"linkId": "b1", "type": "string"}"#, extensions),
            try form("c", #"{"linkId": "c1", "type": "string"}"#, extensions))
        #expect(problems == [])
        #expect(whole?.extensions(Samples.sdc + "launchContext").count == 1)
        #expect(whole?.extensions("http://hl7.org/fhir/StructureDefinition/cqf-library").count == 1)
        #expect(
            whole?.item.map { $0.extension.map(\.url) } == [
                ["http://hl7.org/fhir/StructureDefinition/variable"],
                ["http://hl7.org/fhir/StructureDefinition/variable"],
            ])
        #expect(whole?.json.text().contains("http://e/dropped") == false)
    }

    @Test func twoVariablesWithOneNameAreAnError() throws {
        let extensions = #""extension": [\#(variable("v", "1"))]"#
        let (_, problems) = assembled(
            try form("a", part("b"), extensions), try form("b", #"{"linkId": "b1", "type": "string"}"#, extensions))
        #expect(problems.map(\.code) == ["variable-repeated"])
    }

    @Test func aPrefixMakesNamesDifferent() throws {
        let child = try form(
            "b",
            #"""
            {"linkId": "1", "type": "choice", "answerValueSet": "#s"},
            {"linkId": "2", "type": "string", "enableWhen": [{"question": "1", "operator": "exists", "answerBoolean": true}]}, \#(part("c"))
            """#, #""contained": [{"resourceType": "ValueSet", "id": "s", "status": "active"}]"#)
        let inner = try form("c", #"{"linkId": "c", "type": "string"}"#)
        let root = try form(
            "a",
            #"""
            {"linkId": "1", "type": "group", "extension": [\#(variable("linkIdPrefix", "'x.'"))], "item": [\#(part("b"))]},
            {"linkId": "2", "type": "group", "extension": [\#(variable("linkIdPrefix", "'y' + '.'"))], "item": [\#(part("b"))]}
            """#)
        let (whole, problems) = assembled(root, child, inner)
        #expect(problems == [])
        #expect(linkIDs(whole?.item) == ["1", "x.1", "x.2", "x.c", "2", "y.1", "y.2", "y.c"])
        #expect(whole?.item[0].item[0].answerValueSet == "#x.s")
        #expect(whole?.item[0].item[1].enableWhen.first?.question == "x.1")
        #expect(whole?.contained.compactMap(\.id) == ["x.s", "y.s"])
    }

    @Test func aPrefixThatDependsOnDataIsAnError() throws {
        let root = try form(
            "a",
            #"{"linkId": "1", "type": "group", "extension": [\#(variable("linkIdPrefix", "%patient.id"))], "item": [\#(part("b"))]}"#
        )
        let (_, problems) = assembled(root, try form("b", #"{"linkId": "b1", "type": "string"}"#))
        #expect(problems.map(\.code) == ["link-id-prefix"])
    }

    @Test func equalContainedResourcesAreIncludedOnceAndOthersAreAnError() throws {
        func child(_ url: String, _ title: String) throws -> Questionnaire {
            try form(
                url, #"{"linkId": "\#(url)1", "type": "string"}"#,
                #""contained": [{"resourceType": "ValueSet", "id": "s", "status": "active", "title": "\#(title)"}]"#)
        }
        let root = try form("a", "\(part("b")), \(part("c"))")
        let (whole, problems) = assembled(root, try child("b", "x"), try child("c", "x"))
        #expect(problems == [])
        #expect(whole?.contained.count == 1)
        #expect(
            assembled(root, try child("b", "x"), try child("c", "y")).problems.map(\.code) == ["contained-repeated"])
    }

    @Test func anItemOfALibraryIsCopiedWithItsItems() throws {
        let library = try form(
            "lib",
            ##"{"linkId": "name", "text": "Name", "type": "group", "item": [{"linkId": "given", "type": "choice", "answerValueSet": "#s"}]}"##,
            #""contained": [{"resourceType": "ValueSet", "id": "s", "status": "active"}, {"resourceType": "ValueSet", "id": "t", "status": "active"}]"#
        )
        let root = try form(
            "a",
            #"{"linkId": "1", "type": "group", "text": "Your name", "definition": "http://e/Questionnaire/lib#name"}, {"linkId": "2", "type": "string", "text": "t", "definition": "http://e/Questionnaire/lib#none"}"#
        )
        let (whole, problems) = assembled(root, library)
        #expect(problems.map(\.code) == ["definition-unresolved"])
        #expect(problems.first?.severity == .warning)
        #expect(linkIDs(whole?.item) == ["1", "given", "2"])
        #expect(whole?.item.first?.text == "Your name")
        #expect(whole?.contained.compactMap(\.id) == ["s"])
    }

    // MARK: Bad input

    @Test func formsThatDoubleTheirPartsAreBounded() throws {
        let forms = try (0..<40).map { number in
            try form("f\(number)", "\(part("f\(number + 1)")), \(part("f\(number + 1)"))")
        }
        let byURL = Dictionary(uniqueKeysWithValues: forms.map { ($0.url ?? "", $0) })
        let (whole, problems) = FormAssembly.assembled(forms[0]) { byURL[$0.url] }
        #expect(whole == nil)
        #expect(problems.contains { $0.code == "too-large" || $0.code == "too-deep" })
    }

    @Test func aHundredThousandItemsAreAssembled() throws {
        let items = (0..<100_000).map { #"{"linkId": "i\#($0)", "type": "string"}"# }.joined(separator: ",")
        let (whole, problems) = assembled(try form("a", part("b")), try form("b", items))
        #expect(problems == [])
        #expect(whole?.object["item"]?.array?.count == 100_000)
    }

    @Test func aHundredThousandNestedItemsAreAnError() throws {
        var item: JSON = ["linkId": "0", "type": "group"]
        for number in 1..<3_000 { item = ["linkId": .string("\(number)"), "type": "group", "item": [item]] }
        var root = try form("a", #"{"linkId": "x", "type": "string"}"#)
        root.object["item"] = [item]
        let (whole, problems) = assembled(root)
        #expect(whole == nil)
        #expect(problems.map(\.code) == ["too-deep"])
    }
}

/// An assembly that another implementation publishes (`conformance/sdc/assemble`).
@Suite(.enabled(if: Samples.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedAssemblyTests {
    @Test func fifteenSubFormsAreAssembledAsPublished() throws {
        let master = Questionnaire(try Samples.resource("assemble/master.json"))
        let expected = try Samples.resource("assemble/expected.json")
        let folder = try #require(Samples.folder).appendingPathComponent("assemble/library")
        var library: [String: Questionnaire] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            var form = Questionnaire(try Samples.resource("assemble/library/\(name)"))
            form.version = "0.1.0"
            library[form.url ?? ""] = form
        }
        let (whole, problems) = FormAssembly.assembled(master) { library[$0.url] }
        #expect(problems.filter { $0.severity == .error } == [])
        #expect(whole?.object["item"] == expected["item"])
        func contained(_ object: JSONObject?) -> [String] {
            (object?["contained"]?.array ?? []).map { comparable($0) }.sorted()
        }
        #expect(contained(whole?.object) == contained(expected))
        #expect(whole?.extensions(Samples.sdc + "assembledFrom").count == 15)
    }
}
