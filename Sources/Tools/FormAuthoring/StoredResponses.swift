import FHIR
import Foundation
import Questionnaires

/// The check of stored responses, one in each line, against a form.
package struct StoredResponses {
    /// A response that the form does not accept.
    package struct Broken: Sendable {
        /// The number of the line, from 1.
        package let line: Int
        /// The errors.
        package let problems: [ResponseProblem]
    }

    /// Maximum number of problems that are listed for one response.
    package static let maximumProblems = 100

    private let form: QuestionnaireForm
    private let validator: ResponseValidator
    /// The number of responses.
    package private(set) var checked = 0
    /// The responses that are not valid.
    package private(set) var broken: [Broken] = []
    private var line = 0

    /// - Parameter form: the form that the responses must fit.
    package init(_ form: QuestionnaireForm) {
        self.form = form
        validator = ResponseValidator(form)
    }

    /// The number of valid responses.
    package var valid: Int { checked - broken.count }

    /// Checks the response in a line; an empty line contains none.
    package mutating func check(_ text: Data) {
        line += 1
        guard text.contains(where: { $0 > 0x20 }) else { return }
        checked += 1
        let problems = problems(in: text)
        if !problems.isEmpty {
            broken.append(Broken(line: line, problems: Array(problems.prefix(Self.maximumProblems))))
        }
    }

    private func problems(in text: Data) -> [ResponseProblem] {
        let resource: Resource
        do throws(ResourceError) {
            resource = try Resource(text)
        } catch {
            return [
                ResponseProblem(code: error.code, expression: "", linkID: nil, message: error.message)
            ]
        }
        guard let response = resource.as(QuestionnaireResponse.self) else {
            return [
                ResponseProblem(
                    code: "not-a-response", expression: "", linkID: nil,
                    message: "The line contains no QuestionnaireResponse.")
            ]
        }
        return validator.problems(in: form.arranging(response)).filter { $0.severity == .error }
    }
}
