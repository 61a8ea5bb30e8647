import FHIR
import FHIRPath
import TestSupport
import Testing

/// Expressions that are invalid or exceed the limits end soon with an error of their kind.
@Suite struct RefusalTests {
    @Test(arguments: [
        ("Patient.", 1, 9), ("(1", 1, 3), ("'abc", 1, 1), ("1 2", 1, 3), ("name..given", 1, 6), ("a\n  .b c", 2, 6),
        ("/* open", 1, 1), ("`open", 1, 1), ("%", 1, 1), ("$that", 1, 1), ("'\\q'", 1, 2), ("'\\u00g0'", 1, 2),
        ("'\\ud83d'", 1, 2), ("@2015-13", 1, 1), ("@2015-02-30", 1, 1), ("#", 1, 1), ("", 1, 1), ("a and", 1, 6),
        ("{", 1, 2), ("name[0", 1, 7), ("99999999999999999999999999999999999999999", 1, 1),
    ])
    func invalidExpressionIsRefusedWithItsPosition(text: String, line: Int, column: Int) {
        let error = #expect(throws: FHIRPathError.self) { try FHIRPathExpression(text) }
        #expect(error?.kind == .syntax)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test func unknownFunctionsAndWrongNumbersOfArgumentsAreRefusedByTheParser() {
        for text in ["name.foo()", "name.count(1)", "name.where()", "substring()", "iif(true)"] {
            let error = #expect(throws: FHIRPathError.self) { try FHIRPathExpression(text) }
            #expect(error?.kind == .semantic, "\(text)")
            #expect(error?.line == 1, "\(text)")
        }
    }

    @Test(arguments: ["name.foo", "Observation.status", "name.given1", "valueQuantity", "name.where(famly = 'x')"])
    func namesThatATypeCannotHaveAreFoundWithoutData(text: String) throws {
        let expression = try FHIRPathExpression(text)
        let error = #expect(throws: FHIRPathError.self) { try expression.check(on: "Patient") }
        #expect(error?.kind == .semantic)
        #expect(error?.column != nil)
    }

    static let bombs: [(String, String)] = [
        (String(repeating: "(", count: 90_000) + "1", "expression-depth"),
        (String(repeating: "-", count: 90_000) + "1", "expression-depth"),
        ("a" + String(repeating: ".a", count: 40_000), "expression-length"),
        ("1" + String(repeating: "+1", count: 40_000), "expression-length"),
        (String(repeating: "a", count: 200_000), "expression-length"),
        (
            (0..<90).reduce("a") { text, _ in "(" + text + ")" + String(repeating: ".a", count: 400) },
            "expression-length"
        ),
        ("'aaaaaaaaaaaaaaaa'" + String(repeating: ".replace('a', 'aaaaaaaaaaaaaaaa')", count: 10), "text-too-long"),
        ("'aaaaaaaaaaaaaaaa'" + String(repeating: ".encode('hex')", count: 60), "too-many-steps"),
        ("'a'.repeat($this & 'a')", "too-many-steps"), ("1.repeatAll($this | 1)", "too-many-steps"),
        (
            "descendants()" + String(repeating: ".select(%resource.descendants())", count: 8) + ".count()",
            "too-many-items"
        ),
        ("'\(String(repeating: "a", count: 3000))'.matches('(a*)*b')", "pattern-too-costly"),
        ("'a'.matches('\(String(repeating: "a", count: 3000))')", "pattern-too-long"),
    ]

    @Test(arguments: bombs) func bombsEndWithTheLimitThatTheyHitWithinSeconds(_ text: String, _ code: String) {
        let start = ThreadTime.now()
        var found: FHIRPathError?
        do {
            var context = FHIRPathContext()
            context.resource = Evaluation.patient
            // A tenth of the default limits, so that the tests are fast.
            context.limits.steps = 500_000
            context.limits.items = 100_000
            _ = try FHIRPathExpression(text).evaluate(Evaluation.patient, in: context)
        } catch {
            found = error
        }
        #expect(found?.kind == .limit)
        #expect(found?.code == code)
        #expect(ThreadTime.now() - start < 20_000_000_000)
    }
}
