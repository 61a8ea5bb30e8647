import Core
import Foundation
import ResearchResults
import TestSupport
import Testing

/// Conditions on the JSON of results.
@Suite struct ResultConditionTests {
    private func matches(_ condition: String, _ json: String) throws -> Bool {
        try ResultCondition(condition).matches(JSON(parsing: json))
    }

    @Test(arguments: [
        ("a eq 1", #"{"a":1.0}"#, true), ("a eq 1e0", #"{"a":10e-1}"#, true), ("a eq 1", #"{"a":"1"}"#, false),
        ("a lt 0.3", #"{"a":0.1}"#, true), ("a gt 9007199254740992", #"{"a":9007199254740993}"#, true),
        ("a eq 0.1", #"{"a":0.1000000000000000000000000000000000000000000001}"#, false),
        ("a le -0", #"{"a":0.0}"#, true), ("a gt 1e400", #"{"a":1e401}"#, true), ("a ge 2", #"{"a":1}"#, false),
        ("a eq true", #"{"a":true}"#, true), ("a ne true", #"{"a":false}"#, true), ("a eq null", #"{"a":null}"#, true),
        ("a eq null", "{}", false), ("a.b.c eq 1", #"{"a":{"b":{"c":1}}}"#, true),
        // The path passes through arrays, also nested ones; one value is sufficient.
        ("a.b eq 2", #"{"a":[{"b":1},[{"b":[3,[2]]}]]}"#, true), ("a eq 2", #"{"a":[1,[2]]}"#, true),
        ("a eq 2", "[[{\"a\":2}]]", true), ("a.b eq 2", #"{"a":[2]}"#, false),
        // A name of digits is a name.
        ("a.0 eq 1", #"{"a":[1]}"#, false), ("a.0 eq 1", #"{"a":{"0":1}}"#, true),
        // One value that differs is sufficient; values of another type neither equal nor differ.
        ("a ne 1", #"{"a":[1,2]}"#, true), ("a ne 1", #"{"a":[1,1.0]}"#, false),
        ("a ne 1", #"{"a":["x",null]}"#, false),
        ("a ne null", #"{"a":1}"#, false), ("a ne 1", "{}", false), ("a lt 1", #"{"a":"0"}"#, false),
        // Texts are compared by their code points.
        (#"a lt "b""#, #"{"a":"a"}"#, true), (#"a lt "Z""#, #"{"a":"a"}"#, false), (#"a gt "é""#, #"{"a":"z"}"#, false),
        (#"a eq "\u00e9""#, #"{"a":"e\u0301"}"#, false), (#"a gt "\uFFFF""#, #"{"a":"\uD83D\uDE00"}"#, true),
        (#"a eq "x  y""#, #"{"a":"x  y"}"#, true), (#"a ge "x""#, #"{"a":"x"}"#, true),
        // Arrays and objects.
        ("a eq [1,2]", #"{"a":[1.0,2]}"#, true), ("a eq [2]", #"{"a":[1,[2]]}"#, true),
        ("a eq [2,1]", #"{"a":[1,2]}"#, false), (#"a eq {"x":1,"y":2}"#, #"{"a":{"y":2,"x":1.0}}"#, true),
        (#"a ne {"x":1}"#, #"{"a":{"x":1,"y":2}}"#, true), ("a eq {}", #"{"a":{"x":1}}"#, false),
    ])
    func aConditionMatchesByValue(condition: String, json: String, isMatch: Bool) throws {
        #expect(try matches(condition, json) == isMatch)
    }

    @Test(arguments: [
        ("", "where-malformed"), ("a", "where-malformed"), ("a eq", "where-malformed"),
        ("a  eq  ", "where-value-invalid"),
        ("a = 1", "where-operator-unknown"), ("a EQ 1", "where-operator-unknown"), ("a eq x", "where-value-invalid"),
        ("a eq 1 1", "where-value-invalid"), ("a eq 01", "where-value-invalid"), ("a eq [1,]", "where-value-invalid"),
        ("a lt true", "where-value-invalid"), ("a ge null", "where-value-invalid"), ("a gt [1]", "where-value-invalid"),
        (".a eq 1", "where-path-invalid"), ("a..b eq 1", "where-path-invalid"), ("a. eq 1", "where-path-invalid"),
        (". eq 1", "where-path-invalid"), ("a\teq\t1", "where-malformed"),
    ])
    func aBadConditionIsACodedError(condition: String, expected: String) {
        #expect(code { _ = try ResultCondition(condition) } == expected)
    }

    @Test func aConditionIsBounded() {
        let names = Array(repeating: "a", count: 33).joined(separator: ".")
        #expect(code { _ = try ResultCondition("\(names) eq 1") } == "where-path-invalid")
        #expect(
            code { _ = try ResultCondition("a eq \"" + String(repeating: "x", count: 2_000) + "\"") }
                == "where-too-long")
        #expect(code { _ = try ResultCondition(String(repeating: "a.", count: 25_000_000)) } == "where-too-long")
        let nested = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        #expect(code { _ = try ResultCondition("a eq \(nested)") } == "where-value-invalid")
        #expect(code { _ = try ResultCondition(path: [], comparison: .equal, value: 1) } == "where-path-invalid")
    }

    @Test func aValueWithManyMembersIsComparedInLinearTime() throws {
        let members = (0..<120).map { "\"m\($0)\":\($0)" }
        let reversed = "{" + members.reversed().joined(separator: ",") + "}"
        #expect(try matches("a eq {\(members.joined(separator: ","))}", "{\"a\":[\(reversed),\(reversed)]}"))
    }

    // MARK: - Comparison with another implementation

    @Test func conditionsMatchABruteForceSearchOnRandomJSON() throws {
        var random = Seeded.fresh()
        var (found, lost) = (0, 0)
        for _ in 0..<20_000 {
            let json = BruteForce.object(&random)
            let value = BruteForce.json(depth: Int.random(in: 0...1, using: &random), &random)
            let path = (0..<Int.random(in: 1...3, using: &random)).map { _ in BruteForce.name(&random) }
            let isOrdered = value.number != nil || value.string != nil
            let comparison =
                ResultCondition.Comparison.allCases[Int.random(in: 0..<(isOrdered ? 6 : 2), using: &random)]
            let condition = try ResultCondition(
                "\(path.joined(separator: ".")) \(comparison.rawValue) \(value.text())")
            let expected = BruteForce.values(of: json, at: path).contains {
                BruteForce.isMatch($0, by: comparison.rawValue, to: value)
            }
            #expect(
                condition.matches(json) == expected, "seed \(random.seed): \(condition.text) on \(json.text())")
            if expected { found += 1 } else { lost += 1 }
        }
        #expect(found > 300 && lost > 300)
    }
}

/// The meaning of a condition, written by recursion and with Foundation's decimals.
private enum BruteForce {
    static func name(_ random: inout Seeded) -> String { ["a", "b", "c"].randomElement(using: &random) ?? "a" }

    /// An object with all of the names.
    static func object(_ random: inout Seeded) -> JSON {
        ["a": json(depth: 3, &random), "b": json(depth: 3, &random), "c": json(depth: 3, &random)]
    }

    static func json(depth: Int, _ random: inout Seeded) -> JSON {
        let kind = Int.random(in: 0...(depth > 0 ? 9 : 4), using: &random)
        switch kind {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2, 3:
            let text = ["0", "-0.0", "1", "1.0", "10e-1", "1.5", "-2", "150e-2", "2", "1e1"]
            return .number(JSONNumber(text: text.randomElement(using: &random) ?? "0") ?? 0)
        case 4: return .string(["", "a", "b", "é", "e\u{301}", "Z"].randomElement(using: &random) ?? "")
        case 5, 6:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in json(depth: depth - 1, &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                object[name(&random)] = json(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    /// The values of a path: those that it reaches, and the elements of arrays at its end.
    static func values(of json: JSON, at path: [String]) -> [JSON] {
        let elements = (json.array ?? []).flatMap { values(of: $0, at: path) }
        guard let name = path.first else { return [json] + elements }
        return elements + (json[name].map { values(of: $0, at: Array(path.dropFirst())) } ?? [])
    }

    static func isMatch(_ candidate: JSON, by operation: String, to value: JSON) -> Bool {
        switch (candidate, value) {
        case (.number(let one), .number(let another)):
            guard let one = one.decimal, let another = another.decimal else { return false }
            return holds(operation, isLess: one < another, isEqual: one == another)
        case (.string(let one), .string(let another)):
            let (left, right) = (one.unicodeScalars.map(\.value), another.unicodeScalars.map(\.value))
            return holds(operation, isLess: left.lexicographicallyPrecedes(right), isEqual: left == right)
        case (.null, .null): return operation == "eq"
        case (.bool(let one), .bool(let another)): return (one == another) == (operation == "eq")
        case (.array, .array), (.object, .object): return isEqual(candidate, to: value) == (operation == "eq")
        default: return false
        }
    }

    private static func holds(_ operation: String, isLess: Bool, isEqual: Bool) -> Bool {
        switch operation {
        case "eq": isEqual
        case "ne": !isEqual
        case "lt": isLess
        case "le": isLess || isEqual
        case "gt": !isLess && !isEqual
        default: !isLess
        }
    }

    private static func isEqual(_ one: JSON, to another: JSON) -> Bool {
        if let one = one.array, let another = another.array {
            return one.count == another.count && zip(one, another).allSatisfy { isEqual($0, to: $1) }
        }
        if let one = one.object, let another = another.object {
            return Set(one.keys) == Set(another.keys)
                && one.members.allSatisfy { isEqual($0.value, to: another[$0.key] ?? .null) }
        }
        return isMatch(one, by: "eq", to: another)
    }
}
