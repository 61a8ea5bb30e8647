import FHIR
import FormRendering
import FuzzDriver
import Questionnaires

private let now = DateTime("2026-03-01T10:00:00+01:00")
private let empty: QuestionnaireResponse = {
    var object = JSONObject(resourceType: QuestionnaireResponse.resourceType)
    object["status"] = "completed"
    object["authored"] = "2026-03-01T09:00:00+01:00"
    return QuestionnaireResponse(object)
}()

/// Any JSON object is read as a form, opened, rendered and validated against a response without answers. Each problem has
/// a code, a sentence and a location; each element of the plan is at a path of the session. The validator finds the
/// session's errors in its response.
func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let object = (try? JSON(UnsafeBufferPointer(start: start, count: count)))?.object else { return 0 }
    let form = QuestionnaireForm(Questionnaire(object))
    for problem in form.problems {
        precondition(!problem.code.isEmpty && !problem.message.isEmpty, "a problem of the form has no code")
        let linkID = problem.linkID ?? ""
        precondition(linkID.isEmpty || form.item(linkID) != nil, "\(problem.code) is at an unknown item \(linkID)")
    }
    let session = FormSession(form, clock: { now })
    for page in RenderPlan(session).pages {
        for element in page.elements {
            precondition(element.path.steps.last.map { form.item($0.linkID) != nil } ?? false, "an element has no item")
        }
    }
    let own = session.problems()
    check(own, of: form)
    let budget = StepBudget(steps: 10_000_000)
    check(ResponseValidator(form, now: now).problems(in: empty, budget: budget), of: form)
    let valid = ResponseValidator(form, now: now).problems(in: session.response())
    check(valid, of: form)
    // A form with errors can have items that a response cannot name.
    guard !form.problems.contains(where: { $0.severity == .error }) else { return 0 }
    guard own.errorLocations == valid.errorLocations else {
        fatalError("the session has \(own.errorLocations.sorted()), the validator \(valid.errorLocations.sorted())")
    }
    return 0
}

private func check(_ problems: [ResponseProblem], of form: QuestionnaireForm) {
    for problem in problems {
        precondition(!problem.code.isEmpty && !problem.message.isEmpty, "a problem of the response has no code")
        precondition(problem.expression.hasPrefix("QuestionnaireResponse"), "\(problem.code) has no location")
        let linkID = problem.linkID ?? ""
        precondition(linkID.isEmpty || form.item(linkID) != nil, "\(problem.code) is at an unknown item \(linkID)")
    }
}

@main enum FuzzForm {
    static func main() { fuzz(fuzzForm) }
}
