import FHIR
import FormAuthoring
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

/// Random forms and changes; a failure names its seed.
@Suite struct DifferencePropertyTests {
    private static let seed = Seeded.newSeed()
    private static let rounds = 500

    private func form(_ object: JSONObject) -> QuestionnaireForm { QuestionnaireForm(Questionnaire(object)) }

    @Test func aFormIsTheSameAsItself() {
        for round in 0..<200 {
            var generator = Seeded(Self.seed &+ UInt64(round))
            let form = form(VariedForm(using: &generator).questionnaire)
            let difference = FormDifference(from: form, to: form)
            #expect(difference.changes.isEmpty, "seed \(Self.seed) round \(round): \(difference.changes)")
            #expect(difference.level == .same)
        }
    }

    @Test func aFormIsTheSameWithItsMembersInAnotherOrder() {
        func reversed(_ json: JSON) -> JSON {
            if let object = json.object {
                return .object(
                    JSONObject(
                        keepingFirst: object.members.reversed().map {
                            JSONObject.Member(key: $0.key, value: reversed($0.value))
                        }))
            }
            return json.array.map { .array($0.map(reversed)) } ?? json
        }
        for round in 0..<50 {
            var generator = Seeded(Self.seed &+ UInt64(round))
            let json = VariedForm(using: &generator).questionnaire
            let difference = FormDifference(
                from: form(json), to: form(reversed(.object(json)).object ?? JSONObject()))
            #expect(difference.changes.isEmpty, "seed \(Self.seed) round \(round): \(difference.changes)")
        }
    }

    @Test func aValidResponseRemainsValidUnlessAChangeIsBreaking() {
        var checked = 0
        var levels: [ChangeLevel: Int] = [:]
        for round in 0..<Self.rounds {
            var generator = Seeded(Self.seed &+ UInt64(round))
            let varied = VariedForm(using: &generator)
            let old = form(varied.questionnaire)
            let responses = (0..<3).map { _ in VariedForm.answered(old, &generator).response() }
                .filter { ResponseValidator(old).problems(in: $0).errors.isEmpty }
            guard !responses.isEmpty else { continue }
            for _ in 0..<4 {
                var mutation = FormMutation(varied)
                for _ in 0..<Int.random(in: 1...2, using: &generator) { mutation.mutate(&generator) }
                let new = form(mutation.questionnaire)
                let difference = FormDifference(from: old, to: new)
                levels[difference.level, default: 0] += 1
                guard difference.level < .breaking else { continue }
                for response in responses {
                    // A new text of an option changes no answer: the server accepts the text of the earlier version.
                    let problems = ResponseValidator(new).problems(in: response)
                        .filter { $0.severity == .error && $0.code != "coding-display" }
                    #expect(
                        problems.isEmpty,
                        """
                        seed \(Self.seed) round \(round): \(difference.changes) \(problems)
                        \(varied.questionnaire) -> \(mutation.questionnaire)
                        """)
                    checked += 1
                }
            }
        }
        print("\(checked) responses, \(levels)")
        #expect(checked > Self.rounds)
        #expect(levels.count == ChangeLevel.allCases.count)
    }
}
