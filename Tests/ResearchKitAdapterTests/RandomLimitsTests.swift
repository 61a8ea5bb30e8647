import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import ResearchKit
import ResearchKitForms
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// Forms with any limits, controls and options are tasks that never raise.
@Suite struct RandomLimitsTests {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let types = [
        "boolean", "integer", "decimal", "quantity", "string", "text", "date", "dateTime", "time", "choice",
        "open-choice", "url", "reference", "attachment", "question", "display", "group", "nonsense",
    ]
    private static let controls = [
        "slider", "spinner", "drop-down", "check-box", "radio-button", "autocomplete", "lookup", "text-box", "page",
        "list", "header", "footer", "help", "unit", "lower", "gtable", "no-such-control",
    ]
    private static let numbers = [
        "-1e400", "-10001", "-10000", "-1", "-0.5", "0", "0.5", "1", "3", "13", "14", "100", "10000", "10001", "100000",
        "100001", "2147483648", "9223372036854775808", "1e30", "1e400", "0.00001",
    ]
    private static let dates = [
        "2020", "2020-02", "2020-02-29", "0001-01-01", "9999-12-31", "today()", "now()", "soon",
    ]
    private static let patterns = [
        "[0-9]+", "[", "(a+)+$", "/x/i", "/x/q", "", "\\\\A.*\\\\z", "a{2,1}", "(?#", "\\\\",
    ]

    private static func extended(_ name: String, _ type: String, value: String) -> String {
        let isText = ["String", "Code", "Date", "DateTime", "Time", "Uri"].contains(type)
        return "{\"url\": \"\(core)\(name)\", \"value\(type)\": \(isText ? "\"\(value)\"" : value)}"
    }

    /// Returns an item as JSON.
    private static func item(_ number: Int, depth: Int, _ generator: inout Seeded) -> String {
        func chance(_ percent: Int) -> Bool { generator.chance(percent) }
        func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "" }
        let type = pick(depth > 2 ? types.filter { $0 != "group" } : types)
        var extensions: [String] = []
        if chance(60) {
            extensions.append(
                "{\"url\": \"\(core)questionnaire-itemControl\", \"valueCodeableConcept\": {\"coding\": [{\"code\": \"\(pick(controls))\"}]}}"
            )
        }
        for name in ["minValue", "maxValue"] where chance(70) {
            switch type {
            case "date", "dateTime":
                extensions.append(extended(name, pick(["Date", "DateTime", "String"]), value: pick(dates)))
            case "integer":
                extensions.append(extended(name, "Integer", value: pick(numbers.filter { !$0.contains(".") })))
            default:
                extensions.append(
                    chance(20)
                        ? extended(
                            name, "Quantity",
                            value: "{\"value\": \(pick(numbers)), \"code\": \"\(pick(["g", "kg", "m", "?"]))\"}")
                        : extended(name, "Decimal", value: pick(numbers)))
            }
        }
        if chance(40) { extensions.append(extended("questionnaire-sliderStepValue", "Integer", value: pick(numbers))) }
        if chance(30) {
            extensions.append(extended("maxDecimalPlaces", "Integer", value: pick(["-1", "0", "2", "4", "9", "99"])))
        }
        if chance(30) { extensions.append(extended("regex", "String", value: pick(patterns))) }
        if chance(20) {
            extensions.append(extended("minLength", "Integer", value: pick(["-1", "0", "3", "99999999"])))
        }
        if chance(20) { extensions.append(extended("entryFormat", "String", value: pick(["", " ", "x"]))) }
        if chance(20) {
            extensions.append(
                extended("questionnaire-unit", "Coding", value: "{\"code\": \"\(pick(["kg", "", "%"]))\"}"))
        }
        if chance(15) {
            extensions.append(
                "{\"url\": \"http://bdh.stanford.edu/fhir/StructureDefinition/validationtext\", \"valueString\": \"no\"}"
            )
        }
        var members = ["\"type\": \"\(type)\""]
        // Some linkIds occur twice, look like paths, or are missing.
        let linkID = pick(["q\(number)", "q\(number)", "q\(number)", "q1", "q1[1]", "g/q1", "+q1", "q1#2", ""])
        if !linkID.isEmpty { members.append("\"linkId\": \"\(linkID)\"") }
        if chance(70) { members.append("\"text\": \"\(pick(["T", "", " ", "ü"]))\"") }
        if chance(30) { members.append("\"required\": true") }
        if chance(30) { members.append("\"repeats\": \(chance(80))") }
        if chance(10) { members.append("\"readOnly\": true") }
        if chance(20) { members.append("\"maxLength\": \(pick(["-1", "0", "1", "9223372036854775807"]))") }
        if chance(30) {
            members.append(
                "\"enableWhen\": [{\"question\": \"q\(Int.random(in: 0...5, using: &generator))\", \"operator\": \"exists\", \"answerBoolean\": \(chance(50))}]"
            )
        }
        if ["choice", "open-choice", "integer", "string", "date"].contains(type), chance(60) {
            let count = [0, 1, 2, 8, 9, 14].randomElement(using: &generator) ?? 0
            let options = (0..<count).map { index in
                pick([
                    "{\"valueCoding\": {\"system\": \"s\", \"code\": \"c\(index)\", \"display\": \"C\"}}",
                    "{\"valueCoding\": {}}", "{\"valueString\": \"\"}", "{\"valueString\": \" \"}",
                    "{\"valueInteger\": \(index)}", "{\"valueCoding\": {\"display\": \"\"}}", "{}",
                ])
            }
            members.append("\"answerOption\": [\(options.joined(separator: ", "))]")
        }
        if type == "group" || chance(20) {
            let count = Int.random(in: 0...3, using: &generator)
            let items = (0..<count).map { item(number * 10 + $0, depth: depth + 1, &generator) }
            members.append("\"item\": [\(items.joined(separator: ", "))]")
        }
        members.append("\"extension\": [\(extensions.joined(separator: ", "))]")
        return "{\(members.joined(separator: ", "))}"
    }

    /// The number of forms: 20,000 take two minutes.
    private static let forms = Int(ProcessInfo.processInfo.environment["TRIBUTARY_TASK_FORMS"] ?? "") ?? 1_000

    @Test func formsWithRandomLimitsAreTasksThatNeverRaise() throws {
        let seed = Seeded.newSeed()
        var count = 0
        for round in 0..<Self.forms {
            var generator = Seeded(seed &+ UInt64(round))
            let items = (0..<Int.random(in: 1...3, using: &generator)).map { Self.item($0, depth: 0, &generator) }
            let form = try form(items.joined(separator: ", "))
            let exceptions = ResearchKitExceptions.exceptions {
                guard let survey = try? SurveyTask(form) else { return }
                count += 1
                let task = ORKNavigableOrderedTask(survey)
                task.validateParameters()
                for step in task.steps { step.validateParameters() }
                let walk = TaskWalk(FormTask(survey))
                for _ in 0..<100 where walk.currentStep != nil { walk.goForward() }
                #expect(walk.currentStep == nil, "seed \(seed) round \(round) does not end")
                _ = walk.result.fhirResponse
                _ = survey.response(for: SurveyResult(walk.result))
            }
            #expect(exceptions.isEmpty, "seed \(seed) round \(round): \(exceptions)")
            if !exceptions.isEmpty { return }
        }
        #expect(count > Self.forms / 2)
    }
}
