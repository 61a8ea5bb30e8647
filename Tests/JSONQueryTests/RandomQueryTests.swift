import Foundation
import JSONQuery
import TestSupport
import Testing

/// Random texts are read or refused, and an evaluation ends.
@Suite struct RandomQueryTests {
    private static let seed = Seeded.newSeed()

    private static let limits: QueryLimits = {
        var limits = QueryLimits()
        limits.steps = 20_000
        limits.values = 5_000
        return limits
    }()

    private static let document: JSON = Asked.json(
        """
        {"a":{"b":[1,2.50,"3",null,true,{"a":[[],[1]]}],"c":"text"},"b":[{"a":1},{"a":"1"},{"b":{"a":-1e3}}],"c":null,"é":""}
        """)

    private static let jmesPathWords =
        [
            "a", "b", "c", "\"é\"", "@", "*", ".", ".", "[", "]", "[]", "[?", "[*]", "[0]", "[-1]", "[::-1]", "[1:",
            ":", "{", "}", "(", ")", ",",
            "|", "||", "&&", "&", "!", "==", "!=", "<", "<=", ">", ">=", "`1`", "`[1,2]`", "`{\"a\":1}`", "'a'", "'",
            "`", "\"", "\\", " ", "1", "-",
            "\u{0}", "\u{1F525}",
        ] + JMESPathNames.functions.map { $0 + "(" }

    private static let jsonPathWords = [
        "$", "@", "a", "b", "c", "é", ".", ".", "..", "*", "[", "]", "[*]", "[0]", "[-1:]", "[::-1]", "[0,1]", "['a']",
        "['a','b']", "[?(", ")]", "(",
        ")", "@.a", "@a", "$.b", "==", "===", "!=", "!==", "<>", "<", "<=", ">", ">=", "=~", "&&", "||", "&", "|", "1",
        "2.5", "-1e3", "'1'", "'a'",
        "true", "false", "null", "/a+/", "/(a|b)*$/i", "/", "'", "\\", ",", ":", " ", "-", "?", "\u{0}", "\u{1F525}",
    ]

    private func text(of words: [String], _ source: inout Seeded) -> String {
        (0..<Int.random(in: 1...14, using: &source)).map { _ in words.randomElement(using: &source) ?? "" }.joined()
    }

    @Test func textsOfWordsOfJMESPathEndInAValueOrAnError() {
        var source = Seeded(Self.seed)
        var read = 0
        for _ in 0..<20_000 {
            let text = text(of: Self.jmesPathWords, &source)
            guard let expression = try? JMESPath(text, limits: Self.limits) else { continue }
            read += 1
            _ = try? expression.evaluate(on: Self.document)
        }
        #expect(read > 100, "seed \(Self.seed)")
    }

    @Test func textsOfWordsOfJSONPathEndInValuesOrAnError() {
        var source = Seeded(Self.seed ^ 1)
        var read = 0
        for _ in 0..<20_000 {
            let text = text(of: Self.jsonPathWords, &source)
            guard let path = try? JSONPath(text, limits: Self.limits) else { continue }
            read += 1
            _ = try? path.evaluate(on: Self.document)
        }
        #expect(read > 100, "seed \(Self.seed)")
    }

    @Test func changedExpressionsAreReadOrRefused() {
        var source = Seeded(Self.seed ^ 2)
        let expressions = [
            "b[?a == `1` && contains(keys(@), 'a')].{x: a, y: [a, @]} | sort_by(@, &to_string(x))[::-1]",
            "a.b[*].a[][] | sum(@)",
            "$..[?(@.a >= 1 && @['b'] != null || @.c =~ /^t(e|x)*t$/i)]..a[0,1]", "$.a.b[-3::2]['a','b']..*",
        ]
        for _ in 0..<20_000 {
            var bytes = Array((expressions.randomElement(using: &source) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &source) {
                let index = Int.random(in: 0..<max(bytes.count, 1), using: &source)
                switch Int.random(in: 0..<3, using: &source) {
                case 0 where !bytes.isEmpty: bytes.remove(at: index)
                case 1 where !bytes.isEmpty: bytes[index] = UInt8.random(in: 0...255, using: &source)
                default: bytes.insert(UInt8.random(in: 0...127, using: &source), at: min(index, bytes.count))
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? JMESPath(text, limits: Self.limits).evaluate(on: Self.document)
            _ = try? JSONPath(text, limits: Self.limits).evaluate(on: Self.document)
        }
    }

    @Test func randomBytesAreReadOrRefused() {
        var source = Seeded(Self.seed ^ 3)
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...40, using: &source)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &source) }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? JMESPath(text, limits: Self.limits).evaluate(on: Self.document)
            _ = try? JSONPath(text, limits: Self.limits).evaluate(on: Self.document)
        }
    }

    /// Sorting and comparing numbers of any size agree with each other.
    @Test func numbersHaveOneOrder() throws {
        var source = Seeded(Self.seed ^ 4)
        let sorted = try JMESPath("sort(@)")
        for _ in 0..<300 {
            let numbers = (0..<8).map { _ -> JSON in
                let digits = String(Int.random(in: 0...2_000, using: &source))
                let point = Bool.random(using: &source) ? ".\(Int.random(in: 0...99, using: &source))" : ""
                let exponent = Bool.random(using: &source) ? "e\(Int.random(in: -3...3, using: &source))" : ""
                let sign = Bool.random(using: &source) ? "-" : ""
                return JSONNumber(text: sign + digits + point + exponent).map { .number($0) } ?? .null
            }
            let found = try sorted.evaluate(on: .array(numbers)).array ?? []
            #expect(found.count == numbers.count)
            for (first, second) in zip(found, found.dropFirst()) {
                let (low, high) = (first.number?.double ?? .nan, second.number?.double ?? .nan)
                #expect(low <= high, "seed \(Self.seed)")
                #expect(
                    try JMESPath("[0] == [1]").evaluate(on: [first, second]) == .bool(low == high), "seed \(Self.seed)")
            }
        }
    }
}

/// The names of the functions in the specification and the connector.
enum JMESPathNames {
    static let functions = [
        "abs", "avg", "ceil", "contains", "ends_with", "floor", "join", "keys", "length", "map", "max", "max_by",
        "merge", "min", "min_by", "not_null",
        "reverse", "sort", "sort_by", "starts_with", "sum", "to_array", "to_number", "to_string", "type", "values",
        "add", "subtract", "multiply",
        "divide", "pow", "insertString", "fromUnixTimestamp", "fromUnixTimestampMs",
    ]
}
