import Core
import Foundation
import TestSupport
import Testing

/// Random values and random damage.
@Suite struct JSONPropertyTests {
    @Test func aRandomValueSurvivesWritingAndReading() throws {
        var random = Seeded.fresh("random JSON")
        for _ in 0..<400 {
            let value = RandomJSON.value(depth: 5, using: &random)
            for layout in [JSON.Layout.compact, .pretty] {
                let bytes = value.bytes(layout)
                let read = try JSON(bytes)
                #expect(read == value, "seed \(random.seed)")
                #expect(read.bytes(layout) == bytes, "seed \(random.seed)")
            }
        }
    }

    @Test func foundationReadsTheSameValues() throws {
        var random = Seeded.fresh("random JSON for Foundation")
        for _ in 0..<200 {
            let value = JSON.array([RandomJSON.value(depth: 4, using: &random, numbers: false)])
            let theirs = try JSONSerialization.jsonObject(with: value.data())
            #expect(RandomJSON.isAlike(value, theirs), "seed \(random.seed)")
        }
    }

    @Test func damagedTextIsReadOrRefusedAndNeverBreaksAnything() {
        var random = Seeded.fresh("damaged JSON")
        let interesting = Array("{}[]\",:\\u0d8fe+-.1tfn \n/".utf8) + [0, 0x1F, 0x80, 0xC3, 0xED, 0xFF]
        for _ in 0..<4000 {
            var bytes = RandomJSON.value(depth: 4, using: &random).bytes(
                Bool.random(using: &random) ? .compact : .pretty)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = interesting.randomElement(using: &random) ?? 0
                case 1: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: index)
                case 2: bytes.remove(at: index)
                default: bytes.removeSubrange(index...)
                }
            }
            let lenient = Bool.random(using: &random)
            do {
                let value = try JSON(bytes, lenient: lenient)
                // A value that was read must survive writing.
                #expect((try? JSON(value.bytes())) == value, "seed \(random.seed)")
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(random.seed)")
                let before = bytes[..<error.offset]
                #expect(error.line == 1 + before.count { $0 == 0x0A }, "seed \(random.seed)")
                let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                #expect(error.column == error.offset - start + 1, "seed \(random.seed)")
            }
        }
    }

    @Test func everyBeginningOfATextIsRefused() throws {
        let text = Array(#"{"a":[1.5e-3,"b\u00e9\n",null,true,{"c":{}}],"é😀":[false]}"#.utf8)
        _ = try JSON(text)
        for length in 0..<text.count {
            let error = #expect(throws: JSONError.self) { try JSON(text[..<length]) }
            #expect(error?.reason == .unexpectedEnd || error?.reason == .invalidUTF8 || error?.reason == .invalidNumber)
        }
    }
}

enum RandomJSON {
    static func value(depth: Int, using random: inout Seeded, numbers: Bool = true) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2 where numbers: return .number(number(using: &random))
        case 2, 3, 4: return .string(string(using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                    value(depth: depth - 1, using: &random, numbers: numbers)
                })
        default:
            var object = JSONObject()
            let limit = Int.random(in: 0..<20, using: &random) == 0 ? 40 : 8
            for _ in 0..<Int.random(in: 0..<limit, using: &random) {
                object[string(using: &random)] = value(depth: depth - 1, using: &random, numbers: numbers)
            }
            return .object(object)
        }
    }

    static func number(using random: inout Seeded) -> JSONNumber {
        func digits(_ range: ClosedRange<Int>) -> String {
            (0..<Int.random(in: range, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random)) }
                .joined()
        }
        var text = Bool.random(using: &random) ? "-" : ""
        text += Bool.random(using: &random) ? "0" : String(Int.random(in: 1...9, using: &random)) + digits(0...30)
        if Bool.random(using: &random) { text += "." + digits(1...30) }
        if Bool.random(using: &random) {
            text += (["e", "E"].randomElement(using: &random) ?? "e")
            text += (["", "+", "-"].randomElement(using: &random) ?? "") + digits(1...3)
        }
        return JSONNumber(text: text) ?? JSONNumber(0)
    }

    static func string(using random: inout Seeded) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x61...0x7A, 0x61...0x7A, 0x61...0x7A, 0...0x7F, 0xA0...0x17F, 0x4E00...0x4FFF, 0x1F600...0x1F64F,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<24, using: &random) {
            let code = UInt32.random(in: ranges.randomElement(using: &random) ?? 0...0, using: &random)
            if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    /// Whether Foundation's value is the same (without order, which it does not keep).
    static func isAlike(_ ours: JSON, _ theirs: Any) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .bool(let value): return (theirs as? Bool) == value
        case .number(let value): return (theirs as? NSNumber)?.doubleValue == value.double
        case .string(let value): return (theirs as? String).map { $0.utf8.elementsEqual(value.utf8) } ?? false
        case .array(let elements):
            guard let other = theirs as? [Any], other.count == elements.count else { return false }
            return zip(elements, other).allSatisfy(isAlike)
        case .object(let object):
            guard let other = theirs as? [String: Any], other.count == object.count else { return false }
            return object.members.allSatisfy { member in
                other[member.key].map { isAlike(member.value, $0) } ?? false
            }
        }
    }
}
