import FHIR
import Foundation
import Questionnaires

/// Two conditions on one question.
struct ConditionPair {
    let first: EnableCondition
    let second: EnableCondition
    /// Whether the question has no more than one answer for the item with the conditions.
    let isSingle: Bool

    /// Whether no answers fulfil both.
    var contradicts: Bool {
        guard let (one, two) = parts, let left = first.expected, let right = second.expected else { return false }
        switch (one, two) {
        case (.exists, .exists): return left.json.bool != right.json.bool
        case (.exists, .notEqual), (.notEqual, .exists): return false
        case (.exists, _): return left.json.bool == false
        case (_, .exists): return right.json.bool == false
        case (.equal, .notEqual), (.notEqual, .equal): return left.equals(right) && right.equals(left)
        case (.notEqual, _), (_, .notEqual): return false
        case (.equal, .equal): return isSingle && Self.differ(left, right)
        case (.equal, _): return isSingle && !Self.holds(left, two, expected: right)
        case (_, .equal): return isSingle && !Self.holds(right, one, expected: left)
        default: return isSingle && Self.areDisjoint((one, left), (two, right))
        }
    }

    /// Whether all answers, and no answer, fulfil one of both.
    var covers: Bool {
        guard let (one, two) = parts, let left = first.expected, let right = second.expected else { return false }
        switch (one, two) {
        case (.exists, .exists): return left.json.bool != right.json.bool
        case (.equal, .notEqual), (.notEqual, .equal): return left.equals(right) && right.equals(left)
        case (.exists, .notEqual): return left.json.bool == true
        case (.notEqual, .exists): return right.json.bool == true
        default: return false
        }
    }

    private var parts: (EnableCondition.Comparison, EnableCondition.Comparison)? {
        guard let one = first.comparison, let two = second.comparison else { return nil }
        return (one, two)
    }

    /// Whether no answer equals both values.
    private static func differ(_ left: AnswerValue, _ right: AnswerValue) -> Bool {
        if left.type == "Coding", right.type == "Coding" {
            guard let one = left.coding, let two = right.coding, let code = one.code, let other = two.code else {
                return false
            }
            return code != other || one.system != nil && two.system != nil && one.system != two.system
        }
        if left.type == "Boolean", right.type == "Boolean" { return left.json.bool != right.json.bool }
        return left.compare(right).map { $0 != .orderedSame } ?? false
    }

    /// Whether an answer that equals the value can fulfil a comparison.
    private static func holds(
        _ value: AnswerValue, _ comparison: EnableCondition.Comparison, expected: AnswerValue
    ) -> Bool {
        guard let order = value.compare(expected) else { return true }
        switch comparison {
        case .greater: return order == .orderedDescending
        case .less: return order == .orderedAscending
        case .greaterOrEqual: return order != .orderedAscending
        case .lessOrEqual: return order != .orderedDescending
        case .equal: return order == .orderedSame
        case .exists, .notEqual: return true
        }
    }

    /// Whether no value is inside of both ranges.
    private static func areDisjoint(
        _ first: (comparison: EnableCondition.Comparison, value: AnswerValue),
        _ second: (comparison: EnableCondition.Comparison, value: AnswerValue)
    ) -> Bool {
        func isLow(_ comparison: EnableCondition.Comparison) -> Bool {
            comparison == .greater || comparison == .greaterOrEqual
        }
        guard isLow(first.comparison) != isLow(second.comparison) else { return false }
        let (low, high) = isLow(first.comparison) ? (first, second) : (second, first)
        guard let order = low.value.compare(high.value) else { return false }
        let isStrict = low.comparison == .greater || high.comparison == .less
        return order == .orderedDescending || order == .orderedSame && isStrict
    }
}
