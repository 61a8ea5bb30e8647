import Core
import Foundation
import Testing

@Suite struct JSONStrictReadingTests {
    @Test(arguments: [
        "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":1}}", "{\"a\":1,\"\\u0061\":2}", "{\"a\":1} x", "{\"a\":1,}",
        "[1,]",
        "{a:1}", "", " ", "{", "[", "\"", "\"\\", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "01", "1.", "-", "tru",
        "\"\u{1}\"", "nul", "+1", "1e", ".5",
    ])
    func textThatIsNotExactlyOneValueIsRefused(text: String) {
        #expect(JSON(reading: Data(text.utf8)) == nil)
    }

    @Test func invalidUTF8IsRefused() {
        #expect(JSON(reading: Data([0x22, 0xC3, 0x28, 0x22])) == nil)
        #expect(JSON(reading: Data([0x22, 0x5C, 0x6E, 0xFF, 0x22])) == nil)
    }

    @Test func deepNestingIsRefused() {
        #expect(JSON(reading: Data(String(repeating: "[", count: 100_000).utf8)) == nil)
        #expect(JSON(reading: Data(("[[[[" + "]]]]").utf8)) != nil)
    }

    @Test func valuesAreReadAsWritten() throws {
        let text =
            "\u{FEFF} {\"s\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é\",\"n\":-1.50e+3,\"t\":true,\"x\":[null,0]} "
        let json = try #require(JSON(reading: Data(text.utf8)))
        #expect(json["s"]?.string == "a\"\\/\u{8}\u{C}\n\r\té😀é")
        #expect(json["n"] == JSONNumber(text: "-1.50e+3").map(JSON.number))
        #expect(json["t"] == .bool(true))
        #expect(json["x"] == .array([.null, 0]))
        #expect(JSON(reading: Data(json.text().utf8)) == json)
    }

    @Test func onlyPlainWholeNumbersAreIntegers() {
        #expect(JSONNumber(text: "9223372036854775807")?.integer == Int.max)
        #expect(JSONNumber(text: "9223372036854775808")?.integer == nil)
        #expect(JSONNumber(text: "1.0")?.integer == nil)
        #expect(JSONNumber(text: "1e0")?.integer == nil)
        #expect(JSON.bool(true).integer == nil)
        #expect(JSON.string("1").integer == nil)
    }
}
