import ArgumentParser
import FHIR
import FormAuthoring
import Foundation
import Questionnaires

extension SurveyCommand {
    struct Difference: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff", abstract: "Compare two versions of a form by the effect on answers.",
            discussion: """
                The level of a change is same, text (only something to read changes), compatible (earlier answers \
                remain valid) or breaking. Exit code 1: a change is breaking, or a stored response is not valid.

                Example:
                  tributary survey diff form-1.json form-2.json --responses responses.ndjson
                """)
        @Argument(help: "The earlier Questionnaire.") var old: String
        @Argument(help: "The new Questionnaire.") var new: String
        @Option(help: ArgumentHelp("Stored QuestionnaireResponses, one in each line.", valueName: "file"))
        var responses: String?
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let (former, now) = (try options.original(old), try options.original(new))
            let difference = FormDifference(from: former, to: now)
            let stored = try stored(now)
            if json {
                CommandOutput.result(Self.json(difference, stored, language: options.language))
            } else {
                let report = DifferenceReport(difference, stored, language: options.language)
                for line in report.lines { CommandOutput.result(line) }
            }
            let isBroken = stored.map { !$0.broken.isEmpty } ?? false
            if difference.level == .breaking || isBroken { throw ExitCode(1) }
        }

        private func stored(_ form: QuestionnaireForm) throws -> StoredResponses? {
            guard let responses else { return nil }
            var reader =
                responses == "-"
                ? FileLineReader(data: try CommandInput.file("-")) : try FileLineReader(path: responses)
            var stored = StoredResponses(form)
            while let line = try reader.next() { stored.check(line) }
            return stored
        }

        private static func json(
            _ difference: FormDifference, _ stored: StoredResponses?, language: String?
        ) -> JSON {
            var object = JSONObject()
            object["level"] = .string(difference.level.rawValue)
            object["changes"] = .array(difference.changes.map(\.json))
            if let stored {
                object["responses"] = [
                    "checked": .number(JSONNumber(stored.checked)), "valid": .number(JSONNumber(stored.valid)),
                    "broken": .array(
                        stored.broken.map { broken in
                            [
                                "line": .number(JSONNumber(broken.line)),
                                "problems": .array(broken.problems.map { SurveyCommand.json($0, in: language) }),
                            ]
                        }),
                ]
            }
            return .object(object)
        }
    }
}

/// The difference of two forms for people.
struct DifferenceReport {
    private let difference: FormDifference
    private let stored: StoredResponses?
    /// The language of the problems of responses.
    private let language: String?

    init(_ difference: FormDifference, _ stored: StoredResponses?, language: String?) {
        self.language = language
        self.difference = difference
        self.stored = stored
    }

    var lines: [String] {
        // Those that matter first.
        let levels = ChangeLevel.allCases.reversed()
        var lines = levels.flatMap { level in difference.changes.filter { $0.level == level } }.flatMap(Self.lines)
        let counts = levels.compactMap { level -> String? in
            let count = difference.changes.count { $0.level == level }
            return count == 0 ? nil : "\(count) \(level.rawValue)"
        }
        lines.append(
            difference.changes.isEmpty
                ? "The forms are the same." : "Changes: \(counts.joined(separator: ", ")).")
        guard let stored else { return lines }
        for broken in stored.broken {
            for problem in broken.problems {
                lines.append("line \(broken.line): \(SurveyCommand.line(problem, in: language))")
            }
        }
        lines.append("Responses: \(stored.checked) checked, \(stored.valid) valid, \(stored.broken.count) broken.")
        return lines
    }

    private static func lines(of change: FormChange) -> [String] {
        let level = change.level.rawValue.padding(toLength: 11, withPad: " ", startingAt: 0)
        let item = change.linkID.map { "\($0) " } ?? ""
        let values =
            switch (change.old, change.new) {
            case (nil, nil): ""
            case (nil, let new?): ": added \(text(new))"
            case (let old?, nil): ": removed \(text(old))"
            case (let old?, let new?): ": \(text(old)) -> \(text(new))"
            }
        return ["\(level) \(item)\(change.element)\(values)", "            \(change.reason)"]
    }

    /// Returns a value in a few words: a text in quotes, a coding by its text and code, anything else as short JSON.
    private static func text(_ value: JSON?) -> String {
        guard let value, !value.isNull else { return "none" }
        if let text = value.string { return "\"\(shortened(text, to: 60))\"" }
        if let bool = value.bool { return bool ? "yes" : "no" }
        if let option = value.object?.members.first(where: { $0.key.hasPrefix("value") }), value["url"] == nil {
            return text(option.value)
        }
        if let code = value["code"]?.string {
            return value["display"]?.string.map { "\"\(shortened($0, to: 60))\" (\(shortened(code, to: 40)))" } ?? code
        }
        if let type = value["type"]?.string, let text = value["text"]?.string {
            return "\(type) \"\(shortened(text, to: 60))\""
        }
        if let element = value["after"] { return element.string.map { "after \($0)" } ?? "first" }
        if let parent = value["parent"] { return parent.string.map { "in \($0)" } ?? "at the top" }
        if let elements = value.array { return elements.isEmpty ? "none" : list(elements) }
        return shortened(value.text(), to: 80)
    }

    private static func list(_ elements: [JSON]) -> String {
        let shown = elements.prefix(4).map { text($0) }.joined(separator: ", ")
        return elements.count > 4 ? "\(shown) and \(elements.count - 4) more" : shown
    }

    private static func shortened(_ text: String, to length: Int) -> String {
        let line = text.replacing("\n", with: " ")
        return line.count > length ? "\(line.prefix(length - 1))…" : line
    }
}
