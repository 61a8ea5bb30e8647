import FHIR
import Foundation
import Questionnaires
import TestSupport
import Testing

/// Returns a form of items written as JSON, `{"linkId": ...}, {...}`.
public func form(
    _ items: String, _ more: String = "", valueSet: @escaping @Sendable (String) -> ValueSet? = { _ in nil }
) throws
    -> QuestionnaireForm
{
    let text = """
        {"resourceType": "Questionnaire", "url": "https://example.org/form", "version": "1", "status": "active", \
        \(more.isEmpty ? "" : more + ", ")"item": [\(items)]}
        """
    return QuestionnaireForm(Questionnaire(try #require(try JSON(parsing: text).object)), valueSet: valueSet)
}

/// Returns a response to that form with items written as JSON.
public func response(_ items: String, _ more: String = "\"status\": \"completed\"") throws -> QuestionnaireResponse {
    let text = """
        {"resourceType": "QuestionnaireResponse", "questionnaire": "https://example.org/form|1", \(more), \
        "item": [\(items)]}
        """
    return QuestionnaireResponse(try #require(try JSON(parsing: text).object))
}

/// Returns the items of the answers, and the problems of the answers and of the resulting response.
public func answered(_ form: QuestionnaireForm, _ answers: String) throws -> (items: JSON?, problems: [ResponseProblem])
{
    let (response, problems) = form.answer(try JSON(parsing: answers), subject: nil, authored: nil)
    return (response["item"], problems)
}

/// Returns a value such as `item[0].answer[1].valueString` of the response's items.
public func value(_ items: JSON?, _ path: String) -> JSON? {
    var here = items
    for part in path.split(separator: ".") {
        here = Int(part).map { here?[$0] } ?? here?[String(part)]
    }
    return here
}

public func path(_ steps: (String, Int)...) -> ItemPath {
    ItemPath(steps.map { ItemPath.Step(linkID: $0.0, instance: $0.1) })
}

public func path(_ linkIDs: String...) -> ItemPath { ItemPath(linkIDs.map { ItemPath.Step(linkID: $0) }) }

extension AnswerValue {
    public static func yes(_ value: Bool = true) -> AnswerValue { .boolean(value) }
    public static func text(_ value: String) -> AnswerValue { .string(value) }
    public static func code(_ code: String, _ system: String? = nil) -> AnswerValue {
        .coding(Coding(system: system, code: code))
    }
}

extension [ResponseProblem] {
    public var errors: [String] { filter { $0.severity == .error }.map(\.code) }
    public var warnings: [String] { filter { $0.severity == .warning }.map(\.code) }
}

/// Published forms and responses, which are not part of the package.
public enum Published {
    public static let folder = PublishedData.url("questionnaires")

    public static func resource(_ name: String, lenient: Bool = false) throws -> Resource {
        try Resource(try Data(contentsOf: try #require(folder).appendingPathComponent(name)), lenient: lenient)
    }

    /// - Parameter definitions: the value sets and code systems that the form does not contain.
    public static func form(_ name: String, with definitions: PublishedDefinitionsFolder? = nil) throws
        -> QuestionnaireForm
    {
        QuestionnaireForm(
            try #require(try resource(name, lenient: name.hasSuffix("SkipLogicExample.json")).as(Questionnaire.self)),
            valueSet: { definitions?.resource(ValueSet.self, $0) },
            codeSystem: { definitions?.resource(CodeSystem.self, $0) })
    }

    /// Returns the names of all forms, with their folders.
    public static func forms() throws -> [String] {
        var names: [String] = []
        for part in ["researchkit-on-fhir", "android-fhir", "lforms", "response-validation"] {
            let folder = try #require(folder).appendingPathComponent(part)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            where name.hasSuffix(".json") {
                let resource = try resource("\(part)/\(name)", lenient: name == "SkipLogicExample.json")
                if resource.resourceType == Questionnaire.resourceType { names.append("\(part)/\(name)") }
            }
        }
        return names
    }
}
