import FHIR
import FHIRPath
import Foundation

/// A limit that the form says as an expression, such as `today() - 18 years`
/// (<https://hl7.org/fhir/extensions/StructureDefinition-cqf-calculatedValue.html>). It is worked out for the moment of
/// the answer.
struct CalculatedLimit: Sendable {
    /// nil where it cannot be read as FHIRPath.
    private let expression: FHIRPathExpression?

    /// nil where the extension of the limit says no expression.
    init?(_ limit: Extension?) {
        let extensions = (limit?.valueElement?.extension ?? []) + (limit?.extension ?? [])
        guard let said = extensions.first(where: { FormExtension.calculatedValues.contains($0.url) })?.value?.json
        else {
            return nil
        }
        let language = said["language"]?.string ?? "text/fhirpath"
        var options = FHIRPathExpression.Options()
        options.maximumLength = 1000
        expression = said["expression"]?.string
            .flatMap { language == "text/fhirpath" ? try? FHIRPathExpression($0, options: options) : nil }
    }

    /// Whether it can be worked out.
    var isReadable: Bool { expression != nil && value(at: DateTime(Date(timeIntervalSince1970: 0))) != nil }

    /// The limit at a moment, in the offset of that moment; nil where the expression gives no single value.
    func value(at moment: DateTime) -> AnswerValue? {
        guard let expression else { return nil }
        var context = FHIRPathContext(now: moment.start())
        context.offsetMinutes = moment.offsetMinutes ?? 0
        context.limits.steps = 10_000
        guard let found = try? expression.evaluate(on: [], in: context), found.count == 1, let value = found.first
        else { return nil }
        let type = value.typeName
        return AnswerValue(type: type.prefix(1).uppercased() + type.dropFirst(), json: value.json)
    }
}
