import FHIR
import FHIRPath
import Foundation

/// A limit that is a FHIRPath expression, such as `today() - 18 years`: in an extension of the limit's value
/// (<https://hl7.org/fhir/extensions/StructureDefinition-cqf-calculatedValue.html>), or as the value's text. It is
/// evaluated at the time of the answer.
struct CalculatedLimit: Sendable {
    /// The expression; nil if it is not valid FHIRPath.
    private let expression: FHIRPathExpression?
    /// The text, with calendar units; nil if it is not valid FHIRPath.
    let text: String?

    /// Nil if the limit's extension contains no expression.
    init?(_ limit: Extension) {
        let extensions = (limit.valueElement?.extension ?? []) + limit.extension
        let values = [limit].filter { $0.value?.type == "Expression" } + extensions
        guard
            let given = values.first(where: {
                FormExtension.calculatedValues.contains($0.url) || $0.value?.type == "Expression"
            })?.value?.json
        else { return nil }
        let language = given["language"]?.string ?? "text/fhirpath"
        self.init(expression: language == "text/fhirpath" ? given["expression"]?.string ?? given.string : nil)
    }

    init(expression text: String?) {
        var options = FHIRPathExpression.Options()
        options.maximumLength = 1000
        let written = text.map(Self.withCalendarUnits)
        expression = written.flatMap { try? FHIRPathExpression($0, options: options) }
        self.text = expression == nil ? nil : written
        readsResponse =
            expression.map { expression in
                let inputs = ExpressionInputs(expression)
                return inputs.readsWholeResponse || inputs.readsHeader || inputs.readsContext
                    || !inputs.lookups.isEmpty || !inputs.variables.isEmpty
            } ?? false
    }

    /// Whether the limit depends on the response or on a variable, and not only on the time.
    let readsResponse: Bool

    /// Replaces `today() - 18 'years'`, which forms contain. FHIRPath treats quoted units as UCUM, which has no
    /// `years`, and whose year is not a calendar year.
    private static func withCalendarUnits(_ text: String) -> String {
        let units = /([0-9])\s*'(years?|months?|weeks?|days?|hours?|minutes?|seconds?|milliseconds?|a|mo)'/
        return text.replacing(units) { match in
            let unit = String(match.2)
            return "\(match.1) \(["a": "years", "mo": "months"][unit] ?? unit)"
        }
    }

    /// Whether the expression can be evaluated.
    var isReadable: Bool { readsResponse || value(at: DateTime(Date(timeIntervalSince1970: 0))) != nil }

    /// Returns the limit at a time, in the offset of that time; nil if the expression does not return exactly one
    /// value.
    func value(at moment: DateTime) -> AnswerValue? {
        guard let expression, !readsResponse else { return nil }
        var context = FHIRPathContext(now: moment.start())
        context.offsetMinutes = moment.offsetMinutes ?? 0
        context.limits.steps = 10_000
        guard let found = try? expression.evaluate(on: [], in: context), found.count == 1, let value = found.first
        else { return nil }
        return AnswerValue(value)
    }
}
