import FHIR
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

/// Random forms and answers; a failure names its seed.
@Suite struct RandomFormTests {
    private static let rounds = 150
    private static let seed = Seeded.newSeed()

    /// All entered answers, by path.
    private struct Entered {
        var answers: [ItemPath: [AnswerValue]] = [:]
        /// The path of every item, answered or not.
        var paths: [ItemPath] = []
    }

    /// Answers about two of three questions, from the top down, including disabled ones.
    private func enter(
        _ items: [RandomForm.Item], above: [ItemPath.Step], session: inout FormSession, entered: inout Entered,
        generator: inout Seeded
    ) {
        for item in items {
            let here = above + [ItemPath.Step(linkID: item.linkID)]
            entered.paths.append(ItemPath(here))
            var inside = here
            switch item.type {
            case "display": continue
            case "group":
                for instance in 0..<(item.repeats ? Int.random(in: 1...3, using: &generator) : 1) {
                    inside[inside.count - 1].instance = instance
                    session.ensureGroup(at: ItemPath(inside))
                    enter(item.children, above: inside, session: &session, entered: &entered, generator: &generator)
                }
            default:
                guard generator.chance(66) else { continue }
                var values = [RandomForm.answer(item.type, &generator)]
                if item.repeats, generator.chance(50) {
                    let other = RandomForm.answer(item.type, &generator)
                    if other != values[0] { values.append(other) }
                }
                let isSet = session.setAnswers(values, at: ItemPath(here))
                #expect(isSet)
                entered.answers[ItemPath(here)] = values
                for instance in values.indices {
                    inside[inside.count - 1].instance = instance
                    enter(item.children, above: inside, session: &session, entered: &entered, generator: &generator)
                }
            }
        }
    }

    /// Evaluates the rules literally, without regard to speed.
    private func isEnabled(_ path: ItemPath, form: RandomForm, entered: Entered) -> Bool {
        guard let item = form.all[path.steps.last?.linkID ?? ""] else { return false }
        if path.steps.count > 1 {
            var parent = ItemPath(Array(path.steps.dropLast()))
            parent.steps[parent.steps.count - 1].instance = 0
            guard isEnabled(parent, form: form, entered: entered) else { return false }
        }
        guard !item.conditions.isEmpty else { return true }
        let truths = item.conditions.map { holds($0, at: path, form: form, entered: entered) }
        return item.isAny ? truths.contains(true) : !truths.contains(false)
    }

    private func holds(
        _ condition: RandomForm.Condition, at path: ItemPath, form: RandomForm, entered: Entered
    ) -> Bool {
        guard let source = form.all[condition.question], let item = form.all[path.steps.last?.linkID ?? ""] else {
            return false
        }
        // The items that contain both; if the source itself contains the item, only its ancestors.
        let shared = zip(source.above, item.above).prefix { $0 == $1 }.count
        let answers = entered.answers.filter { answered, _ in
            answered.steps.last?.linkID == condition.question
                && answered.steps.prefix(shared) == path.steps.prefix(shared)
                && isEnabled(answered, form: form, entered: entered)
        }.flatMap(\.value)
        let expected = condition.expected
        func number(_ value: AnswerValue) -> Double? { value.json.number?.double }
        func order(_ value: AnswerValue) -> Int {
            if let left = number(value), let right = number(expected) {
                return left < right ? -1 : left > right ? 1 : 0
            }
            if value.type == "Coding", expected.type == "Coding" {
                return value.json["code"] == expected.json["code"] ? 0 : 2
            }
            guard value.type == expected.type else { return 2 }
            if let left = value.json.string, let right = expected.json.string {
                return left < right ? -1 : left > right ? 1 : 0
            }
            return value.json == expected.json ? 0 : 2
        }
        switch condition.comparison {
        case "exists": return answers.isEmpty != (expected.json.bool ?? false)
        case "=": return answers.contains { order($0) == 0 }
        case "!=": return !answers.contains { order($0) == 0 }
        case "<": return answers.contains { order($0) == -1 }
        case "<=": return answers.contains { [-1, 0].contains(order($0)) }
        case ">": return answers.contains { order($0) == 1 }
        default: return answers.contains { [0, 1].contains(order($0)) }
        }
    }

    @Test func enablementAgreesWithTheRules() {
        for round in 0..<Self.rounds {
            var generator = Seeded(Self.seed &+ UInt64(round))
            let random = RandomForm(using: &generator)
            let form = random.form
            #expect(!form.problems.contains { $0.severity == .error }, "seed \(Self.seed) round \(round)")
            var session = FormSession(form)
            var entered = Entered()
            enter(random.items, above: [], session: &session, entered: &entered, generator: &generator)
            for path in entered.paths {
                let expected = isEnabled(path, form: random, entered: entered)
                #expect(session.isEnabled(path) == expected, "seed \(Self.seed) round \(round) at \(path)")
            }
        }
    }

    @Test func responseLacksOnlyRequiredAnswersAndHasNoDisabledItems() throws {
        for round in 0..<Self.rounds {
            let comment: Comment = "seed \(Self.seed) round \(round)"
            var generator = Seeded(Self.seed &+ UInt64(round))
            let random = RandomForm(using: &generator)
            var session = FormSession(random.form)
            var entered = Entered()
            enter(random.items, above: [], session: &session, entered: &entered, generator: &generator)
            // Some answers change, some are removed.
            for path in entered.answers.keys.sorted(by: { $0.description < $1.description }) where generator.chance(30)
            {
                guard let item = random.all[path.steps.last?.linkID ?? ""] else { continue }
                session.setAnswers(generator.chance(50) ? [] : [RandomForm.answer(item.type, &generator)], at: path)
            }
            #expect(Set(session.problems().errors).isSubset(of: ["required"]), comment)

            // Required answers are added until none is missing; every answer can enable further items.
            for _ in 0..<100 {
                let missing = Set(session.problems().filter { $0.severity == .error }.compactMap(\.linkID))
                let entry = session.entries().first { entry in
                    entry.item.isQuestion && entry.answers.isEmpty
                        && entry.path.steps.contains { missing.contains($0.linkID) }
                }
                guard let entry else { break }
                session.setAnswers([RandomForm.answer(entry.item.type.rawValue, &generator)], at: entry.path)
            }
            let errors = session.problems().filter { $0.severity == .error }
            // A required group may contain no item that can be answered.
            #expect(errors.allSatisfy { random.all[$0.linkID ?? ""]?.type == "group" }, "\(comment): \(errors)")

            // Read from its bytes it is equal, and a session that continues it makes the same response.
            let response = session.response()
            let read = QuestionnaireResponse(try #require(try JSON(response.json.bytes()).object))
            #expect(FormSession(session.form, response: read).response().json == response.json, comment)
            #expect(FormSession(session.form, snapshot: session.snapshot).response().json == response.json, comment)
            var again = FormSession(session.form)
            #expect(session.answerSet.apply(to: &again).isEmpty, comment)
            #expect(again.response().json == response.json, comment)
        }
    }
}
