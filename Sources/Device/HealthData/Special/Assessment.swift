import FHIR

/// The answers to one of the two questionnaires that HealthKit scores: HKPHQ9Assessment and HKGAD7Assessment.
///
/// The questions and codes of the PHQ-9 are those of HL7's example form; the GAD-7 has only HealthKit's codes.
public struct Assessment: SpecialRecord {
    /// The questionnaires.
    public enum Form: Sendable, CaseIterable {
        /// Nine questions on depression.
        case phq9
        /// Seven questions on anxiety.
        case gad7
    }

    public let form: Form
    public var start: HealthInstant
    /// An answer from 0, not at all, to 3, nearly every day, for each question; nil if the person preferred not to
    /// answer, which the PHQ-9 permits for its last question.
    public let answers: [Int?]
    public var origin: SpecialOrigin

    /// - Returns: nil if the number of answers does not match the form, an answer is not from 0 to 3, or a required
    ///   answer is missing.
    public init?(form: Form, start: HealthInstant, answers: [Int?], origin: SpecialOrigin) {
        guard answers.count == form.questions.count else { return nil }
        for (index, answer) in answers.enumerated() {
            guard answer.map({ (0...3).contains($0) }) ?? (form == .phq9 && index == 8) else { return nil }
        }
        self.form = form
        self.start = start
        self.answers = answers
        self.origin = origin
    }

    /// The sum of the answers.
    public var score: Int { answers.reduce(0) { $0 + ($1 ?? 0) } }

    /// The risk level of the score: HealthKit's HKPHQ9AssessmentRisk and HKGAD7AssessmentRisk.
    public var risk: HealthOption {
        let names =
            ["NoneToMinimal", "Mild", "Moderate"] + (form == .phq9 ? ["ModeratelySevere", "Severe"] : ["Severe"])
        let words =
            ["None to minimal", "Mild", "Moderate"]
            + (form == .phq9 ? ["Moderately severe", "Severe"] : ["Severe"])
        let index = min(score / 5, names.count - 1)
        return HealthOption(form.prefix + "AssessmentRisk" + names[index], words[index], aliases: [String(index + 1)])
    }

    public var kind: SpecialKind { form == .phq9 ? .phq9 : .gad7 }
    public var time: SpecialTime { .moment(start) }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for answer in answers { content.add(answer ?? 4) }
        return content.fingerprint
    }

    /// Returns the observation: the score is the value, risk and answers are components.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.value = ("Integer", .number(JSONNumber(score)))
        if form == .phq9 {
            parts.add(
                ComponentCode.healthKit(
                    "HKPHQ9Assessment.score", "PHQ-9 Score",
                    further: [Coding(system: HealthCodeSystem.loinc, code: "44261-6", display: "Total score")]),
                type: "Integer", value: .number(JSONNumber(score)))
        }
        parts.add(ComponentCode.healthKit(form.prefix + "AssessmentRisk", form.title + " Risk"), risk)
        for (question, answer) in zip(form.questions, answers) { parts.add(question.code(form), form.option(answer)) }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}

extension Assessment.Form {
    /// The name shown to people.
    public var title: String { self == .phq9 ? "PHQ-9" : "GAD-7" }

    /// The prefix of HealthKit's case names.
    var prefix: String { self == .phq9 ? "HKPHQ9" : "HKGAD7" }

    /// One question, as a short text.
    struct Question: Sendable {
        let number: Int
        let loinc: String?
        let words: String

        func code(_ form: Assessment.Form) -> JSON {
            let own = Coding(
                system: HealthCodeSystem.component, code: (form == .phq9 ? "phq9-" : "gad7-") + String(number),
                display: "\(form.title) question \(number)")
            let standard = loinc.map { Coding(system: HealthCodeSystem.loinc, code: $0, display: words) }
            return CodeableConcept(coding: (standard.map { [$0] } ?? []) + [own], text: words).json
        }
    }

    var questions: [Question] { self == .phq9 ? Self.phq9Questions : Self.gad7Questions }

    /// Returns the option of an answer; nil means that the person preferred not to answer.
    func option(_ answer: Int?) -> HealthOption {
        let cases = [
            ("NotAtAll", "Not at all"), ("SeveralDays", "Several days"),
            ("MoreThanHalfTheDays", "More than half the days"), ("NearlyEveryDay", "Nearly every day"),
            ("PreferNotToAnswer", "Preferred not to answer"),
        ]
        let number = answer ?? 4
        let (name, words) = cases[min(max(number, 0), 4)]
        return HealthOption(prefix + "AssessmentAnswer" + name, words, aliases: [String(number)])
    }

    private static let phq9Questions = [
        Question(number: 1, loinc: "44250-9", words: "Little interest or pleasure in doing things"),
        Question(number: 2, loinc: "44255-8", words: "Feeling down, depressed, or hopeless"),
        Question(number: 3, loinc: "44259-0", words: "Trouble falling or staying asleep"),
        Question(number: 4, loinc: "44254-1", words: "Feeling tired or having little energy"),
        Question(number: 5, loinc: "44251-7", words: "Poor appetite or overeating"),
        Question(number: 6, loinc: "44258-2", words: "Feeling bad about yourself"),
        Question(number: 7, loinc: "44252-5", words: "Trouble concentrating on things"),
        Question(number: 8, loinc: "44253-3", words: "Moving or speaking slowly, or being restless"),
        Question(number: 9, loinc: "44260-8", words: "Thoughts of being better off dead, or of self-harm"),
    ]

    private static let gad7Questions = [
        "Feeling nervous, anxious, or on edge", "Not being able to stop or control worrying",
        "Worrying too much about different things", "Trouble relaxing",
        "Being so restless that it is hard to sit still",
        "Becoming easily annoyed or irritable", "Feeling afraid, as if something awful might happen",
    ].enumerated().map { Question(number: $0.offset + 1, loinc: nil, words: $0.element) }
}
