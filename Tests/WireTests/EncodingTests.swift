import Foundation
import Testing

@testable import Wire

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("fbff", "-_8"), ("03ecffe0c1", "A-z_4ME"),
    ])
    func bytesHaveOneSpelling(hex: String, text: String) {
        #expect(Data(hex: hex).base64URL == text)
        #expect(Data(base64URL: text) == Data(hex: hex))
    }

    @Test(arguments: ["Zg==", "Zh", "A", "Zm9v\n", "Zm 9", "-_9", "+/8", "Zm9vZ", "é"])
    func otherSpellingsAreRefused(text: String) {
        #expect(Data(base64URL: text) == nil)
    }

    @Test func everyLengthComesBack() {
        for length in 0..<200 {
            let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) })
            #expect(Data(base64URL: bytes.base64URL) == bytes)
        }
    }

    @Test func aSliceIsEncodedFromItsOwnStart() {
        #expect(Data([1, 2, 3, 4, 5]).dropFirst(2).base64URL == Data([3, 4, 5]).base64URL)
    }
}

@Suite struct WireJSONTests {
    @Test(arguments: [
        "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":1}}", "{\"a\":1,\"\\u0061\":2}", "{\"a\":1} x", "{\"a\":1,}",
        "[1,]",
        "{a:1}", "", " ", "{", "[", "\"", "\"\\", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "01", "1.", "-", "tru",
        "\"\u{1}\"", "nul", "+1", "1e", ".5",
    ])
    func whatIsNotExactlyOneValueIsRefused(text: String) {
        #expect(WireJSON.read(Data(text.utf8)) == nil)
    }

    @Test func invalidUTF8IsRefused() {
        #expect(WireJSON.read(Data([0x22, 0xC3, 0x28, 0x22])) == nil)
        #expect(WireJSON.read(Data([0x22, 0x5C, 0x6E, 0xFF, 0x22])) == nil)
    }

    @Test func deepNestingIsRefused() {
        #expect(WireJSON.read(Data(String(repeating: "[", count: 100_000).utf8)) == nil)
        #expect(WireJSON.read(Data(("[[[[" + "]]]]").utf8)) != nil)
    }

    @Test func valuesAreReadAsWritten() throws {
        let text =
            "\u{FEFF} {\"s\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é\",\"n\":-1.50e+3,\"t\":true,\"x\":[null,0]} "
        let json = try #require(WireJSON.read(Data(text.utf8)))
        #expect(json["s"]?.string == "a\"\\/\u{8}\u{C}\n\r\té😀é")
        #expect(json["n"] == .number("-1.50e+3"))
        #expect(json["t"] == .boolean(true))
        #expect(json["x"] == .array([.null, .number("0")]))
        #expect(WireJSON.read(Data(json.text.utf8)) == json)
    }

    @Test func onlyAPlainWholeNumberIsAnInteger() {
        #expect(WireJSON.number("9223372036854775807").integer == Int64.max)
        #expect(WireJSON.number("9223372036854775808").integer == nil)
        #expect(WireJSON.number("1.0").integer == nil)
        #expect(WireJSON.number("1e0").integer == nil)
        #expect(WireJSON.boolean(true).integer == nil)
        #expect(WireJSON.string("1").integer == nil)
    }
}

@Suite struct PEMTests {
    @Test func blocksAreFoundBetweenOtherText() throws {
        let one = PEMDocument.text(label: "A", bytes: Data(repeating: 7, count: 100))
        let document = try #require(PEMDocument("subject=x\r\n" + one + "\nnote\n" + one))
        #expect(document.blocks.map(\.label) == ["A", "A"])
        #expect(document.blocks.allSatisfy { $0.bytes == Data(repeating: 7, count: 100) })
        #expect(one.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }

    @Test(arguments: [
        "-----BEGIN A-----\nAAAA\n", "-----BEGIN A-----\nAAAA\n-----END B-----\n",
        "-----BEGIN A-----\n*\n-----END A-----\n",
        "-----END A-----", "-----BEGIN A-----\n-----BEGIN A-----\n-----END A-----\n",
    ])
    func damagedTextIsRefused(text: String) {
        #expect(PEMDocument(text) == nil)
    }
}
