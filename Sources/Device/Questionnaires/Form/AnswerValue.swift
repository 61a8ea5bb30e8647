import FHIR
import FHIRPath
import Foundation
import UCUM

/// A value of an answer or of an option: R4's choice of types for an answer
/// (<https://hl7.org/fhir/R4/questionnaireresponse-definitions.html#QuestionnaireResponse.item.answer.value_x_>).
///
/// A decimal keeps its digits. A value of a type that answers do not have is `unrecognized`.
public typealias AnswerValue = QuestionnaireResponse.Item.Answer.Value

extension AnswerValue {
    /// Returns a decimal with the shortest digits that represent the number: `.decimal(7.5)`.
    ///
    /// If trailing zeros express precision, or a `Double` has too few digits, use a `JSONNumber`: `.decimal(number)`. A
    /// number that is not finite is not a decimal: a question refuses it as `answer-malformed`.
    public static func decimal(_ value: Double) -> AnswerValue {
        let text = value.description
        guard let number = JSONNumber(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text) else {
            return .unrecognized(type: "Decimal", .null)
        }
        return .decimal(number)
    }

    /// Returns a decimal with the digits of a whole number: `.decimal(8)`.
    ///
    /// ```swift
    /// session["night/hours"] = .decimal(8)
    /// ```
    public static func decimal(_ value: Int) -> AnswerValue { .decimal(JSONNumber(value)) }

    /// Creates the value of an expression's item, with the name of its type.
    init(_ item: FHIRPathValue) {
        let name = item.typeName
        self.init(type: name.prefix(1).uppercased() + name.dropFirst(), json: item.json)
    }

    package init?(_ choice: (some ChoiceValue)?) {
        guard let choice else { return nil }
        self.init(type: choice.type, json: choice.json)
    }

    // The value by its type; nil if the JSON is not an object.
    package var coding: Coding? { Coding(json: json) }
    package var quantity: Quantity? { Quantity(json: json) }
    var reference: Reference? { Reference(json: json) }
    var attachment: Attachment? { Attachment(json: json) }

    /// The text that is shown to people.
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

    /// Compares this value with another; nil if the order cannot be determined.
    ///
    /// Numbers are compared exactly, quantities after conversion if their units differ, dates if both are precise
    /// enough: the order of 2024 and 2024-05 is unknown.
    package func compare(_ other: AnswerValue) -> ComparisonResult? {
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
            return Self.order(TextOrder.compare(left, with: right), 0)
        default: return nil
        }
    }

    /// Returns whether this answer is the expected one. A coding is compared by its code, and by its system if the
    /// expected one has a system; display texts are ignored.
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
                // A relative reference identifies the same resource only on this server, so both must be relative.
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

    /// Compares units by code and system if both have codes, otherwise by their texts.
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

    /// Compares quantities in two UCUM units exactly; nil if the units are not comparable.
    private static func compareConverted(_ left: Quantity, _ right: Quantity) -> ComparisonResult? {
        guard let first = left.value, let second = right.value, let unit = left.ucumUnit, let other = right.ucumUnit,
            let one = exact(first), let two = exact(second)
        else { return nil }
        return (try? unit.order(one, to: two, in: other)).map { order($0, 0) }
    }

    /// Numbers with more digits or greater exponents are not measurements.
    private static func exact(_ number: JSONNumber) -> ExactNumber? {
        ExactNumber(decimal: number.text, digitLimit: 200, exponentLimit: 400)
    }

    private static func compare(_ left: DateTime, _ right: DateTime) -> ComparisonResult? {
        // A date without a time has the other value's offset.
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
