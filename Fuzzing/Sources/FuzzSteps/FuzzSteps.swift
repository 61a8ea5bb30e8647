import FHIR
import FuzzDriver
import Questionnaires

private let now = DateTime("2026-03-01T10:00:00+01:00")
private let forms = stepForms.map { QuestionnaireForm(Questionnaire((try? JSON($0.utf8))?.object ?? JSONObject())) }

/// The maximum number of steps of one input. Each costs a session from scratch.
private let maximumSteps = 100

/// The first byte chooses a form, the rest are steps, one a line. After each step the state equals a state from scratch,
/// a refused step changes nothing, and the validator finds the session's errors in its response.
func fuzzSteps(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let choice = bytes.first else { return 0 }
    let form = forms[Int(choice) % forms.count]
    precondition(!form.items.isEmpty, "a form of the fuzzer cannot be read")
    var session = FormSession(form, clock: { now })
    var state = session.stateLine(step: 0, refused: nil)
    for (index, line) in bytes.dropFirst().split(separator: 0x0A).prefix(maximumSteps).enumerated() {
        guard let json = try? JSON(line) else { continue }
        do throws(SessionStep.Refusal) {
            try session.perform(SessionStep(json))
        } catch {
            precondition(!error.code.isEmpty && !error.message.isEmpty, "a refusal has no code")
            precondition(session.stateLine(step: 0, refused: nil) == state, "a refused step changes the state")
            continue
        }
        state = session.stateLine(step: 0, refused: nil)
        let again = FormSession(form, clock: { now }, snapshot: session.snapshot)
        let expected = again.stateLine(step: 0, refused: nil)
        guard state == expected else { fatalError("step \(index): \(state.text()) is not \(expected.text())") }
        precondition(session.progress == again.progress, "step \(index): the progress differs")
    }
    let own = session.problems().errorLocations
    let valid = ResponseValidator(form, now: now).problems(in: session.response()).errorLocations
    guard own == valid else { fatalError("the session has \(own.sorted()), the validator \(valid.sorted())") }
    return 0
}

@main enum FuzzSteps {
    static func main() { fuzz(fuzzSteps) }
}
