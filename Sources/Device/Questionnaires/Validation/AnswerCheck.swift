import FHIR
import Foundation

/// Checks one answer against its question.
package enum AnswerCheck {
    /// One problem of an answer.
    package struct Finding: Sendable {
        package let code: String
        package let severity: FormProblem.Severity
        package let sentence: Sentence
        package var message: String { sentence.text }
        /// Whether the number of answers is wrong, which is only a warning in a response in progress.
        package let isOfCount: Bool

        init(
            _ code: String, _ sentence: Sentence, severity: FormProblem.Severity = .error, isOfCount: Bool = false
        ) {
            self.isOfCount = isOfCount
            self.code = code
            self.severity = severity
            self.sentence = sentence
        }
    }

    /// The options and limits of a question at one time.
    package struct Bounds: Sendable {
        package var options: [FormOption]?
        package var minimum: AnswerValue?
        package var maximum: AnswerValue?

        /// The bounds that do not depend on answers.
        ///
        /// - Parameter moment: the time of the answer, for limits such as today.
        package init(of item: FormItem, at moment: DateTime) {
            options = item.options
            minimum = item.limits.minimum(at: moment)
            maximum = item.limits.maximum(at: moment)
        }
    }

    /// Returns the errors and warnings of all answers of a question: of each answer, with its index, and of their
    /// number and combination, without one.
    package static func findings(
        of values: [AnswerValue], for item: FormItem, within bounds: Bounds
    ) -> [(index: Int?, finding: Finding)] {
        var findings: [(index: Int?, finding: Finding)] = []
        if values.count > 1 {
            if !item.repeats {
                findings.append((nil, Finding("repeats", "The question takes one answer.", isOfCount: true)))
            }
            if let maximum = item.limits.maxOccurs, values.count > maximum {
                findings.append((nil, Finding("max-occurs", "The maximum is \(maximum).", isOfCount: true)))
            }
            let exclusive = (bounds.options ?? item.options ?? []).filter(\.isExclusive)
            if !exclusive.isEmpty, values.contains(where: { value in exclusive.contains { value.equals($0.value) } }) {
                findings.append((nil, Finding("option-exclusive", "One of the chosen answers excludes all others.")))
            }
        }
        for (index, value) in values.enumerated() {
            for finding in Self.findings(of: value, for: item, within: bounds) { findings.append((index, finding)) }
        }
        return findings
    }

    /// Returns the errors and warnings of an answer.
    private static func findings(of value: AnswerValue, for item: FormItem, within bounds: Bounds) -> [Finding] {
        guard item.type != .question else {
            return [Finding("item-type-abstract", "An item of the abstract type question takes no answer.")]
        }
        guard isOfType(value, item, options: bounds.options) else {
            let types = item.answerTypes.joined(separator: " or ")
            return [Finding("answer-type", "The answer must be of the type \(types).")]
        }
        guard isWellFormed(value) else {
            return [Finding("answer-malformed", "The answer is not valid for its type.")]
        }
        return text(value, item) + range(value, item: item, within: bounds)
            + options(value, item, options: bounds.options)
            + units(value, item) + attachment(value, item) + reference(value, item)
            + (item.type == .url ? url(value.json.string ?? "") : [])
    }

    /// Returns whether a question accepts answers of a value's type.
    package static func isOfType(_ value: AnswerValue, for item: FormItem, among options: [FormOption]?) -> Bool {
        isOfType(value, item, options: options)
    }

    /// The types of options are permitted too, for instance integer options of a choice.
    private static func isOfType(_ value: AnswerValue, _ item: FormItem, options: [FormOption]?) -> Bool {
        if item.answerTypes.contains(value.type) { return true }
        guard item.type == .choice || item.type == .openChoice, let options else { return false }
        return options.contains { $0.value.type == value.type }
    }

    /// Returns whether the JSON is valid for the type (<https://hl7.org/fhir/R4/datatypes.html>).
    static func isWellFormed(_ value: AnswerValue) -> Bool {
        let json = value.json
        switch value.type {
        case "Boolean": return json.bool != nil
        case "Integer": return json.integer.map { Int32(exactly: $0) != nil } ?? false
        case "Decimal": return json.number != nil
        case "Date": return json.string.flatMap { DateTime($0) }.map { $0.precision <= .day } ?? false
        case "DateTime": return json.string.flatMap { DateTime($0) } != nil
        case "Time": return json.string.flatMap { TimeOfDay($0) } != nil
        case "String", "Uri": return !(json.string ?? "").isEmpty
        case "Coding": return !(json["code"]?.string ?? json["display"]?.string ?? "").isEmpty
        case "Quantity":
            return json["value"].map { $0.number != nil } ?? (json["code"] != nil || json["unit"] != nil)
        default: return !(json.object?.isEmpty ?? true)
        }
    }

    private static func text(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        var findings: [Finding] = []
        let isText = value.type == "String" || value.type == "Uri"
        guard let text = value.json.string ?? value.json.number?.text, isText || value.json.number != nil else {
            return []
        }
        let length = text.unicodeScalars.count
        if let maximum = item.limits.maxLength, length > maximum {
            findings.append(Finding("max-length", "The answer is longer than \(maximum) characters."))
        }
        guard isText else { return findings }
        if let minimum = item.limits.minLength, length < minimum {
            findings.append(Finding("min-length", "The answer is shorter than \(minimum) characters."))
        }
        if item.type == .string, text.contains(where: \.isNewline) {
            findings.append(Finding("newline", "The answer must be on one line."))
        }
        switch item.limits.pattern?.match(text) {
        case .differs:
            findings.append(
                Finding(
                    "regex",
                    item.limits.validationText.map { Sentence($0) } ?? "The answer does not have the required form."))
        case .undecided:
            findings.append(
                Finding(
                    "regex-undecided", "Matching the form's pattern takes too long; it is not checked.",
                    severity: .warning))
        case .matches, nil: break
        }
        return findings
    }

    private static func range(_ value: AnswerValue, item: FormItem, within bounds: Bounds) -> [Finding] {
        var findings: [Finding] = []
        if let limit = bounds.minimum {
            switch compare(value, with: limit, item: item) {
            case .ordered(.orderedAscending):
                findings.append(Finding("min-value", "The answer is below the least value."))
            case .otherUnit:
                findings.append(
                    Finding("min-value-unit", "The answer's unit is not comparable to that of the minimum."))
            case .unknownUnit:
                findings.append(
                    Finding(
                        "min-value-unit", "The form does not specify the unit of the minimum; it is not checked.",
                        severity: .warning))
            default: break
            }
        }
        if let limit = bounds.maximum {
            switch compare(value, with: limit, item: item) {
            case .ordered(.orderedDescending):
                findings.append(Finding("max-value", "The answer is above the greatest value."))
            case .otherUnit:
                findings.append(
                    Finding("max-value-unit", "The answer's unit is not comparable to that of the maximum."))
            case .unknownUnit:
                findings.append(
                    Finding(
                        "max-value-unit",
                        "The form does not specify the unit of the maximum; it is not checked.", severity: .warning))
            default: break
            }
        }
        if let maximum = item.limits.maxDecimalPlaces, let number = value.json.number ?? value.quantity?.value,
            number.decimalPlaces > maximum
        {
            findings.append(Finding("decimal-places", "The answer has more than \(maximum) decimal places."))
        }
        return findings
    }

    /// The result of comparing an answer with a limit.
    private enum Comparison {
        case ordered(ComparisonResult)
        /// The units are not comparable.
        case otherUnit
        /// The limit is a number and the answer a quantity, and the form permits several units.
        case unknownUnit
        case unknown
    }

    /// Compares after conversion. A limit without a unit has the only unit that the form permits; so does a number that
    /// answers a quantity question.
    private static func compare(_ value: AnswerValue, with limit: AnswerValue, item: FormItem) -> Comparison {
        let limit = item.measured(limit)
        var value = item.measured(value)
        if limit.type == "Quantity", let number = value.json.number, let unit = item.units.only {
            value = AnswerUnits.quantity(number, in: unit)
        }
        if value.type == "Quantity", AnswerUnits.isBare(limit) {
            guard AnswerUnits.isBare(value), let number = value.json["value"] else { return .unknownUnit }
            let bare =
                limit.type == "Quantity" ? AnswerValue(type: "Decimal", json: limit.json["value"] ?? .null) : limit
            return AnswerValue(type: "Decimal", json: number).compare(bare).map { .ordered($0) } ?? .unknown
        }
        if let order = value.compare(limit) { return .ordered(order) }
        return value.type == "Quantity" && limit.type == "Quantity" && !value.isComparable(to: limit)
            ? .otherUnit : .unknown
    }

    private static func options(_ value: AnswerValue, _ item: FormItem, options: [FormOption]?) -> [Finding] {
        // A question that had options and now has none accepts none of them.
        guard let options, !options.isEmpty || item.expressions?.options != nil || !(item.options ?? []).isEmpty else {
            return []
        }
        let answer = item.measured(value)
        if let option = options.first(where: { answer.equals(item.measured($0.value)) }) {
            guard let names = option.names, let display = value.coding?.display, !names.contains(display) else {
                return []
            }
            return [Finding("coding-display", "The display text is none of the texts of the answer's code.")]
        }
        switch item.answerConstraint {
        case .optionsOrString where value.type == "String": return []
        case .optionsOrType where item.answerTypes.contains(value.type): return []
        case .optionsOnly, .optionsOrString, .optionsOrType:
            return [Finding("option", "The answer is not one of the question's options.")]
        }
    }
}
