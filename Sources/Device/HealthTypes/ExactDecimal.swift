import FHIR
import Foundation

/// Arithmetic on decimal texts that keeps digits.
package enum ExactDecimal {
    /// Maximum number of significant digits. FHIR systems need not support more
    /// (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
    package static let maximumDigits = 18

    /// Moves the decimal point: `shift("0.970", by: 2)` is `97.0`. The text has no exponent.
    package static func shift(_ text: String, by exponent: Int) -> String {
        let negative = text.hasPrefix("-")
        let digits = negative ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var whole = String(parts[0])
        var fraction = parts.count > 1 ? String(parts[1]) : ""
        if exponent > 0 {
            let padded = fraction + String(repeating: "0", count: max(0, exponent - fraction.count))
            whole += padded.prefix(exponent)
            fraction = String(padded.dropFirst(exponent))
        } else {
            let padded = String(repeating: "0", count: max(0, 1 - exponent - whole.count)) + whole
            fraction = padded.suffix(-exponent) + fraction
            whole = String(padded.dropLast(-exponent))
        }
        let trimmed = whole.drop { $0 == "0" }
        return (negative ? "-" : "") + (trimmed.isEmpty ? "0" : String(trimmed))
            + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Returns `(value + add) * multiply / divide`, rounded to 18 significant digits if it has more.
    package static func linear(_ value: Decimal, add: Decimal, multiply: Decimal, divide: Decimal) -> JSONNumber? {
        JSONNumber(rounded((value + add) * multiply / divide))
    }

    package static func rounded(_ value: Decimal) -> Decimal {
        // The exponent and the number of the significand's digits give the position of the last digit that is kept.
        let digits = value.significand.magnitude.description.utf8.count
        let excess = digits - maximumDigits
        guard excess > 0 else { return value }
        var input = value
        var output = Decimal()
        NSDecimalRound(&output, &input, -(value.exponent + excess), .bankers)
        return output
    }

    /// Returns the shortest digits that represent the number, without an exponent where possible.
    package static func text(_ value: Double) -> String {
        let text = value.description
        if text.hasSuffix(".0") { return String(text.dropLast(2)) }
        guard text.utf8.contains(where: { $0 == 0x65 }), let decimal = Decimal(string: text, locale: nil) else {
            return text
        }
        return decimal.description
    }
}
