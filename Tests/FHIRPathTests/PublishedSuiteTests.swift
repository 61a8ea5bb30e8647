import FHIR
import FHIRPath
import Foundation
import Testing

@Suite(.enabled(if: PublishedSuite.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedSuiteTests {
    /// Tests that contradict the specification, with the reason.
    static let contradictions: [String: String] = [
        "testPlusDate19":
            "Date/Time Arithmetic: the decimal portion is ignored only for precisions above seconds, so 0.1 's' counts.",
        "HighBoundaryDateTimeMillisecond1":
            "highBoundary: its example says @2014-01-01T08.highBoundary(17) is 08:59:59.999; the suite leaves the minute at 00.",
        "HighBoundaryDateTimeMillisecond3": "as HighBoundaryDateTimeMillisecond1",
    ]

    @Test func publishedTestsGiveTheirExpectedResults() throws {
        let cases = try PublishedSuite.cases()
        #expect(cases.count == 935)
        var inputs: [String: TypedElement] = [:]
        var failed: [String] = []
        for test in cases {
            if let file = test.inputFile, inputs[file] == nil { inputs[file] = try PublishedSuite.input(file) }
            let problem = problem(of: test, test.inputFile.flatMap { inputs[$0] })
            if PublishedSuiteTests.contradictions[test.name] != nil {
                if problem == nil { failed.append("\(test.name) passes, and is listed as a contradiction") }
            } else if let problem {
                failed.append(
                    "\(test.name): \(test.expression.split(separator: "\n").joined(separator: " ")) -> \(problem)")
            }
        }
        for line in failed { Issue.record("\(line)") }
        print(
            "FHIRPath suite: \(cases.count) tests, \(failed.count) not as published, \(PublishedSuiteTests.contradictions.count) listed as contradictions"
        )
    }

    /// Returns the difference, or nil if the result is the expected one.
    private func problem(of test: PublishedSuite.Case, _ input: TypedElement?) -> String? {
        do {
            let expression = try FHIRPathExpression(test.expression)
            try expression.check(on: input?.typeName)
            var context = FHIRPathContext()
            context.resource = input
            let found = try expression.evaluate(on: input.map { [.element($0)] } ?? [], in: context)
            if test.invalid != nil, test.outputs.isEmpty { return "no error, but \(found.map(\.json))" }
            if test.isPredicate {
                let truth = !found.isEmpty && (found.count > 1 || found[0].json.bool ?? true)
                return test.outputs.first?.text == String(truth) ? nil : "predicate \(truth)"
            }
            return difference(found, test)
        } catch {
            guard let invalid = test.invalid, invalid != "false" else { return error.description }
            if invalid == "true" { return nil }
            return error.kind.rawValue == invalid ? nil : "\(error.description) instead of \(invalid)"
        }
    }

    private func difference(_ found: [FHIRPathValue], _ test: PublishedSuite.Case) -> String? {
        let shown = found.map { "\($0.typeName) \($0.json.text(.compact))" }.joined(separator: ", ")
        guard found.count == test.outputs.count else { return "\(found.count) items: \(shown)" }
        var rest = found
        for output in test.outputs {
            let index = rest.indices.first { isSame(rest[$0], output) && (!test.isOrdered || $0 == 0) }
            guard let index else { return shown }
            rest.remove(at: index)
        }
        return nil
    }

    private func isSame(_ value: FHIRPathValue, _ output: (type: String?, text: String)) -> Bool {
        if let type = output.type, type != value.typeName { return false }
        let text = output.text.hasPrefix("@") ? String(output.text.dropFirst()) : output.text
        let plain = text.hasPrefix("T") && value.typeName == "time" ? String(text.dropFirst()) : text
        switch value {
        case .quantity(let quantity): return quantity.description == text
        case .decimal(let decimal): return decimal == FHIRPathDecimal(text: plain)
        default: return (value.json.string ?? value.json.text(.compact)) == plain
        }
    }
}

@Suite struct ConditionalTests {
    @Test func theCriterionOfIifSeesThatThereIsNoItem() throws {
        let patient = TypedElement(["resourceType": "Patient", "active": true], type: "Patient")
        let answer = try FHIRPathExpression("maritalStatus.iif(empty(), 'none', 'some')").evaluate(patient)
        #expect(answer.map(\.json) == ["none"])
        #expect(try FHIRPathExpression("active.iif($this, 1, 2)").evaluate(patient).map(\.json) == [1])
    }
}
