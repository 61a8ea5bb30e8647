import Core
import Testing

/// Invalid JSON is refused with the offset of the error.
@Suite struct JSONRefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let code: JSONError.Reason
        let line: Int
        let column: Int

        init(_ text: String, code: JSONError.Reason, line: Int, column: Int) {
            self.text = text
            self.code = code
            self.line = line
            self.column = column
        }

        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Case("", code: .unexpectedEnd, line: 1, column: 1),
        Case(" \n ", code: .unexpectedEnd, line: 2, column: 2),
        Case("{", code: .unexpectedEnd, line: 1, column: 2),
        Case("[1", code: .unexpectedEnd, line: 1, column: 3),
        Case("[1,", code: .unexpectedEnd, line: 1, column: 4),
        Case("{\"a\"", code: .unexpectedEnd, line: 1, column: 5),
        Case("{\"a\":", code: .unexpectedEnd, line: 1, column: 6),
        Case("{\"a\":1", code: .unexpectedEnd, line: 1, column: 7),
        Case("\"abc", code: .unexpectedEnd, line: 1, column: 5),
        Case("\"abc\\", code: .unexpectedEnd, line: 1, column: 6),
        Case("tru", code: .unexpectedEnd, line: 1, column: 4),
        Case("nul]", code: .unexpectedCharacter, line: 1, column: 4),
        Case("True", code: .unexpectedCharacter, line: 1, column: 1),
        Case("{a:1}", code: .unexpectedCharacter, line: 1, column: 2),
        Case("{'a':1}", code: .unexpectedCharacter, line: 1, column: 2),
        Case("{\"a\" 1}", code: .unexpectedCharacter, line: 1, column: 6),
        Case("{\"a\":1 \"b\":2}", code: .unexpectedCharacter, line: 1, column: 8),
        Case("{\"a\":1,,\"b\":2}", code: .unexpectedCharacter, line: 1, column: 8),
        Case("{,}", code: .unexpectedCharacter, line: 1, column: 2),
        Case("[,1]", code: .unexpectedCharacter, line: 1, column: 2),
        Case("[1 2]", code: .unexpectedCharacter, line: 1, column: 4),
        Case("[1}", code: .unexpectedCharacter, line: 1, column: 3),
        Case("{\"a\":1]", code: .unexpectedCharacter, line: 1, column: 7),
        Case("// comment\n1", code: .unexpectedCharacter, line: 1, column: 1),
        Case("NaN", code: .unexpectedCharacter, line: 1, column: 1),
        Case("+1", code: .unexpectedCharacter, line: 1, column: 1),
        Case(".5", code: .unexpectedCharacter, line: 1, column: 1),
        Case("01", code: .invalidNumber, line: 1, column: 1),
        Case("-01", code: .invalidNumber, line: 1, column: 1),
        Case("-", code: .invalidNumber, line: 1, column: 1),
        Case("[1.]", code: .invalidNumber, line: 1, column: 2),
        Case("[1.e5]", code: .invalidNumber, line: 1, column: 2),
        Case("[1e]", code: .invalidNumber, line: 1, column: 2),
        Case("[1e+]", code: .invalidNumber, line: 1, column: 2),
        Case("[1e+-5]", code: .invalidNumber, line: 1, column: 2),
        Case("0x10", code: .textAfterEnd, line: 1, column: 2),
        Case("1 2", code: .textAfterEnd, line: 1, column: 3),
        Case("{}\n{}", code: .textAfterEnd, line: 2, column: 1),
        Case("{} // end", code: .textAfterEnd, line: 1, column: 4),
        Case("[1,]", code: .trailingComma, line: 1, column: 3),
        Case("{\"a\":1,\n}", code: .trailingComma, line: 1, column: 7),
        Case("{\n \"a\": [\n  1\n  ,\n ]\n}", code: .trailingComma, line: 4, column: 3),
        Case("{\"a\":1,\n \"a\":1}", code: .duplicateKey, line: 2, column: 2),
        Case("{\"a\":{\"b\":1,\"b\":2}}", code: .duplicateKey, line: 1, column: 13),
        Case("{\"a\":1,\"\\u0061\":1}", code: .duplicateKey, line: 1, column: 8),
        Case("\"a\tb\"", code: .invalidString, line: 1, column: 3),
        Case("\"a\nb\"", code: .invalidString, line: 1, column: 3),
        Case("\"\\x41\"", code: .invalidString, line: 1, column: 3),
        Case("\"\\u12G4\"", code: .invalidString, line: 1, column: 6),
        Case("\"\\u-123\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\ud800\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\ud800x\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\ud800\\n\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\ud800\\ud800\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\udc00\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\udc00\\ud800\"", code: .invalidString, line: 1, column: 4),
        Case("\"\\u12", code: .unexpectedEnd, line: 1, column: 4),
        Case("\u{A0}1", code: .unexpectedCharacter, line: 1, column: 1),
        Case("[1\u{B}]", code: .unexpectedCharacter, line: 1, column: 3),
    ])
    func errorHasItsLineAndColumn(_ sample: Case) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: sample.text) }
        #expect(error?.reason == sample.code)
        #expect(error?.line == sample.line)
        #expect(error?.column == sample.column)
        #expect(error?.message.hasSuffix("(line \(sample.line), column \(sample.column)).") == true)
    }

    @Test(arguments: [
        ("[1,]", "[1]"), ("{\"a\":1,}", "{\"a\":1}"), ("{\"a\":[1, \n],\n}\n", "{\"a\":[1]}"), ("[[1,],]", "[[1]]"),
    ])
    func leniencyReadsACommaBeforeAClosingBracket(text: String, expected: String) throws {
        #expect(try JSON(parsing: text, lenient: true).text() == expected)
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
        #expect(error?.reason == .trailingComma)
    }

    @Test(arguments: ["[,]", "{,}", "[1,,]", "{\"a\":1,,}", "1,", "[1],", "{\"a\":1,\"a\":2}", "{\"a\":,}", "[1] x"])
    func leniencyAcceptsNothingElse(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text, lenient: true) }
    }

    @Test(arguments: [2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 26, 100, 1000])
    func duplicateNameIsFoundInObjectsOfAnySize(count: Int) throws {
        let members = (0..<count).map { "\"name\($0)\":0" }
        #expect(try JSON(parsing: "{\(members.joined(separator: ","))}").object?.count == count)
        for twin in [0, count / 2, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"name\(twin)\":0}"
            let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
            #expect(error?.reason == .duplicateKey)
            #expect(error?.offset == text.utf8.count - "\"name\(twin)\":0}".utf8.count)
        }
    }

    @Test func namesThatOnlyLookAlikeAreTwoNames() throws {
        // One precomposed, one with a combining accent: JSON compares code points, not visible characters.
        for extra in [0, 30] {
            let more = (0..<extra).map { ",\"m\($0)\":0" }.joined()
            let text = "{\"\u{E9}\":1,\"e\u{301}\":2\(more)}"
            let value = try JSON(parsing: text)
            #expect(value.object?.count == 2 + extra)
            #expect(value.text().utf8.elementsEqual(text.utf8))
            let twice = "{\"\u{E9}\":1\(more),\"\u{E9}\":2}"
            #expect(throws: JSONError.self) { try JSON(parsing: twice) }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE, 0xFF],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(bytes: [UInt8]) {
        for padding in [0, 3, 8, 13] {
            let around = Array(repeating: UInt8(ascii: "x"), count: padding)
            for text in [around + bytes + around, around + Array("\\n".utf8) + bytes, bytes + Array("\\n".utf8)] {
                let error = #expect(throws: JSONError.self) { try JSON([0x22] + text + [0x22]) }
                #expect(error?.reason == .invalidUTF8)
                #expect(throws: JSONError.self) { try JSON(Array("{\"".utf8) + text + Array("\":1}".utf8)) }
            }
        }
        #expect(throws: JSONError.self) { try JSON(bytes) }
    }

    @Test func anErrorQuotesNothingOfTheDocument() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: "{\"name\":\"Secret\",\"name\":\"Secret\"}") }
        #expect(error.map { "\($0) \($0.message)" }?.contains("Secret") == false)
        #expect(error?.code == "json-duplicate-key")
    }
}
