import Core
import Foundation
import Testing

@Suite struct CanonicalJSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try JSON(parsing: text).canonicalData(), as: UTF8.self)
    }

    /// The example of RFC 8785 section 3.2.2.
    @Test func exampleOfTheStandardIsMet() throws {
        let text = #"""
            {"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
             "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}
            """#
        #expect(
            try canonical(text)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
                + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
    }

    /// The order of RFC 8785 section 3.2.3.
    @Test func membersAreSortedByTheirUTF16Units() throws {
        let text = #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#
        #expect(try canonical(text) == "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}")
    }

    /// The numbers of RFC 8785 appendix B.
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("5e-324", "5e-324"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("9007199254740992", "9007199254740992"), ("295147905179352830000", "295147905179352830000"),
        ("9.999999999999997e22", "9.999999999999997e+22"), ("1e23", "1e+23"), ("1e21", "1e+21"),
        ("999999999999999900000", "999999999999999900000"), ("9.999999999999997e-7", "9.999999999999997e-7"),
        ("0.000001", "0.000001"), ("333333333.33333325", "333333333.33333325"),
        ("-0.0000033333333333333333", "-0.0000033333333333333333"),
        ("1424953923781206.2", "1424953923781206.2"), ("10.0", "10"), ("100", "100"), ("1e999", "1e999"),
    ])
    func numbersAreWrittenAsECMAScriptWritesThem(text: String, canonical expected: String) throws {
        #expect(try canonical(text) == expected)
    }
}
