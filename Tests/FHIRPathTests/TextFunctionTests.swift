import FHIR
import Foundation
import TestSupport
import Testing

@testable import FHIRPath

/// Functions on texts: their results, and their cost, which is linear in the lengths of the texts.
@Suite struct TextFunctionTests {
    /// Compared with a search at each offset, on texts of few letters, which have many borders.
    @Test func searchAgreesWithAComparisonAtEachOffset() {
        var random = Seeded.fresh("texts")
        func text(_ count: Int) -> String {
            String((0..<count).map { _ in ["a", "b", "\u{E9}"].randomElement(using: &random) ?? "a" })
        }
        for _ in 0..<2_000 {
            let (whole, part) = (
                text(Int.random(in: 0...30, using: &random)), text(Int.random(in: 1...5, using: &random))
            )
            let (scalars, wanted) = (Array(whole.unicodeScalars), Array(part.unicodeScalars))
            let offsets = scalars.indices.filter { scalars[$0...].starts(with: wanted) }
            let found = [TextSearch.offset(of: part, in: whole), TextSearch.lastOffset(of: part, in: whole)]
            let split = TextSearch.split(whole, by: part, limit: 100)
            let replaced = TextSearch.replace(part, by: "xy", in: whole, limit: 1_000)
            guard found == [offsets.first, offsets.last], split == whole.components(separatedBy: part),
                replaced == whole.replacingOccurrences(of: part, with: "xy")
            else {
                Issue.record("\(part) in \(whole): \(found), \(split ?? []), \(replaced ?? "")")
                return
            }
        }
        #expect(TextSearch.replace("", by: "-", in: "a\u{E9}", limit: 10) == "-a-\u{E9}-")
        #expect(TextSearch.split("aaaa", by: "a", limit: 4) == nil)
        #expect(TextSearch.replace("a", by: "bb", in: "aaaa", limit: 7) == nil)
    }

    /// The worst case of a naive search: all but the end of the pattern matches at each offset.
    @Test(arguments: ["contains", "indexOf", "lastIndexOf", "split", "startsWith", "endsWith"])
    func aTextThatIsAlmostFoundEverywhereCostsNoMoreThanItsLength(function: String) throws {
        let expression = try FHIRPathExpression("%whole.\(function)(%part).exists()")
        let growth = try Growth.of(from: 10_000) { size in
            (String(repeating: "a", count: size), String(repeating: "a", count: size / 2) + "b")
        } _: { whole, part in
            var context = Evaluation.context
            context.variables = ["whole": [.string(whole)], "part": [.string(part)]]
            _ = try expression.evaluate(Evaluation.patient, in: context)
        }
        #expect(growth.factor < 9, "\(growth)")
    }

    /// Steps are charged for the bytes of both texts, and for compared texts.
    @Test(arguments: [
        "%a.contains(%b)", "%a.indexOf(%b) > 0", "%a.lastIndexOf(%b) > 0", "%a.split(%b).exists()", "%a = %b",
        "%a ~ %b", "%a < %b", "%a.replace(%b, '').exists()", "(%a | %b).exists()", "%a in %b", "%a.upper().exists()",
        "%a.toInteger().empty()", "%a.startsWith(%b)",
    ])
    func longTextsCostSteps(expression: String) throws {
        func spent(_ size: Int) throws -> Int {
            var context = Evaluation.context
            context.variables = [
                "a": [.string(String(repeating: "a", count: size))],
                "b": [.string(String(repeating: "a", count: size - 1) + "b")],
            ]
            let budget = StepBudget(steps: 1_000_000)
            _ = try FHIRPathExpression(expression).evaluateBoolean(Evaluation.patient, in: context, budget: budget)
            return budget.spent
        }
        let (short, long) = (try spent(16), try spent(160_016))
        #expect(long - short >= 9_000 && long < 100_000, "\(short), \(long)")
    }

    /// The matcher starts at each offset of the text: a pattern of a few letters costs little.
    @Test(arguments: ["%a.matches('b').not()", "%a.replaceMatches('b', 'c') = %a"])
    func aPatternThatIsTriedAtEachPositionCostsLittle(expression: String) throws {
        var context = Evaluation.context
        context.variables = ["a": [.string(String(repeating: "a", count: 100))]]
        let budget = StepBudget(steps: 1_000_000)
        #expect(
            try FHIRPathExpression(expression).evaluateBoolean(Evaluation.patient, in: context, budget: budget) == true)
        #expect((100...10_000).contains(budget.spent), "\(budget.spent)")
    }

    @Test func abortedPatternIsChargedItsSteps() throws {
        var context = Evaluation.context
        context.variables = ["a": [.string(String(repeating: "a", count: 3_000))]]
        let expression = try FHIRPathExpression("%a.matches('(a*)*b')")
        let budget = StepBudget(steps: 200_000)
        #expect(throws: FHIRPathError.self) {
            try expression.evaluateBoolean(Evaluation.patient, in: context, budget: budget)
        }
        #expect(budget.isExhausted)
    }

    @Test func backtrackingPatternCostsSteps() throws {
        var context = Evaluation.context
        context.limits.steps = 200_000
        context.variables = ["a": [.string(String(repeating: "a", count: 3_000))]]
        let expression = try FHIRPathExpression("%a.matches('(a*)*b')")
        let error = #expect(throws: FHIRPathError.self) { try expression.evaluate(Evaluation.patient, in: context) }
        #expect(error?.code == "pattern-too-costly")
    }

    @Test func anEvaluationEndsAtItsDeadlineAndWhenItsTaskIsCancelled() async throws {
        let endless = try FHIRPathExpression("1.repeatAll($this + 1).exists()")
        let late = StepBudget(steps: .max, deadline: .now)
        #expect(throws: FHIRPathError.self) {
            try endless.evaluateBoolean(Evaluation.patient, in: Evaluation.context, budget: late)
        }
        #expect(late.isExhausted && late.remaining == 0)
        let task = _Concurrency.Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let budget = StepBudget(steps: .max, deadline: .now + .seconds(3_600))
            #expect(throws: FHIRPathError.self) {
                try endless.evaluateBoolean(Evaluation.patient, in: Evaluation.context, budget: budget)
            }
            return budget.isExhausted
        }
        #expect(await task.value)
    }
}
