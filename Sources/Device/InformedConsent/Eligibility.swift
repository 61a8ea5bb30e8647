/// A question that decides about eligibility.
public struct EligibilityCriterion: Sendable, Hashable, Identifiable {
    /// The question, which is also the key of its answer.
    public let text: String
    /// The answer that permits participation.
    public let mustBeMet: Bool

    /// Creates a criterion from a question and the answer that permits participation.
    public init(text: String, mustBeMet: Bool) {
        self.text = text
        self.mustBeMet = mustBeMet
    }

    public var id: String { text }
}

/// The eligibility verdict for the answers so far.
public struct EligibilityVerdict: Sendable, Hashable {
    /// False after the first answer that excludes the person, true when all questions are answered; nil before that.
    public let isEligible: Bool?
    /// The texts of the questions whose answers exclude the person.
    public let unmet: [String]
    /// The texts of the questions that are not answered.
    public let unanswered: [String]
}

/// The eligibility criteria of a study.
public struct Eligibility: Sendable, Hashable {
    /// The questions in their order.
    public let criteria: [EligibilityCriterion]

    /// Creates eligibility criteria. Without criteria everyone is eligible.
    public init(criteria: [EligibilityCriterion]) { self.criteria = criteria }

    /// Returns the verdict on answers by the text of the criterion. White space around and inside of a text is
    /// normalized. Without criteria everyone is eligible.
    public func verdict(_ answers: [String: Bool]) -> EligibilityVerdict {
        let known = Dictionary(answers.map { (Eligibility.key($0.key), $0.value) }) { first, _ in first }
        var unmet: [String] = []
        var unanswered: [String] = []
        for criterion in criteria {
            guard let answer = known[Eligibility.key(criterion.text)] else {
                unanswered.append(criterion.text)
                continue
            }
            if answer != criterion.mustBeMet { unmet.append(criterion.text) }
        }
        let isEligible: Bool? = !unmet.isEmpty ? false : unanswered.isEmpty ? true : nil
        return EligibilityVerdict(isEligible: isEligible, unmet: unmet, unanswered: unanswered)
    }

    /// Returns the answer to a criterion.
    func answer(to criterion: EligibilityCriterion, in answers: [String: Bool]) -> Bool? {
        answers.first { Eligibility.key($0.key) == Eligibility.key(criterion.text) }?.value
    }

    private static func key(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
