import FHIR
import Foundation
import TestSupport
import Testing

@testable import Warehouse

@Suite struct FactValueTests {
    private func value(_ type: String, _ json: String) throws -> FactValue? {
        FactValue(OpenChoice(type: type, json: try JSON(parsing: json)))
    }

    @Test(arguments: [(nil, "E"), ("<", "L"), ("<=", "LE"), (">", "G"), (">=", "GE")])
    func comparatorIsInTheTextOfANumber(comparator: String?, code: String) throws {
        let member = comparator.map { #","comparator":"\#($0)""# } ?? ""
        #expect(
            try value("Quantity", #"{"value":7.50,"code":"mg/dL","unit":"milligrams"\#(member)}"#)
                == .numeric(7.5, operator: code, units: "mg/dL"))
    }

    @Test func unitIsTheUCUMCodeOrElseTheUnitText() throws {
        #expect(try value("Quantity", #"{"value":1,"unit":"cups"}"#) == .numeric(1, operator: "E", units: "cups"))
        #expect(
            try value("Quantity", #"{"value":1,"unit":"cups","system":"http://example.org","code":"c1"}"#)
                == .numeric(1, operator: "E", units: "cups"))
        #expect(
            try value("Quantity", #"{"value":1,"unit":"a","system":"http://unitsofmeasure.org","code":"/min"}"#)
                == .numeric(1, operator: "E", units: "/min"))
        #expect(try value("Integer", "3") == .numeric(3, operator: "E", units: nil))
    }

    /// decimal(18,5), rounded half to even.
    @Test(arguments: [
        ("0.000005", 0.0), ("0.000015", 0.00002), ("0.000025", 0.00002), ("-0.000015", -0.00002),
        ("1.234565", 1.23456), ("1.2345651", 1.23457), ("1e3", 1000), ("9999999999999.5", 9_999_999_999_999.5),
    ])
    func numbersAreRoundedToFiveDecimalsHalfToEven(text: String, expected: Double) throws {
        #expect(try value("Decimal", text) == .numeric(expected, operator: "E", units: nil))
    }

    @Test(arguments: [
        "10000000000000", "-1e13", "1e400", "9999999999999.999999", "9999999999999.99999", "-9999999999999.9999",
    ])
    func aNumberThatDoesNotFitIsKeptAsTextWithAWarning(text: String) throws {
        #expect(try value("Decimal", text) == .text(text))
        let facts = try mapped(response(#"{"linkId":"a","answer":[{"valueDecimal":\#(text)}]}"#))
        #expect(facts.warnings == [.numberOutOfRange])
        #expect(facts.facts.map(\.value) == [.text(text)])
    }

    @Test func textIsTextUpTo255CodePointsAndABlobBeyond() throws {
        let full = String(repeating: "é", count: 255)
        #expect(try value("String", "\"\(full)\"") == .text(full))
        #expect(try value("String", "\"\(full)x\"") == .blob(full + "x"))
        // One character for a reader, seven code points for a column.
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 40)
        #expect(try value("String", "\"\(family)\"") == .blob(family))
    }

    @Test(arguments: [
        ("Boolean", "true", "true"), ("Boolean", "false", "false"), ("Date", #""2026-03""#, "2026-03"),
        ("DateTime", #""2026-03-01T10:00:00+02:00""#, "2026-03-01T10:00:00+02:00"),
        ("Time", #""07:30:00""#, "07:30:00"),
        ("Uri", #""urn:x""#, "urn:x"), ("Reference", #"{"reference":"Device/1"}"#, "Device/1"),
        ("Attachment", #"{"contentType":"image/png","data":"AAAA","title":"Ann's hand"}"#, "image/png"),
        ("Coding", #"{"display":"Other"}"#, "Other"),
    ])
    func otherValuesAreText(type: String, json: String, text: String) throws {
        #expect(try value(type, json) == .text(text))
    }

    @Test func sampledDataAreABlob() throws {
        let data = #"{"origin":{"value":0},"period":10,"dimensions":1,"data":"1 2 3"}"#
        #expect(try value("SampledData", data) == .blob(data))
    }

    @Test func elementWithoutAValueIsNotAFact() throws {
        #expect(try value("Quantity", #"{"unit":"kg"}"#) == nil)
        #expect(try value("Decimal", "null") == nil)
        #expect(try value("Period", "null") == nil)
    }
}

@Suite struct ExactFactValueTests {
    /// The fast conversion of a number's text has the result of decimal arithmetic.
    @Test func shortNumbersEqualDecimalArithmetic() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for _ in 0..<5000 {
            let whole = Int.random(
                in: 0...[9, 999, 999_999_999_999].randomElement(using: &generator, or: 9), using: &generator)
            let fractionDigits = Int.random(in: 0...7, using: &generator)
            let fraction = (0..<fractionDigits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            let text =
                (Bool.random(using: &generator) ? "-" : "") + "\(whole)" + (fractionDigits > 0 ? "." + fraction : "")
            let number = try #require(JSONNumber(text: text))
            var value = try #require(Decimal(string: text, locale: nil))
            var rounded = Decimal()
            NSDecimalRound(&rounded, &value, 5, .bankers)
            let wanted = try #require(Double(rounded.description))
            #expect(FactValue.number(number) == .numeric(wanted, operator: "E", units: nil), "\(text), seed \(seed)")
        }
    }
}

extension Array {
    fileprivate func randomElement(using generator: inout some RandomNumberGenerator, or element: Element) -> Element {
        randomElement(using: &generator) ?? element
    }
}
