import FHIR
import Foundation
import HealthTypes

/// The value of a fact, as i2b2's columns contain it.
enum FactValue: Sendable, Hashable {
    /// `valtype_cd` N, with the operator in `tval_char`. Without the operator, no value constraint finds the number.
    case numeric(Double, operator: String, units: String?)
    /// `valtype_cd` T.
    case text(String)
    /// `valtype_cd` B: text beyond 255 characters.
    case blob(String)

    /// Maximum code points of `tval_char`.
    static let maximumText = 255
    /// Maximum code points of `units_cd`.
    static let maximumUnits = 50
    /// The first number that decimal(18,5) cannot hold.
    private static let limit = Decimal(10_000_000_000_000 as Int64)

    static func text(of string: String) -> FactValue {
        string.unicodeScalars.count <= maximumText ? .text(string) : .blob(string)
    }

    /// Returns a number that fits decimal(18,5), rounded half to even; any other number is stored as text.
    static func number(_ number: JSONNumber, comparator: String? = nil, units: String? = nil) -> FactValue {
        if comparator == nil, let value = exact(number.text) {
            return .numeric(value, operator: "E", units: units.map(storable))
        }
        return number.decimal.flatMap { fitting($0, comparator: comparator, units: units) }
            ?? sentText(number, comparator: comparator, units: units)
    }

    /// Returns a number and its unit as text, which numeric queries do not find.
    static func sentText(_ number: JSONNumber, comparator: String?, units: String?) -> FactValue {
        text(of: (comparator ?? "") + number.text + (units.map { " " + $0 } ?? ""))
    }

    /// Returns a number that fits decimal(18,5), rounded half to even; nil for any other.
    static func fitting(_ number: Decimal, comparator: String?, units: String?) -> FactValue? {
        var value = number
        guard !value.isNaN, abs(value) < limit else { return nil }
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, 5, .bankers)
        guard abs(rounded) < limit else { return nil }
        // Conversion by way of text: Foundation's own conversion does not give the nearest binary number, and a query
        // for "equal" would miss it. Near the limit of the column, the nearest binary number can exceed the limit.
        guard let nearest = Double(rounded.description), abs(nearest) < 1e13 else { return nil }
        let code =
            switch comparator {
            case "<": "L"
            case "<=": "LE"
            case ">": "G"
            case ">=": "GE"
            default: "E"
            }
        return .numeric(nearest, operator: code, units: units.map(storable))
    }

    /// Returns the number if the column can store it exactly: up to twelve digits before the decimal point and five
    /// after it. Nearly all numbers are like that, and need no decimal arithmetic.
    private static func exact(_ text: String) -> Double? {
        var digits = 0
        var fraction: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let count = fraction { fraction = count + 1 } else { digits += 1 }
            case UInt8(ascii: "."): fraction = 0
            case UInt8(ascii: "-"): break
            default: return nil
            }
        }
        guard digits <= 12, fraction ?? 0 <= 5, let value = Double(text) else { return nil }
        // Removes the sign of zero.
        return value + 0
    }

    private static func storable(_ units: String) -> String {
        units.utf8.count <= maximumUnits
            ? units : String(String.UnicodeScalarView(units.unicodeScalars.prefix(maximumUnits)))
    }

    /// Creates the value of an answer or an observation; nil if it has none to load.
    init?(_ value: some ChoiceValue) {
        let json = value.json
        switch value.type {
        case "Decimal", "Integer":
            guard let number = json.number else { return nil }
            self = .number(number)
        case "Quantity":
            guard let quantity = Quantity(json: json), let number = quantity.value else { return nil }
            self = .number(number, comparator: quantity.comparator?.rawValue, units: QuantityUnit(quantity).shown)
        case "Boolean":
            guard let flag = json.bool else { return nil }
            self = .text(flag ? "true" : "false")
        case "String", "Uri", "Url", "Date", "DateTime", "Time", "Instant", "Code":
            guard let text = json.string else { return nil }
            self = .text(of: text)
        case "Coding":
            guard let coding = Coding(json: json), let text = coding.code ?? coding.display else { return nil }
            self = .text(of: text)
        case "CodeableConcept":
            guard let text = CodeableConcept(json: json)?.text else { return nil }
            self = .text(of: text)
        case "Reference":
            guard let reference = Reference(json: json), let text = reference.reference ?? reference.display else {
                return nil
            }
            self = .text(of: text)
        case "Attachment":
            // Never the data, nor a title that might name a person: only the record contains them.
            self = .text(of: Attachment(json: json)?.contentType ?? "attachment")
        default:
            // Sampled data, ranges, ratios and periods: complete, as sent.
            guard !json.isNull else { return nil }
            self = .blob(json.text())
        }
    }

    var isNumeric: Bool { if case .numeric = self { true } else { false } }
}
