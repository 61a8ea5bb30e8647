import FHIR
import Foundation
import Questionnaires

/// Prints the times of forms as JSON: seconds to make a session of a form's JSON, of one answer among few and among
/// many items, of an answer that many calculations read, and of the check of a response.
@main
struct FormSpeed {
    static func main() throws {
        let lines = pretty(form(groups: 94, calculations: 0))
        let opening = try fastest(of: 7) {
            let questionnaire = Questionnaire(try JSON(lines).object ?? JSONObject())
            return FormSession(QuestionnaireForm(questionnaire))
        }
        var output = JSONObject()
        output["lines"] = .number(JSONNumber(lines.split(separator: UInt8(ascii: "\n")).count))
        output["open"] = number(opening)
        for (name, groups) in [("few", 2), ("many", 350)] {
            var session = FormSession(compiled(form(groups: groups, calculations: 0)))
            output[name + "Items"] = .number(JSONNumber(session.entries(includingHidden: true).count))
            output[name] = number(try answers(&session, groups: groups))
        }
        var session = FormSession(compiled(form(groups: 300, calculations: 500)))
        output["calculations"] = number(
            try fastest(of: 5) { session["g0-q1"] = .integer(session["g0-q1"] == .integer(1) ? 2 : 1) })
        let plain = compiled(form(groups: 300, calculations: 0))
        var answered = FormSession(plain)
        for group in 0..<300 { for question in [1, 4] { answered["g\(group)-q\(question)"] = .integer(3) } }
        let response = answered.response()
        output["check"] = number(try fastest(of: 7) { _ = ResponseValidator(plain).problems(in: response) })
        print(JSON.object(output).text())
    }

    /// Returns the median time of one answer, with the problems and the next question that a front end reads.
    private static func answers(_ session: inout FormSession, groups: Int) throws -> Double {
        var times: [Double] = []
        for round in 0..<400 {
            let path = "g\(round * 7 % groups)-q\(round % 2 == 0 ? 1 : 4)"
            let item = ItemPath([.init(linkID: "g\(round * 7 % groups)"), .init(linkID: path)])
            let begin = ContinuousClock.now
            session.setAnswers([.integer(round % 9)], at: item)
            _ = session.progress
            _ = session.nextQuestion(after: item)
            times.append((ContinuousClock.now - begin) / .seconds(1))
        }
        return times.sorted()[times.count / 2]
    }

    private static func fastest<Value>(of rounds: Int, _ body: () throws -> Value) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<rounds {
            let begin = ContinuousClock.now
            _ = try body()
            best = min(best, (ContinuousClock.now - begin) / .seconds(1))
        }
        return best
    }

    private static func number(_ value: Double) -> JSON { JSONNumber(text: "\(value)").map(JSON.number) ?? .null }

    private static func compiled(_ json: JSON) -> QuestionnaireForm {
        QuestionnaireForm(Questionnaire(json.object ?? JSONObject()))
    }

    private static func pretty(_ json: JSON) -> [UInt8] { Array(json.data(.pretty)) }

    /// Groups of 49 questions, some with conditions on others of their group.
    private static func form(groups: Int, calculations: Int) -> JSON {
        var items: [JSON] = (0..<groups).map { group in
            let questions: [JSON] = (0..<49).map { question in
                var item = JSONObject()
                item["linkId"] = .string("g\(group)-q\(question)")
                item["text"] = .string("Question \(question) of group \(group)")
                item["type"] = .string(question % 3 == 1 ? "integer" : question % 3 == 2 ? "boolean" : "string")
                if question % 7 == 6 {
                    item["enableWhen"] = [
                        ["question": .string("g\(group)-q1"), "operator": ">", "answerInteger": 4]
                    ]
                }
                return .object(item)
            }
            return ["linkId": .string("g\(group)"), "type": "group", "item": .array(questions)]
        }
        for index in 0..<calculations {
            items.append([
                "linkId": .string("c\(index)"), "type": "integer",
                "extension": [
                    [
                        "url":
                            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression",
                        "valueExpression": [
                            "language": "text/fhirpath",
                            "expression": .string(
                                "%resource.item.where(linkId = 'g0').item.where(linkId = 'g0-q1').answer.value + \(index)"
                            ),
                        ],
                    ]
                ],
            ])
        }
        return [
            "resourceType": "Questionnaire", "url": "https://example.org/long", "status": "active",
            "item": .array(items),
        ]
    }
}
