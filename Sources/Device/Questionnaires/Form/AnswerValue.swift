import FHIR
import Foundation

/// A value that answers a question, or that a question offers: one FHIR `value[x]`.
public struct AnswerValue: Sendable, Hashable {
    /// The type as the element's name ends in it: `Coding`, `Decimal`, `String`...
    public let type: String
    public let json: JSON

    public init(type: String, json: JSON) {
        self.type = type
        self.json = json
    }

    init?(_ choice: (type: String, value: JSON)?) {
        guard let choice else { return nil }
        self.init(type: choice.type, json: choice.value)
    }

    /// What a person reads.
    public var text: String {
        switch type {
        case "Coding": json["display"]?.string ?? json["code"]?.string ?? ""
        case "Quantity":
            [json["comparator"]?.string, json["value"]?.number?.text, json["unit"]?.string ?? json["code"]?.string]
                .compactMap { $0 }.joined(separator: " ")
        case "Reference": json["display"]?.string ?? json["reference"]?.string ?? ""
        case "Attachment": json["title"]?.string ?? json["url"]?.string ?? json["contentType"]?.string ?? ""
        case "Boolean": json.bool.map { $0 ? "yes" : "no" } ?? ""
        default: json.string ?? json.number?.text ?? ""
        }
    }

    /// How this value compares with another; nil where the two cannot be compared.
    ///
    /// Dates compare as far as both are precise, quantities only in the same unit.
    func compare(_ other: AnswerValue) -> ComparisonResult? {
        if let left = number, let right = other.number, type != "Quantity", other.type != "Quantity" {
            return Self.order(left, right)
        }
        switch (type, other.type) {
        case ("Quantity", "Quantity"):
            guard let left = number, let right = other.number, hasSameUnit(as: other) else { return nil }
            return Self.order(left, right)
        case ("Time", "Time"):
            guard let left = json.string.flatMap({ TimeOfDay($0) }),
                let right = other.json.string.flatMap({ TimeOfDay($0) })
            else { return nil }
            return Self.order(left, right)
        case ("Date", "Date"), ("DateTime", "DateTime"), ("Date", "DateTime"), ("DateTime", "Date"):
            guard let left = json.string.flatMap({ DateTime($0) }),
                let right = other.json.string.flatMap({ DateTime($0) })
            else { return nil }
            return Self.compare(left, right)
        case ("String", "String"), ("Uri", "Uri"):
            guard let left = json.string, let right = other.json.string else { return nil }
            return Self.order(left, right)
        default: return nil
        }
    }

    /// Whether this answer is the expected one. Of a coding the code counts, and the system where one is expected;
    /// display texts do not.
    func equals(_ expected: AnswerValue) -> Bool {
        switch (type, expected.type) {
        case ("Coding", "Coding"):
            guard let code = expected.json["code"]?.string else {
                return expected.json["display"] != nil && json["display"] == expected.json["display"]
            }
            let system = expected.json["system"]?.string
            return json["code"]?.string == code && (system == nil || json["system"]?.string == system)
        case ("Reference", "Reference"):
            let wanted = Reference(json: expected.json)
            let found = Reference(json: json)
            if let left = wanted?.literal, let right = found?.literal { return left == right }
            return found?.reference != nil && found?.reference == wanted?.reference
        case ("Boolean", "Boolean"): return json == expected.json
        default: return compare(expected) == .orderedSame
        }
    }

    var number: Decimal? {
        switch type {
        case "Decimal", "Integer": json.number?.decimal
        case "Quantity": json["value"]?.number?.decimal
        default: nil
        }
    }

    /// Units agree by code and system where both have codes, else by their texts.
    func hasSameUnit(as other: AnswerValue) -> Bool {
        if let left = json["code"]?.string, let right = other.json["code"]?.string {
            let systems = (json["system"]?.string, other.json["system"]?.string)
            return left == right && (systems.0 == nil || systems.1 == nil || systems.0 == systems.1)
        }
        return json["unit"]?.string ?? json["code"]?.string == other.json["unit"]?.string ?? other.json["code"]?.string
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
        left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }

    /// Two dates of unlike precision are equal where the coarser covers the finer.
    private static func compare(_ left: DateTime, _ right: DateTime) -> ComparisonResult {
        let offset = left.offsetMinutes ?? right.offsetMinutes ?? 0
        let (leftStart, leftEnd) = (left.start(assumingOffsetMinutes: offset), left.end(assumingOffsetMinutes: offset))
        let (rightStart, rightEnd) = (
            right.start(assumingOffsetMinutes: offset), right.end(assumingOffsetMinutes: offset)
        )
        if leftEnd <= rightStart { return .orderedAscending }
        if rightEnd <= leftStart { return .orderedDescending }
        return .orderedSame
    }
}
