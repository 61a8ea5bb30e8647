/// A question that decides whether somebody can take part.
public struct EligibilityCriterion: Sendable, Hashable, Identifiable {
    /// The question; it is also its id in the answers.
    public let text: String
    /// The answer with which one can take part.
    public let mustBeMet: Bool

    /// Makes a criterion of a question and the answer with which one can take part.
    public init(text: String, mustBeMet: Bool) {
        self.text = text
        self.mustBeMet = mustBeMet
    }

    public var id: String { text }
}

/// The verdict about taking part that the answers so far give.
public struct EligibilityVerdict: Sendable, Hashable {
    /// True or false once it is decided: false with the first answer that rules the person out, true when every
    /// question is answered; nil before.
    public let isEligible: Bool?
    /// The texts of the questions whose answers rule the person out.
    public let unmet: [String]
    /// The texts of the questions that stand open.
    public let unanswered: [String]
}

/// Who can take part.
public struct Eligibility: Sendable, Hashable {
    /// The questions in their order.
    public let criteria: [EligibilityCriterion]

    /// Makes eligibility of its questions; without any everybody is eligible.
    public init(criteria: [EligibilityCriterion]) { self.criteria = criteria }

    /// The verdict on answers by the text of the criterion. Spaces around and inside of a text do not count.
    /// Where there is no criterion everybody is eligible.
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

    /// The answer that was given to a criterion.
    func answer(to criterion: EligibilityCriterion, in answers: [String: Bool]) -> Bool? {
        answers.first { Eligibility.key($0.key) == Eligibility.key(criterion.text) }?.value
    }

    private static func key(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
