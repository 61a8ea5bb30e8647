import FHIR

extension ValidationWalk {
    /// Checks txt-1 and txt-2: a narrative has no active content and is not empty
    /// (<https://hl7.org/fhir/R4/narrative.html>).
    mutating func narrative(_ value: JSON) {
        guard let text = value.string else { return }
        guard let problem = NarrativeCheck.problem(in: text) else { return }
        error(.invariant, code: problem.code, message: problem.message)
    }
}
