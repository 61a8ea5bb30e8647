import Foundation
import Testing

@testable import FHIR

@Suite struct JSONTests {
    @Test(arguments: [
        #"{"b":1,"a":2,"_birthDate":{"extension":[]},"unknown":{"x":null}}"#,
        "[1.00,1.10,-0,0.0,1E5,1e-05,12345678901234567890.123]",
        #"["\"\\\/\b\f\n\r\t","é","\u00e9","😀","\ud83d\ude00"]"#, "true", "null", "\"\"", "[]", "{}", "[[],{}]",
    ])
    func whatIsReadIsWrittenAgain(text: String) throws {
        let value = try JSON(parsing: text)
        #expect(try JSON(parsing: value.text()) == value)
        #expect(try JSON(parsing: value.text(.pretty)) == value)
    }

    @Test func orderUnknownMembersAndDigitsSurvive() throws {
        let text = #"{"z":1.00,"a":[1.10,0.50],"_z":{"id":"x"},"m":1e2}"#
        #expect(try JSON(parsing: text).text() == text)
    }

    @Test func aByteOrderMarkIsDropped() throws {
        #expect(try JSON([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == .object(JSONObject()))
    }

    @Test(arguments: [
        ("[1,]", JSONError.Code.trailingComma, 1, 3), ("{\"a\":1,}", .trailingComma, 1, 7),
        ("{\"a\":1,\n\"a\":2}", .duplicateKey, 2, 1), ("{} x", .textAfterEnd, 1, 4),
        ("[1 2]", .unexpectedCharacter, 1, 4),
        ("", .unexpectedEnd, 1, 1), ("[", .unexpectedEnd, 1, 2), ("{\"a\"", .unexpectedEnd, 1, 5),
        ("[01]", .invalidNumber, 1, 2), ("[1.]", .invalidNumber, 1, 2), ("[+1]", .unexpectedCharacter, 1, 2),
        ("[.5]", .unexpectedCharacter, 1, 2), ("[-]", .invalidNumber, 1, 2), ("[1e]", .invalidNumber, 1, 2),
        ("[NaN]", .unexpectedCharacter, 1, 2), ("[\"\n\"]", .invalidString, 1, 3), ("[\"\\x\"]", .invalidString, 1, 4),
        ("[\"\\ud800\"]", .invalidString, 1, 5), ("[\"\\udc00\"]", .invalidString, 1, 5),
        ("[\"\\ud800\\u0041\"]", .invalidString, 1, 5), ("nul", .unexpectedEnd, 1, 4),
        ("[tru]", .unexpectedCharacter, 1, 5),
        ("{a:1}", .unexpectedCharacter, 1, 2), ("\n\n [1,\n ,]", .unexpectedCharacter, 4, 2),
    ])
    func whatIsNoJSONIsRefusedWithItsPlace(text: String, code: JSONError.Code, line: Int, column: Int) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.line == line)
        #expect(error?.column == column, "\(text)")
    }

    @Test func aTrailingCommaIsReadLeniently() throws {
        #expect(try JSON(parsing: "{\"a\":[1,],}", lenient: true).text() == "{\"a\":[1]}")
        #expect(throws: JSONError.self) { try JSON(parsing: "[,]", lenient: true) }
        #expect(throws: JSONError.self) { try JSON(parsing: "[1,,]", lenient: true) }
    }

    @Test func aRepeatedNameIsSeenInALargeObjectToo() {
        let members = (0..<40).map { "\"k\($0)\":\($0)" } + ["\"k7\":0"]
        let error = #expect(throws: JSONError.self) { try JSON(parsing: "{" + members.joined(separator: ",") + "}") }
        #expect(error?.code == .duplicateKey)
    }

    @Test func invalidUTF8IsRefused() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
        ] {
            let error = #expect(throws: JSONError.self) { try JSON(bytes) }
            #expect(error?.code == .invalidUTF8)
        }
    }

    @Test func nestingIsBounded() {
        for text in [String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000)] {
            let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
            #expect(error?.code == .tooDeep)
        }
    }

    @Test func aNumberOfAMegabyteIsKeptAsItIs() throws {
        let digits = String(repeating: "7", count: 1 << 20)
        let value = try JSON(parsing: "[\(digits)]")
        #expect(value[0]?.number?.text == digits)
        #expect(value[0]?.integer == nil)
        #expect(value[0]?.number?.decimal == nil)
    }

    @Test func settingAMemberKeepsItsPlace() throws {
        var value = try JSON(parsing: #"{"a":1,"b":2,"c":3}"#)
        value["b"] = "x"
        value["d"] = true
        value["a"] = nil
        #expect(value.text() == #"{"b":"x","c":3,"d":true}"#)
    }

    @Test func randomValuesSurvive() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed)
        for _ in 0..<300 {
            let value = randomJSON(depth: 4, &generator)
            #expect(try JSON(value.bytes()) == value)
            #expect(try JSON(value.bytes(.pretty)) == value)
        }
    }

    @Test func mutatedTextsNeverCrash() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed)
        for _ in 0..<2000 {
            var bytes = randomJSON(depth: 3, &generator).bytes()
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
                }
            }
            if let value = try? JSON(bytes) { #expect(try JSON(value.bytes()) == value) }
        }
    }

    private func randomJSON(depth: Int, _ generator: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .number(JSONNumber(Int.random(in: -1000...1000, using: &generator)))
        case 3:
            let digits = "\(Int.random(in: 0...99, using: &generator)).\(Int.random(in: 0...9, using: &generator))0"
            return .number(JSONNumber(text: digits) ?? JSONNumber(0))
        case 4: return .string(randomText(&generator))
        case 5:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in randomJSON(depth: depth - 1, &generator) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                object[randomText(&generator)] = randomJSON(depth: depth - 1, &generator)
            }
            return .object(object)
        }
    }

    private func randomText(_ generator: inout SeededGenerator) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "\u{301}", "😀", "/", "\u{7F}", "\u{2028}",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...9, using: &generator) {
            text.unicodeScalars.append(scalars.randomElement(using: &generator) ?? "a")
        }
        return text
    }
}

/// A generator that a printed seed brings back (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
