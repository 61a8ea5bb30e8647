import FHIR
import Foundation
import Questionnaires

/// The value of a choice in ResearchKit: a text that identifies the answer.
///
/// - A coding is the JSON of ResearchKitOnFHIR, so that stored results stay readable: the members code, display and
///   system in this order, and a slash as `\/`.
/// - A text is itself.
/// - Any other answer is the JSON of its `value[x]`: `{"valueInteger":3}`.
public enum SurveyChoiceValue {
    /// Returns the text of an answer.
    public static func text(_ value: AnswerValue) -> String {
        switch value.type {
        case "Coding":
            var object = JSONObject()
            object["code"] = value.json["code"]
            object["display"] = value.json["display"] ?? .null
            object["system"] = value.json["system"]
            return JSON.object(object).text().replacingOccurrences(of: "/", with: "\\/")
        case "String": return value.json.string ?? ""
        default:
            var object = JSONObject()
            object["value" + value.type] = value.json
            return JSON.object(object).text()
        }
    }

    /// Returns the answer of a text: the option with this value, otherwise the answer that the text is itself.
    ///
    /// - Parameter options: the options of the question.
    public static func answer(_ text: String, among options: [AnswerValue]) -> AnswerValue {
        if let option = options.first(where: { self.text($0) == text }) { return option }
        guard text.utf8.first == UInt8(ascii: "{"), let object = (try? JSON(parsing: text))?.object else {
            return .string(text)
        }
        let written = object.members.filter { !$0.value.isNull }
        if written.count == 1, let member = written.first, member.key.hasPrefix("value"), member.key.count > 5 {
            let value = AnswerValue(type: String(member.key.dropFirst(5)), json: member.value)
            return options.first { $0 == value } ?? value
        }
        guard let code = object["code"]?.string else { return .string(text) }
        var coding = Coding(system: object["system"]?.string, code: code)
        coding.display = object["display"]?.string
        let value = AnswerValue.coding(coding)
        return options.first { $0.type == "Coding" && value.equals($0) } ?? value
    }
}
