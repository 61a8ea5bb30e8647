import FHIR
import FHIRPath
import TestSupport
import Testing

/// Random texts are read or refused, and their evaluation ends.
@Suite struct RandomExpressionTests {
    private static let seed = Seeded.newSeed()

    private static let words = [
        "Patient", "name", "given", "family", "use", "birthDate", "extension", "value", "%resource", "%context",
        "$this",
        "$index", "$total", ".", ".", ".", "(", ")", "[", "]", "{}", "+", "-", "*", "/", "div", "mod", "&", "|", "=",
        "~",
        "!=", "!~", "<", ">", "<=", ">=", "and", "or", "xor", "implies", "in", "contains", "is", "as", "string",
        "Patient",
        "1", "0", "2.50", "-3", "'a'", "''", "'ab c'", "true", "false", "@2020", "@2020-02-29", "@T10:30",
        "@2020-01-01T10:00Z",
        "1 day", "3 'mg'", "1 year", "2 months", ",", "where(", "select(", "exists(", "first()", "last()", "count()",
        "repeat(",
        "iif(", "all(", "aggregate(", "sort(", "substring(", "matches(", "replace(", "toString()", "toQuantity()",
        "children()",
        "descendants()", "ofType(", "lowBoundary(", "highBoundary()", "precision()", "power(", "round(", "distinct()",
        "not()",
        "combine(", "union(", "trace('x')", "resolve()", "type()", "sum()", "min()", "abs()", "sqrt()", "join(','",
        "split(",
        "9999999999", "9223372036854775807L", "99999999999999999999999999999999999999", "\u{0}", "é", "\u{1F525}", "`",
        "'",
        "//", "/*", "\n", "duration(", "difference(", "'year'", "escape('html')", "encode('base64')",
        "defineVariable('v')",
    ]

    @Test func textsOfWordsThatMeanSomethingEndInAValueOrAnError() {
        var source = Seeded(RandomExpressionTests.seed)
        var context = FHIRPathContext()
        context.resource = Evaluation.patient
        context.limits.steps = 20_000
        context.limits.items = 5000
        context.limits.characters = 20_000
        var read = 0
        for _ in 0..<4000 {
            var parts: [String] = []
            var open = 0
            for _ in 0..<Int.random(in: 1...14, using: &source) {
                let word = RandomExpressionTests.words.randomElement(using: &source) ?? "1"
                if word.hasSuffix("(") { open += 1 }
                if word == ")" { open -= 1 }
                parts.append(word)
            }
            let space = Bool.random(using: &source) ? " " : ""
            let text = parts.joined(separator: space) + String(repeating: ")", count: max(0, open))
            guard let expression = try? FHIRPathExpression(text) else { continue }
            read += 1
            _ = try? expression.check(on: "Patient")
            _ = try? expression.evaluate(Evaluation.patient, in: context)
        }
        #expect(read > 20, "seed \(RandomExpressionTests.seed)")
    }

    @Test func randomBytesAreReadOrRefused() {
        var source = Seeded(RandomExpressionTests.seed ^ 0xFF)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...40, using: &source)).map { _ in
                UInt8.random(in: 0...255, using: &source)
            }
            _ = try? FHIRPathExpression(String(decoding: bytes, as: UTF8.self))
        }
    }
}
