import Foundation
import JSONQuery
import TestSupport
import Testing

/// For any expression and document an evaluation ends within its limits.
@Suite struct QueryLimitsTests {
    private static func repeated(_ part: String, _ count: Int, joined separator: String = "") -> String {
        Array(repeating: part, count: count).joined(separator: separator)
    }

    /// Returns nested arrays of the given depth.
    private static func nested(_ depth: Int) -> JSON {
        var value = JSON.array([])
        for _ in 0..<depth { value = .array([value]) }
        return value
    }

    @Test func aLongExpressionIsRefused() {
        let name = Self.repeated("a", 10_001)
        #expect(Asked.jmesPath(name) == "expression-too-long")
        #expect(Asked.jsonPath(name, "{}") == "expression-too-long")
        #expect(Asked.jmesPath(Self.repeated("a", 10_000)) == "null")
        var limits = QueryLimits()
        limits.maximumLength = 3
        #expect(Asked.jmesPath("abcd", limits: limits) == "expression-too-long")
    }

    @Test(arguments: ["(", "!", "[", "{a:", "abs(", "a[?", "a.[", "a[*].b[", "`1`<(", "not_null(@,", "&", "[?!", "*."])
    func partsInsideOfEachOtherAreBounded(opening: String) {
        let expression = Self.repeated(opening, 10_000 / opening.utf8.count)
        #expect(["expression-too-deep", "syntax"].contains(Asked.jmesPath(expression)))
        let closing = [
            "(": ")", "!": "", "[": "]", "{a:": "}", "abs(": ")", "a[?": "]", "a.[": "]", "not_null(@,": ")",
            "[?!": "]",
        ]
        if let close = closing[opening] {
            let whole = Self.repeated(opening, 2_000) + "@" + Self.repeated(close, 2_000)
            #expect(["expression-too-deep", "expression-too-long"].contains(Asked.jmesPath(whole)), "\(opening)")
        }
    }

    @Test(arguments: ["[]", "[*]", "[0]", "[?@]", ".*", "[1:]", ".[@]", ".{a:@}", " | [@]", " == @", " | to_array(@)"])
    func sequencesOfPartsAreLimitedOrCheap(part: String) {
        let answer = Asked.jmesPath("@" + Self.repeated(part, 9_900 / part.utf8.count), "[[1]]")
        #expect(answer != "too-many-steps", "\(part)")
        let text = Self.repeated("a", 4_000, joined: ".")
        #expect(Asked.jmesPath(text, #"{"a":{"a":1}}"#) == "null")
        #expect(Asked.jmesPath(Self.repeated("a", 2_000, joined: "||"), #"{"b":1}"#) == "null")
    }

    /// A tenth of the default steps: unoptimised code is slower by an order of magnitude.
    private static let few: QueryLimits = {
        var limits = QueryLimits()
        limits.steps /= 10
        limits.values /= 10
        return limits
    }()

    /// Each level at least doubles the result.
    @Test(arguments: [
        repeated("[@,@]", 60, joined: " | "), repeated("{a:@,b:@}", 60, joined: " | "),
        "`[1,2]` | " + repeated("[@,@][]", 40, joined: " | "),
        repeated("[@,@,@,@]", 30, joined: " | ") + " | to_string(@)",
        "'abcdefgh' | " + repeated("join('', [@,@])", 60, joined: " | "),
        repeated("[@,@]", 40, joined: " | ") + " | [@,@] | [0] == [1]",
        "`[1,2]` | " + repeated("map(&[@,@], @) | []", 40, joined: " | "),
        "map(&map(&map(&map(&map(&map(&@, $), $), $), $), $), $)".replacing("$", with: "`\(Array(0..<200))`"),
        "`\(Array(0..<1000))` | " + repeated("[?contains([@, @, @], @)] | [@, @][]", 30, joined: " | "),
    ])
    func aBombEndsInANamedErrorInBoundedTime(expression: String) {
        let start = ThreadTime.now()
        let answer = Asked.jmesPath(expression, "1", limits: Self.few)
        #expect(["too-many-steps", "result-too-large"].contains(answer), "\(answer.prefix(80))")
        #expect(ThreadTime.now() - start < 20_000_000_000)
    }

    @Test func aPathOfDescentsEndsInANamedErrorInBoundedTime() {
        var document: JSON = ["b": 1]
        for _ in 0..<100 { document = ["a": document, "b": 2] }
        let text = document.text()
        for path in [
            "$" + Self.repeated("..a", 90), "$" + Self.repeated("..*", 60), "$..[?(@..[?(@..[?(@..[?(@..x)])])])]",
            "$" + Self.repeated("..['a','a','a']", 60), "$..[?(@..b == $..c || $..b == $..c || $..a == $..c)]",
        ] {
            let start = ThreadTime.now()
            let answer = Asked.jsonPath(path, text, limits: Self.few)
            #expect(
                ["too-many-steps", "result-too-large", "document-too-deep"].contains(answer),
                "\(path.prefix(40)): \(answer.prefix(80))")
            #expect(ThreadTime.now() - start < 20_000_000_000)
        }
    }

    @Test(arguments: [
        "$" + repeated("[?(@", 2_000), "$" + repeated("[?(@.a", 200) + repeated(")]", 200), "$" + repeated(".a", 4_000),
        "$" + repeated("[0]", 3_000),
        "$[?(" + repeated("@.a && @.b || ", 500) + "@.c)]", "$" + repeated("[?(@.a)]", 1_000),
    ])
    func aPathOfTooManyPartsIsRefused(path: String) {
        #expect(Asked.jsonPath(path, "[]") == "expression-too-deep")
    }

    @Test func configuredLimitsAreApplied() {
        var limits = QueryLimits()
        limits.steps = 100
        #expect(
            Asked.jmesPath("[*].a", "[\(Self.repeated("1", 200, joined: ","))]", limits: limits) == "too-many-steps")
        #expect(
            Asked.jsonPath("$[?(@ == 1)]", "[\(Self.repeated("1", 200, joined: ","))]", limits: limits)
                == "too-many-steps")
        limits = QueryLimits()
        limits.values = 10
        #expect(
            Asked.jsonPath("$[*]", "[\(Self.repeated("1", 11, joined: ","))]", limits: limits) == "result-too-large")
        #expect(Asked.jmesPath("[@,@]", "[1,2,3,4,5]", limits: limits) == "result-too-large")
        limits.maximumDepth = 2
        #expect(Asked.jmesPath("((a))", limits: limits) == "expression-too-deep")
    }

    /// The smallest stack of a thread on Apple's systems; unoptimised code needs several times as much.
    private static let stack: Int = {
        #if DEBUG
            4 * 512 * 1024
        #else
            512 * 1024
        #endif
    }()

    @Test func theDeepestExpressionsOnTheDeepestDocumentsFitASmallStack() {
        let deep = Self.nested(190)
        let deeper = Self.nested(1_000)
        let runs: [@Sendable () -> Void] = [
            { _ = try? JMESPath(Self.repeated("!(", 50) + "@" + Self.repeated(")", 50)).evaluate(on: deep) },
            {
                _ = try? JMESPath("[[*][*][*]] == " + Self.repeated("[", 40) + "@" + Self.repeated("]", 40)).evaluate(
                    on: deep)
            },
            { _ = try? JMESPath("@ == @").evaluate(on: deep) },
            { _ = (try? JMESPath(Self.repeated("[@]", 90, joined: " | ")).evaluate(on: deep))?.text() },
            { _ = try? JMESPath("@" + Self.repeated("[]", 49)).evaluate(on: deep) },
            { _ = try? JMESPath(Self.repeated("(", 5_000)) },
            { _ = try? JSONPath("$..*").evaluate(on: deep) },
            { _ = try? JSONPath("$..[?(@..[?(@..[?(@..x)])])]").evaluate(on: deep) },
            { _ = try? JSONPath("$..[?(@ == 1)]").evaluate(on: deeper) },
            { _ = try? JSONPath("$[?(" + Self.repeated("@.a && @.b || ", 45) + "@.c)]").evaluate(on: deep) },
            { _ = try? JSONPath("$" + Self.repeated("[?(@", 1_000)) },
        ]
        for run in runs {
            let done = DispatchSemaphore(value: 0)
            let thread = Thread {
                run()
                done.signal()
            }
            thread.stackSize = Self.stack
            thread.start()
            done.wait()
        }
    }

    @Test(arguments: [
        "people[?age > `20`].name", "sort_by(people, &age)[*].name", "people[*].{n: name, a: age} | length(@)",
        "people[].tags[]", "contains(keys(@), 'x')",
    ])
    func theCostOfAnExpressionIsLinear(expression: String) throws {
        let compiled = try JMESPath(expression)
        let growth = try Growth.of(from: 100) { size in
            Self.people(min(size, 4_000))
        } _: { document in
            _ = try compiled.evaluate(on: document)
        }
        #expect(growth.factor < 7, "\(growth)")
    }

    @Test(arguments: [
        "$..name", "$..[?(@.age > 20)].name", "$.people[?(@.name =~ /^n.*9$/ && @.tags)]", "$.people[*]..*",
    ])
    func theCostOfAPathIsLinear(path: String) throws {
        let compiled = try JSONPath(path)
        let growth = try Growth.of(from: 100) { size in
            Self.people(min(size, 4_000))
        } _: { document in
            _ = try compiled.evaluate(on: document)
        }
        #expect(growth.factor < 7, "\(growth)")
    }

    private static func people(_ count: Int) -> JSON {
        [
            "people": .array(
                (0..<count).map {
                    ["name": .string("n\($0)"), "age": .number(JSONNumber($0 % 90)), "tags": ["a", "b"]]
                })
        ]
    }
}
