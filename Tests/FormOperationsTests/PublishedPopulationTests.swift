import FHIR
import FHIRPath
import FormOperations
import Foundation
import Questionnaires
import Testing

/// Populations that another implementation publishes (`conformance/sdc/populate`): each variable has its published
/// value, and no query runs.
@Suite(.enabled(if: Samples.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedPopulationTests {
    /// Dates whose source has a time of day. The published tool omits them; `toDate()` gives a date.
    private static let omitted: Set<String> = [
        "6ae641ad-95bb-4cdc-8910-5a52077e492c", "e4524654-f6de-4717-b288-34919394d46b",
    ]

    /// A question without an answer. The published tool writes items below it, which R4 has below an answer only.
    private static let unanswered = "/f8022f3f-21fe-42c0-8abd-95f24e2e37e5["
    /// The published tool does not use a code that its value set has below another code of the expansion.
    private static let nested = "condition-clinical\"}"

    private func populated(_ name: String) throws -> (QuestionnaireForm, QuestionnaireResponse, JSON) {
        let form = QuestionnaireForm(Questionnaire(try Samples.resource("populate/\(name)/questionnaire.json")))
        var context = FormContext()
        let folder = try #require(Samples.folder).appendingPathComponent("populate/\(name)/context")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".json") {
            context[String(file.dropLast(5))] = Resource(try Samples.resource("populate/\(name)/context/\(file)"))
        }
        let session = FormSession(form, context: context, clock: { "2025-08-07T07:38:03Z" })
        let response = session.response(status: .inProgress, authored: "2025-08-07T07:38:03Z")
        return (form, response, .object(try Samples.resource("populate/\(name)/expected.json")))
    }

    /// Returns each answer with the linkIds and repetitions above it.
    private func answers(_ items: [JSON], below path: String = "", skipping skipped: Set<String>) -> [String] {
        var counts: [String: Int] = [:]
        return items.flatMap { item -> [String] in
            let linkID = item["linkId"]?.string ?? ""
            let own = "\(path)/\(linkID)[\(counts[linkID, default: 0])]"
            counts[linkID, default: 0] += 1
            var output = answers(item["item"]?.array ?? [], below: own, skipping: skipped)
            for answer in item["answer"]?.array ?? [] {
                if !skipped.contains(linkID), let value = answer.object?.choice("value") {
                    var json = value.value
                    if value.type == "Coding" {
                        json = ["system": json["system"] ?? .null, "code": json["code"] ?? .null]
                    }
                    output.append("\(own) \(value.type) \(comparable(json))")
                }
                output += answers(answer["item"]?.array ?? [], below: own, skipping: skipped)
            }
            return output
        }
    }

    /// Returns the linkIds of items whose answers are only calculated.
    private func calculated(_ items: [Questionnaire.Item]) -> Set<String> {
        items.reduce(into: []) { output, item in
            if item.extension(Samples.sdc + "calculatedExpression") != nil,
                item.extension(Samples.sdc + "initialExpression") == nil
            {
                output.insert(item.linkId ?? "")
            }
            output.formUnion(calculated(item.item))
        }
    }

    @Test(arguments: [
        "AboriginalTorresStraitIslanderHealthCheck", "CalculatedExpressionBMICalculatorPrepop",
        "non-repeat-ipc-simple-test",
    ])
    func answersAreAsPublished(_ name: String) throws {
        let (form, response, expected) = try populated(name)
        var skipped = calculated(form.questionnaire.item)
        if name.hasPrefix("Aboriginal") { skipped.formUnion(Self.omitted) }
        let found = answers(response.json["item"]?.array ?? [], skipping: skipped)
        let wanted = answers(expected["item"]?.array ?? [], skipping: skipped)
        let missing = Set(wanted).subtracting(found).filter { !$0.contains(Self.unanswered) }.sorted()
        let superfluous = Set(found).subtracting(wanted)
            .filter { !($0.hasSuffix(Self.nested) && $0.contains("resolved")) }.sorted()
        #expect(missing == [])
        #expect(superfluous == [])
    }

    @Test func aCalculatedAnswerIsPopulatedToo() throws {
        let (_, response, _) = try populated("CalculatedExpressionBMICalculatorPrepop")
        #expect(answers(response.json["item"]?.array ?? [], skipping: []).contains { $0.contains("bmi-result") })
    }
}
