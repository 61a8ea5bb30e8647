import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

/// Random steps on the published forms: each state equals a state computed from scratch, and the session reports the
/// errors that the validator finds in its response.
@Suite(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct RandomStepTests {
    private static let seed = Seeded.newSeed()
    private static let steps = Int(ProcessInfo.processInfo.environment["TRIBUTARY_FORM_STEPS"] ?? "") ?? 25

    @Test func everyStateEqualsOneComputedFromScratch() throws {
        var generator = Seeded(Self.seed)
        var count = 0
        for name in try Published.forms() {
            count += try RandomWalk(form: Published.form(name), name: name).walk(Self.steps, &generator)
        }
        #expect(count > 1_000)
    }

    @Test func nextAndPreviousQuestionsFollowTheEntries() throws {
        var generator = Seeded(Self.seed)
        for name in try Published.forms() {
            var session = FormSession(try Published.form(name))
            for _ in 0..<10 {
                guard let next = RandomStep.next(for: session, &generator) else { break }
                try? session.perform(next)
            }
            let entries = session.entries()
            let questions = entries.filter { $0.item.isQuestion }.map(\.path)
            var walked: [ItemPath] = []
            var next = session.nextQuestion()
            while let entry = next, walked.count <= questions.count {
                walked.append(entry.path)
                next = session.nextQuestion(after: entry.path)
            }
            #expect(walked == questions, "\(name), seed \(Self.seed)")
            for (index, path) in questions.enumerated() {
                let before = session.previousQuestion(before: path)?.path
                #expect(before == (index == 0 ? nil : questions[index - 1]), "\(name) \(path), seed \(Self.seed)")
            }
        }
    }
}

/// Random steps on the forms of the fuzzer `Steps`, which have expressions, repetitions and limits.
@Suite struct RandomFuzzerStepTests {
    private static let seed = Seeded.newSeed()
    private static let steps = Int(ProcessInfo.processInfo.environment["TRIBUTARY_FORM_STEPS"] ?? "") ?? 25

    @Test(arguments: stepForms.indices)
    func everyStateEqualsOneComputedFromScratch(index: Int) throws {
        var generator = Seeded(Self.seed)
        let form = QuestionnaireForm(Questionnaire(try #require(try JSON(parsing: stepForms[index]).object)))
        for _ in 0..<4 {
            #expect(try RandomWalk(form: form, name: "form \(index)").walk(Self.steps, &generator) == Self.steps)
        }
    }
}

/// Steps on one form, with checks of each state.
private struct RandomWalk {
    let form: QuestionnaireForm
    let name: String

    /// Returns the number of steps that were made.
    func walk(_ steps: Int, _ generator: inout Seeded) throws -> Int {
        let now = DateTime("2026-03-01T10:00:00+01:00")
        let seed = generator.seed
        var session = FormSession(form, clock: { now })
        for step in 0..<steps {
            guard let next = RandomStep.next(for: session, &generator) else { return step }
            var refusal: SessionStep.Refusal?
            do throws(SessionStep.Refusal) { try session.perform(next) } catch { refusal = error }
            let again = FormSession(form, clock: { now }, snapshot: session.snapshot)
            let (found, expected) = (
                session.stateLine(step: step, refused: refusal), again.stateLine(step: step, refused: refusal)
            )
            guard found == expected else {
                Issue.record("\(name), step \(step) \(next), seed \(seed): \(found) is not \(expected)")
                return step
            }
            #expect(session.progress == again.progress, "\(name), seed \(seed)")
            guard step % 10 == 0 else { continue }
            // The errors are those of the response, at its paths.
            let valid = ResponseValidator(form, now: now).problems(in: session.response()).errorLocations
            let own = session.problems().errorLocations
            #expect(own == valid, "\(name), step \(step), seed \(seed): \(own.sorted()), \(valid.sorted())")
            #expect(
                session.nextQuestion()?.path
                    == session.entries().first { $0.item.isQuestion }?.path)
        }
        return steps
    }
}

/// Chooses a step that a person could make.
private enum RandomStep {
    static func next(for session: FormSession, _ generator: inout Seeded) -> SessionStep? {
        let entries = session.entries(includingHidden: true)
        guard let entry = entries.randomElement(using: &generator) else { return nil }
        if entry.item.type == .group {
            guard entry.item.repeats else { return .add(entry.path.description) }
            var path = entry.path
            if generator.chance(60) {
                path.steps[path.steps.count - 1].instance = session.instanceCount(at: path)
                return session.instanceCount(at: path) < 4 ? .add(path.description) : .remove(entry.path.description)
            }
            return .remove(entry.path.description)
        }
        if generator.chance(15) { return .set(entry.path.description, []) }
        let options = (session.options(at: entry.path) ?? []).map(\.value)
        if !options.isEmpty, generator.chance(85) {
            let count = entry.item.repeats ? Int.random(in: 1...min(3, options.count), using: &generator) : 1
            return .set(entry.path.description, Array(options.shuffled(using: &generator).prefix(count)))
        }
        return .set(entry.path.description, [answer(entry.item, &generator)])
    }

    private static func answer(_ item: FormItem, _ generator: inout Seeded) -> AnswerValue {
        let number = Int.random(in: 0...9, using: &generator)
        switch item.type {
        case .date: return AnswerValue(type: "Date", json: .string("2026-0\(number % 9 + 1)-11"))
        case .dateTime: return AnswerValue(type: "DateTime", json: .string("2026-0\(number % 9 + 1)-11T10:00:00Z"))
        case .time: return AnswerValue(type: "Time", json: .string("1\(number):00:00"))
        case .url: return .uri("https://example.org/\(number)")
        case .quantity:
            return AnswerValue(
                type: "Quantity",
                json: [
                    "value": .number(JSONNumber(number * 20)), "unit": "kg", "code": "kg",
                    "system": "http://unitsofmeasure.org",
                ])
        default: return RandomForm.answer(item.type.rawValue, &generator)
        }
    }
}
