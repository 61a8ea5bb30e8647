import Core
import Testing

/// Values that are read are written unchanged.
@Suite struct JSONReadingTests {
    /// Reads a text and writes it again.
    func again(_ text: String, lenient: Bool = false) throws -> String {
        try JSON(parsing: text, lenient: lenient).text()
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "\"\"", "[]", "{}", "[null,true,false,[],{}]",
        #"{"b":1,"a":2,"_a":{"id":"x"},"unheardOf":{"deep":[{"z":null}]}}"#,
        #"{"given":["A",null],"_given":[null,{"extension":[{"url":"u","valueCode":"c"}]}]}"#,
    ])
    func valuesAreWrittenAsTheyWereRead(text: String) throws {
        #expect(try again(text) == text)
    }

    @Test(arguments: [
        "1.00", "1.0", "1", "-1.50", "0.0", "-0.0", "1e5", "1E+5", "1.10e-07", "0.1000000000000000055511151231257827",
        "123456789012345678901234567890.123456789012345678901234567890", "9223372036854775808", "-9223372036854775809",
        "1e999999999",
    ])
    func aNumberKeepsItsDigits(text: String) throws {
        #expect(try again(text) == text)
        #expect(try again("[\(text),{\"a\":\(text)}]") == "[\(text),{\"a\":\(text)}]")
        #expect(try JSON(parsing: " \(text) ").number?.text == text)
        #expect(JSONNumber(text: text)?.text == text)
    }

    @Test func numbersThatAreWrittenDifferentlyDiffer() throws {
        #expect(try JSON(parsing: "1.0") != JSON(parsing: "1.00"))
        #expect(try JSON(parsing: "1.0") == JSON(parsing: " 1.0\n"))
    }

    @Test func numbersHaveTheirValues() throws {
        #expect(try JSON(parsing: "9223372036854775807").integer == Int.max)
        #expect(try JSON(parsing: "9223372036854775808").integer == nil)
        #expect(try JSON(parsing: "1.0").integer == nil)
        #expect(try JSON(parsing: "1e400").number?.double == .infinity)
        #expect(JSONNumber(text: "0.10")?.decimal?.description == "0.1")
        #expect(JSONNumber(text: String(repeating: "9", count: 39))?.decimal == nil)
        #expect(JSONNumber(text: "-12.5e1")?.double == -125)
    }

    @Test func spaceBetweenValuesIsDropped() throws {
        #expect(try again(" \t\r\n{ \"a\" :\t[ 1 ,\n2 ] , \"b\":{ } }\r\n ") == #"{"a":[1,2],"b":{}}"#)
    }

    @Test func escapesBecomeTheirCharacters() throws {
        let value = try JSON(parsing: #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00\u0000""#)
        #expect(value.string == "\"\\/\u{8}\u{C}\n\r\tAé€😀\0")
    }

    @Test func controlCharactersAreWrittenEscaped() throws {
        let value = JSON.string("\"\\/\u{8}\u{C}\n\r\t\u{1F}\u{7F}é😀\0")
        #expect(value.text() == "\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u001f\u{7F}é😀\\u0000\"")
        #expect(try JSON(parsing: value.text()) == value)
    }

    /// Strings of all lengths around the width of a machine word, with one special character at every index.
    @Test func specialCharacterIsFoundAtEveryIndex() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(try JSON(parsing: "\"\(plain)\"").string == plain)
            for index in 0..<max(length, 1) where length > 0 {
                for special in ["\"", "\\", "\n", "é", "\u{1F}", "\u{7F}", "😀"] {
                    var characters = Array(repeating: "x", count: length)
                    characters[index] = special
                    let text = characters.joined()
                    let written = JSON.string(text).text()
                    #expect(try JSON(parsing: written).string == text)
                    #expect(try JSON(parsing: "[\(written),\(written)]") == .array([.string(text), .string(text)]))
                }
                var raw = Array("\"\(plain)\"".utf8)
                raw[1 + index] = 0x1F
                let error = #expect(throws: JSONError.self) { try JSON(raw) }
                #expect(error?.reason == .invalidString)
                #expect(error?.offset == 1 + index)
            }
        }
    }

    @Test func aByteOrderMarkIsDropped() throws {
        #expect(try JSON([0xEF, 0xBB, 0xBF] + Array("[1]".utf8)).text() == "[1]")
        // In the middle, or a second time, it is not a byte order mark.
        #expect(throws: JSONError.self) { try JSON([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) }
        #expect(throws: JSONError.self) { try JSON(Array("[1]".utf8) + [0xEF, 0xBB, 0xBF]) }
        #expect(try JSON(Array("\"\u{FEFF}\"".utf8)).string == "\u{FEFF}")
    }

    @Test func bytesInPiecesAreReadLikeBytesInOne() throws {
        let text = #"{"a":[1.50,"x"]}"#
        #expect(try JSON(Array(text.utf8).lazy.map { $0 }).text() == text)
        #expect(try JSON(Array(text.utf8)[...]).text() == text)
    }

    @Test func theDeepestAllowedNestingIsReadAndOneMoreIsNot() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try again(nested(192)) == nested(192))
        let error = #expect(throws: JSONError.self) { try again(nested(193)) }
        #expect(error?.reason == .tooDeep)
        // The depth counts the open brackets, not all opened ones.
        #expect(try again("[" + Array(repeating: nested(191), count: 5).joined(separator: ",") + "]").count > 1000)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
    func aBombOfBracketsIsRefused(opening: String) {
        let error = #expect(throws: JSONError.self) {
            try JSON(parsing: String(repeating: opening, count: 100_000), lenient: true)
        }
        #expect(error?.reason == .tooDeep)
    }

    @Test func aNumberOfAMegabyteIsKept() throws {
        let digits = "1." + String(repeating: "7", count: 1_000_000) + "e5"
        let value = try JSON(parsing: digits)
        #expect(value.number?.text == digits)
        #expect(value.number?.decimal == nil)
        #expect(value.number?.integer == nil)
    }

    @Test func aLongStringIsKept() throws {
        let text = String(repeating: "a\"é\\\u{1}", count: 200_000)
        #expect(try JSON(parsing: JSON.string(text).text()).string == text)
    }

    @Test func theMembersOfALargeObjectKeepTheirOrder() throws {
        let keys = (0..<5000).map { "key\($0 &* 7919 % 5000)" }
        let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let value = try JSON(parsing: text)
        #expect(value.object?.keys == keys)
        #expect(value.text() == text)
    }

    @Test func prettyTextHasTheSameValue() throws {
        let value = try JSON(parsing: #"{"a":[1.0,{"b":[]},{}],"c":"d"}"#)
        let pretty = """
            {
              "a": [
                1.0,
                {
                  "b": []
                },
                {}
              ],
              "c": "d"
            }
            """
        #expect(value.text(.pretty) == pretty)
        #expect(try JSON(parsing: pretty) == value)
    }
}
