import FHIR
import Foundation
import UCUM

/// A value that answers a question, or that a question offers: R4's choice of types for an answer
/// (<https://hl7.org/fhir/R4/questionnaireresponse-definitions.html#QuestionnaireResponse.item.answer.value_x_>).
///
/// A decimal keeps the digits that it was written with. A value of a type that no answer has is `unrecognized`.
public typealias AnswerValue = QuestionnaireResponse.Item.Answer.Value

extension AnswerValue {
    /// A decimal with the fewest digits that tell the number: `.decimal(7.5)`.
    ///
    /// Where trailing zeros mean precision, or digits are more than a `Double` holds, a `JSONNumber` keeps them:
    /// `.decimal(number)`. What is not finite is no decimal: a question refuses it as `answer-malformed`.
    public static func decimal(_ value: Double) -> AnswerValue {
        let text = value.description
        guard let number = JSONNumber(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text) else {
            return .unrecognized(type: "Decimal", .null)
        }
        return .decimal(number)
    }

    init?(_ choice: (some ChoiceValue)?) {
        guard let choice else { return nil }
        self.init(type: choice.type, json: choice.json)
    }

    // The value by its type; nil where the JSON is no object.
    var coding: Coding? { Coding(json: json) }
    var quantity: Quantity? { Quantity(json: json) }
    var reference: Reference? { Reference(json: json) }
    var attachment: Attachment? { Attachment(json: json) }

    /// The text that a person reads.
    public var text: String {
        switch type {
        case "Coding": coding?.display ?? coding?.code ?? ""
        case "Quantity":
            [quantity?.comparator?.rawValue, quantity?.value?.text, quantity?.unit ?? quantity?.code]
                .compactMap { $0 }.joined(separator: " ")
        case "Reference": reference?.display ?? reference?.reference ?? ""
        case "Attachment": attachment?.title ?? attachment?.url ?? attachment?.contentType ?? ""
        case "Boolean": json.bool.map { $0 ? "yes" : "no" } ?? ""
        default: json.string ?? json.number?.text ?? ""
        }
    }

    /// Compares this value with another; nil where that cannot be told.
    ///
    /// Numbers compare as numbers, quantities after conversion where their units differ, dates where both say enough:
    /// whether 2024 comes before 2024-05 is unknown. Numbers are exact.
    func compare(_ other: AnswerValue) -> ComparisonResult? {
        switch (type, other.type) {
        case ("Integer", "Integer"), ("Integer", "Decimal"), ("Decimal", "Integer"), ("Decimal", "Decimal"):
            return Self.compare(json.number, other.json.number)
        case ("Quantity", "Quantity"):
            guard let left = quantity, let right = other.quantity, left.comparator == right.comparator else {
                return nil
            }
            return hasSameUnit(as: other)
                ? Self.compare(left.value, right.value) : Self.compareConverted(left, right)
        case ("Time", "Time"):
            guard let left = json.string.flatMap({ TimeOfDay($0) }),
                let right = other.json.string.flatMap({ TimeOfDay($0) })
            else { return nil }
            return Self.order(left.nanoseconds, right.nanoseconds)
        case ("Date", "Date"), ("DateTime", "DateTime"), ("Date", "DateTime"), ("DateTime", "Date"):
            guard let left = json.string.flatMap({ DateTime($0) }),
                let right = other.json.string.flatMap({ DateTime($0) })
            else { return nil }
            return Self.compare(left, right)
        case ("String", "String"), ("Uri", "Uri"), ("String", "Uri"), ("Uri", "String"):
            guard let left = json.string, let right = other.json.string else { return nil }
            return Self.order(left, right)
        default: return nil
        }
    }

    /// Whether this answer is the expected one. Of a coding the code counts, and the system where one is expected;
    /// display texts do not.
    package func equals(_ expected: AnswerValue) -> Bool {
        switch (type, expected.type) {
        case ("Coding", "Coding"):
            guard let code = expected.coding?.code else {
                return expected.json["display"] != nil && json["display"] == expected.json["display"]
            }
            let system = expected.coding?.system
            return coding?.code == code && (system == nil || coding?.system == system)
        case ("Reference", "Reference"):
            let wanted = expected.reference
            let found = reference
            if let wanted = wanted?.reference, let found = found?.reference {
                // A relative reference is the same resource on this server only; both must say so.
                return wanted == found || Self.withoutVersion(wanted) == Self.withoutVersion(found)
            }
            guard let wanted = wanted?.identifier, let found = found?.identifier else { return false }
            return wanted.value != nil && wanted.value == found.value && wanted.system == found.system
        case ("Boolean", "Boolean"): return json.bool != nil && json.bool == expected.json.bool
        default: return compare(expected) == .orderedSame
        }
    }

    var number: Decimal? {
        switch type {
        case "Decimal", "Integer": json.number?.decimal
        case "Quantity": quantity?.value?.decimal
        default: nil
        }
    }

    /// Units agree by code and system where both have codes, else by their texts.
    func hasSameUnit(as other: AnswerValue) -> Bool {
        let (mine, others) = (quantity, other.quantity)
        if let left = mine?.code, let right = others?.code {
            let systems = (mine?.system, others?.system)
            return left == right && (systems.0 == nil || systems.1 == nil || systems.0 == systems.1)
        }
        return mine?.unit ?? mine?.code == others?.unit ?? others?.code
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
        left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }

    private static func compare(_ left: JSONNumber?, _ right: JSONNumber?) -> ComparisonResult? {
        guard let left, let right else { return nil }
        return order(JSONNumber.order(left, right), 0)
    }

    /// Compares quantities in two units of UCUM exactly; nil where the units do not convert.
    private static func compareConverted(_ left: Quantity, _ right: Quantity) -> ComparisonResult? {
        guard let first = left.value, let second = right.value, let unit = left.ucumUnit, let other = right.ucumUnit,
            let one = exact(first), let two = exact(second)
        else { return nil }
        return (try? unit.order(one, to: two, in: other)).map { order($0, 0) }
    }

    /// Numbers of more digits, or of a greater exponent, measure nothing.
    private static func exact(_ number: JSONNumber) -> ExactNumber? {
        ExactNumber(decimal: number.text, digitLimit: 200, exponentLimit: 400)
    }

    private static func compare(_ left: DateTime, _ right: DateTime) -> ComparisonResult? {
        // A date without a time is one of the other's clock.
        let offset = left.offsetMinutes ?? right.offsetMinutes ?? 0
        let (leftStart, rightStart) = (
            left.start(assumingOffsetMinutes: offset), right.start(assumingOffsetMinutes: offset)
        )
        if left.precision == right.precision || min(left.precision, right.precision) >= .second {
            return order(leftStart, rightStart)
        }
        if left.end(assumingOffsetMinutes: offset) <= rightStart { return .orderedAscending }
        if right.end(assumingOffsetMinutes: offset) <= leftStart { return .orderedDescending }
        return nil
    }

    private static func withoutVersion(_ reference: String) -> Substring {
        reference.range(of: "/_history/").map { reference[..<$0.lowerBound] } ?? reference[...]
    }
}
