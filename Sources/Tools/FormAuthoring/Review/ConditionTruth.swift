import FHIR
import Foundation
import Questionnaires

/// The result of a condition for all possible answers of its question.
enum ConditionTruth: Sendable {
    /// Some answers fulfil it, others do not.
    case open
    /// No answer fulfils it.
    case never
    /// Every answer fulfils it, and also no answer.
    case always

    /// Determines the result from the question's options, type and limits. Limits that depend on the time are ignored.
    ///
    /// - Parameters:
    ///   - condition: the condition, with a value to compare with.
    ///   - question: the question that decides.
    init(of condition: EnableCondition, on question: FormItem) {
        guard let comparison = condition.comparison, let expected = condition.expected.map(question.measured),
            comparison != .exists
        else {
            self = .open
            return
        }
        let isPossible =
            Self.isPossible(comparison == .notEqual ? .equal : comparison, expected: expected, question)
        self = isPossible ? .open : comparison == .notEqual ? .always : .never
    }

    private static func isPossible(
        _ comparison: EnableCondition.Comparison, expected: AnswerValue, _ question: FormItem
    ) -> Bool {
        if let options = question.options, !options.isEmpty {
            let isOther =
                switch question.answerConstraint {
                case .optionsOnly: false
                case .optionsOrType: true
                case .optionsOrString: ["String", "Uri"].contains(expected.type)
                }
            return isOther
                || options.contains { fulfils(comparison, question.measured($0.value), expected: expected) }
        }
        return isInside(comparison, expected: expected, question)
    }

    /// Whether an answer with an option can fulfil the comparison. The system of a code is unknown if the option has
    /// none.
    private static func fulfils(
        _ comparison: EnableCondition.Comparison, _ option: AnswerValue, expected: AnswerValue
    ) -> Bool {
        switch comparison {
        case .equal:
            if let left = option.coding, let right = expected.coding, option.type == "Coding" {
                guard expected.type == "Coding" else { return false }
                guard let one = left.code, let two = right.code else { return true }
                return one == two && (left.system == nil || right.system == nil || left.system == right.system)
            }
            return option.equals(expected)
        case .greater: return option.compare(expected) == .orderedDescending
        case .less: return option.compare(expected) == .orderedAscending
        case .greaterOrEqual: return option.compare(expected).map { $0 != .orderedAscending } ?? false
        case .lessOrEqual: return option.compare(expected).map { $0 != .orderedDescending } ?? false
        case .exists, .notEqual: return true
        }
    }

    private static func isInside(
        _ comparison: EnableCondition.Comparison, expected: AnswerValue, _ question: FormItem
    ) -> Bool {
        if comparison == .equal, question.type == .integer, let number = expected.json.number,
            expected.type == "Decimal",
            let value = number.decimal
        {
            var (source, rounded) = (value, Decimal())
            NSDecimalRound(&rounded, &source, 0, .plain)
            if rounded != value { return false }
        }
        if comparison == .equal, let maximum = question.limits.maxLength, let text = expected.json.string,
            expected.type == "String", text.unicodeScalars.count > maximum
        {
            return false
        }
        guard !question.limits.dependsOnTime else { return true }
        let moment = DateTime(Date(timeIntervalSince1970: 0))
        let low = question.limits.minimum(at: moment).map(question.measured)?.compare(expected)
        let high = question.limits.maximum(at: moment).map(question.measured)?.compare(expected)
        switch comparison {
        case .greater: return high == nil || high == .orderedDescending
        case .greaterOrEqual: return high != .orderedAscending
        case .less: return low == nil || low == .orderedAscending
        case .lessOrEqual: return low != .orderedDescending
        case .equal: return high != .orderedAscending && low != .orderedDescending
        case .exists, .notEqual: return true
        }
    }
}

extension FormItem {
    /// Whether no answer is valid, because the minimum is greater than the maximum.
    var cannotBeAnswered: Bool {
        guard !limits.dependsOnTime else { return false }
        let moment = DateTime(Date(timeIntervalSince1970: 0))
        guard let low = limits.minimum(at: moment), let high = limits.maximum(at: moment) else { return false }
        return measured(low).compare(measured(high)) == .orderedDescending
    }
}
