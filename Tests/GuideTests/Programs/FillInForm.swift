import FHIR
import Questionnaires

/// Sets answers by their paths and prints what is wrong with one of them.
func fillIn(_ form: QuestionnaireForm) throws -> FormSession {
    var session = FormSession(form)
    session["medication[0]/name"] = .string("Melatonin")
    session["medication[1]/dose"] = .decimal(2.5)
    session[all: "symptom"] = [.string("headache"), .string("nausea")]
    for problem in session.problems(at: "medication[1]/dose") { print(problem.message) }
    try session.set(.integer(3), at: "nights")
    return session
}
