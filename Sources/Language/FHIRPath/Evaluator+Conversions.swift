import FHIR
import Foundation

extension Evaluator {
    /// Evaluates `toX()` and `convertsToX()` (<https://hl7.org/fhirpath/N1/#conversion>).
    mutating func conversion(
        _ function: FHIRPathFunction, on input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        let convert: (FHIRPathValue) -> FHIRPathValue?
        switch function {
        case .toBoolean, .convertsToBoolean: convert = Conversion.boolean
        case .toInteger, .convertsToInteger: convert = Conversion.integer
        case .toLong, .convertsToLong: convert = Conversion.long
        case .toDecimal, .convertsToDecimal: convert = Conversion.decimal
        case .toString, .convertsToString: convert = Conversion.string
        case .toDate, .convertsToDate: convert = Conversion.date
        case .toDateTime, .convertsToDateTime: convert = Conversion.dateTime
        case .toTime, .convertsToTime: convert = Conversion.time
        case .toQuantity, .convertsToQuantity:
            let unit = try arguments.first.map { node throws(FHIRPathError) in
                try string(try argument(node, scope), function.rawValue + "()")
            }
            convert = { Conversion.quantity($0, unit: unit ?? nil) }
        default: return .empty
        }
        guard let value = try single(input, function.rawValue + "()") else { return .empty }
        try spend(bytes: value.byteCount)
        let result = convert(value)
        if function.isTest { return .one(.boolean(result != nil)) }
        return result.map { .one($0) } ?? .empty
    }
}

/// Conversions between types; nil if the value cannot be converted.
enum Conversion {
    static func boolean(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .boolean: return value
        case .integer(let number), .long(let number):
            return number == 1 ? .boolean(true) : number == 0 ? .boolean(false) : nil
        case .decimal(let number):
            return number.value == 1 ? .boolean(true) : number.value == 0 ? .boolean(false) : nil
        case .string(let text):
            switch text.lowercased() {
            case "true", "t", "yes", "y", "1", "1.0": return .boolean(true)
            case "false", "f", "no", "n", "0", "0.0": return .boolean(false)
            default: return nil
            }
        default: return nil
        }
    }

    private static func whole(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    static func integer(_ value: FHIRPathValue) -> FHIRPathValue? {
        func fitting(_ number: Int?) -> FHIRPathValue? {
            number.flatMap { (-2_147_483_648...2_147_483_647).contains($0) ? .integer($0) : nil }
        }
        switch value {
        case .integer: return value
        case .long(let number): return fitting(number)
        case .boolean(let truth): return .integer(truth ? 1 : 0)
        case .string(let text): return fitting(whole(text))
        default: return nil
        }
    }

    static func long(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .long: value
        case .integer(let number): .long(number)
        case .boolean(let truth): .long(truth ? 1 : 0)
        case .string(let text): whole(text).map(FHIRPathValue.long)
        default: nil
        }
    }

    static func decimal(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .decimal: value
        case .integer(let number), .long(let number): .decimal(FHIRPathDecimal(number))
        case .boolean(let truth): .decimal(FHIRPathDecimal(Decimal(truth ? 1 : 0), scale: 1))
        case .string(let text):
            isPlainDecimal(text) ? FHIRPathDecimal(text: text).map(FHIRPathValue.decimal) : nil
        default: nil
        }
    }

    /// Matches `(\+|-)?\d+(\.\d+)?`.
    private static func isPlainDecimal(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    static func string(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .string: value
        case .boolean(let truth): .string(truth ? "true" : "false")
        case .integer(let number), .long(let number): .string(String(number))
        case .decimal(let number): .string(number.text)
        case .temporal(let time): .string(time.text)
        case .quantity(let quantity): .string(quantity.text)
        case .element(let element):
            // A primitive that has no system value, such as a number with too many digits.
            switch element.value {
            case .number(let number): .string(number.text)
            case .string(let text): .string(text)
            default: nil
            }
        case .typeInfo: nil
        }
    }

    static func date(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .temporal(let time):
            if time.kind == .date { return value }
            guard time.kind == .dateTime else { return nil }
            return .temporal(
                TemporalValue(
                    kind: .date, precision: min(time.precision, .day), year: time.year, month: time.month,
                    day: time.day
                ))
        case .string(let text):
            return TemporalValue(date: text).map(FHIRPathValue.temporal)
        default: return nil
        }
    }

    static func dateTime(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .temporal(let time):
            time.kind == .dateTime
                ? value : time.kind == .date ? .temporal(time.with(kind: .dateTime)) : nil
        case .string(let text): TemporalValue(dateTime: text).map(FHIRPathValue.temporal)
        default: nil
        }
    }

    static func time(_ value: FHIRPathValue) -> FHIRPathValue? {
        switch value {
        case .temporal(let time): time.kind == .time ? value : nil
        case .string(let text):
            TemporalValue(time: text.hasPrefix("T") ? String(text.dropFirst()) : text).map(
                FHIRPathValue.temporal)
        default: nil
        }
    }

    /// Converts a number with an optional unit, such as `4 days` or `10 'mg'`, and if a unit is given, converts it to
    /// that unit.
    ///
    /// - Parameter isImplicit: whether only the implicit conversions of operators are allowed, which are those of
    ///   numbers.
    static func quantity(_ value: FHIRPathValue, unit: String?, isImplicit: Bool = false) -> FHIRPathValue? {
        let found: QuantityValue?
        switch value {
        case .quantity(let quantity): found = quantity
        case .integer(let number), .long(let number):
            found = QuantityValue(FHIRPathDecimal(number), unit: "1", isCalendar: false)
        case .decimal(let number): found = QuantityValue(number, unit: "1", isCalendar: false)
        case .boolean(let truth) where !isImplicit:
            found = QuantityValue(
                FHIRPathDecimal(Decimal(truth ? 1 : 0), scale: 1), unit: "1", isCalendar: false)
        case .string(let text) where !isImplicit: found = quantity(text)
        default: found = nil
        }
        guard let found else { return nil }
        guard let unit else { return .quantity(found) }
        return found.converted(toUnit: unit).map(FHIRPathValue.quantity)
    }

    private static func quantity(_ text: String) -> QuantityValue? {
        var rest = text[...]
        let digits = rest.prefix { $0.isNumber || $0 == "." || $0 == "-" || $0 == "+" }
        guard isPlainDecimal(String(digits)), let number = FHIRPathDecimal(text: String(digits)) else {
            return nil
        }
        rest = rest[digits.endIndex...]
        let unit = rest.drop { $0.isWhitespace }
        if unit.isEmpty {
            return rest.isEmpty ? QuantityValue(number, unit: "1", isCalendar: false) : nil
        }
        if unit.hasPrefix("'"), unit.hasSuffix("'"), unit.count > 2 {
            return QuantityValue(number, unit: String(unit.dropFirst().dropLast()), isCalendar: false)
        }
        guard let calendar = CalendarUnit(word: String(unit)) else { return nil }
        return QuantityValue(number, unit: calendar.rawValue, isCalendar: true)
    }
}
