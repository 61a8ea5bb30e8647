import FHIR
import FHIRPath
import Foundation
import TestSupport
import Testing

/// The text of a calculated number can be read again, by an expression and as a number of FHIR.
@Suite struct CalculatedDigitsTests {
    private func isReadable(_ text: String) -> Bool {
        FHIRPathDecimal(text: text) != nil && JSONNumber(text: text)?.decimal != nil
    }

    @Test(arguments: [
        ("1 / 3", "0.3333333333333333333333333333333333333"), ("-1 / 3", "-0.3333333333333333333333333333333333333"),
        ("5 / 3", nil), ("100 / 3", nil), ("2 / 3.0", "0.6666666666666666666666666666666666667"),
        ("(1 | 2 | 4).avg()", nil), ("10 + 1 / 3", nil), ("1000000 + 1 / 3", nil), ("1000000 - 1 / 3", nil),
        ("(1 / 3) * (1 / 7)", nil), ("3.power(-1)", nil), ("99999999999.0 + 2 / 3", nil), ("2.sqrt()", nil),
        ("(1 'm' / 3) + 1000 'm'", nil), ("(1 'kg' / 3 'm')", nil), ("(1 'cm' / 7).toQuantity('m')", nil),
        ("0.9999999999999999999999999999999999995 + 0.0000000000000000000000000000000000005", nil),
    ])
    func aQuotientCanBeReadAgain(_ expression: String, _ text: String?) throws {
        let found = try FHIRPathExpression(expression).evaluate(on: [], in: Evaluation.context)
        let value = try #require(found.first)
        let json = value.json
        let number = try #require((json.number ?? json["value"]?.number)?.text, "\(value)")
        #expect(isReadable(number), "\(number)")
        if let text { #expect(number == text) }
        // Another expression reads it.
        #expect(Evaluation.text(of: "\(number) > 0") == (number.hasPrefix("-") ? "false" : "true"))
    }

    /// 38 digits are the maximum, and the zero before the point is one of them.
    @Test func numbersOfAnySizeCanBeReadAgain() throws {
        var random = Seeded.fresh()
        func number() -> String {
            let digits = Int.random(in: 1...37, using: &random)
            let text = String((0..<digits).map { _ in Character(String(Int.random(in: 1...9, using: &random))) })
            let point = Int.random(in: 0...digits, using: &random)
            return point == 0
                ? "0." + text : point == digits ? text + ".0" : text.prefix(point) + "." + text.dropFirst(point)
        }
        for _ in 0..<2_000 {
            let expression = "\(number()) \(["+", "-", "*", "/"].randomElement(using: &random) ?? "/") \(number())"
            for value in try FHIRPathExpression(expression).evaluate(on: [], in: Evaluation.context) {
                #expect(isReadable(value.json.number?.text ?? ""), "\(expression): \(value.json.text())")
            }
        }
    }

    @Test func aResultWithTooManyDigitsBeforeThePointIsEmpty() {
        let large = "12345678901234567890123456789.0"
        #expect(Evaluation.text(of: "\(large) * \(large)") == "{}")
        #expect(Evaluation.text(of: "\(large) / 0.000000000000001") == "{}")
    }
}
