import FHIR
import FHIRPath

/// A column in which the choices of a question are shown if an expression has them: a path that is evaluated on each
/// choice (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-choiceColumn.html>).
struct ChoiceColumn: Sendable {
    let path: Result<FHIRPathExpression, FHIRPathError>
    /// Whether the column is the text of a choice.
    let isForDisplay: Bool

    /// The name of the extension.
    static let kind = "choiceColumn"
    /// Maximum number of columns of a question.
    static let maximumCount = 20
    /// Maximum number of characters of a text.
    private static let maximumLength = 1_000
    /// Maximum number of values of one path that are shown.
    private static let maximumValues = 20
    private static let maximumSteps = 100_000

    init(_ source: Extension) {
        do throws(FHIRPathError) {
            path = .success(try FormExpression.compiled(source.extension("path")?.value?.json.string ?? ""))
        } catch {
            path = .failure(error)
        }
        isForDisplay = source.extension("forDisplay")?.value?.json.bool ?? false
    }

    /// Returns the text of a choice in the column; empty if the path finds nothing.
    ///
    /// - Parameter budget: the steps of the path are taken from it.
    func text(
        of choice: FHIRPathValue, in language: String?, at moment: DateTime, budget: StepBudget
    ) -> Result<String, ExpressionFailure> {
        var context = FHIRPathContext(now: moment.start())
        context.offsetMinutes = moment.offsetMinutes ?? 0
        context.limits.steps = Self.maximumSteps
        if case .element(let element) = choice {
            context.context = element
            if element.value["resourceType"] != nil { context.resource = element }
        }
        do throws(FHIRPathError) {
            let values = try path.get().evaluate(on: [choice], in: context, budget: budget)
            let texts = values.prefix(Self.maximumValues).map { Self.text($0, in: language) }
            return .success(String(texts.filter { !$0.isEmpty }.joined(separator: ", ").prefix(Self.maximumLength)))
        } catch {
            return .failure(ExpressionFailure(error))
        }
    }

    private static func text(_ value: FHIRPathValue, in language: String?) -> String {
        let shown = AnswerValue(value).text(in: language)
        guard shown.isEmpty, let object = value.json.object else { return shown }
        // A CodeableConcept, or a HumanName.
        if let text = object["text"]?.string { return text }
        if let coding = object["coding"]?[0] { return AnswerValue(type: "Coding", json: coding).text(in: language) }
        let names = (object["given"]?.array ?? []) + [object["family"] ?? .null]
        return names.compactMap(\.string).joined(separator: " ")
    }
}

extension [ChoiceColumn] {
    /// Returns the text of a choice that is shown, and its texts in the columns.
    ///
    /// The column with `forDisplay` has the text; if there is none, the only column.
    ///
    /// - Parameters:
    ///   - language: the language of our own words, such as yes and no.
    ///   - failed: receives the reason for each column without a text.
    /// - Returns: the label is nil if the column has no text.
    func texts(
        of choice: FHIRPathValue, in language: String?, at moment: DateTime, budget: StepBudget,
        failed: (ExpressionFailure) -> Void
    ) -> (label: String?, cells: [String]) {
        guard !isEmpty, choice.json.object != nil else { return (nil, []) }
        let cells = map { column in
            switch column.text(of: choice, in: language, at: moment, budget: budget) {
            case .success(let text): return text
            case .failure(let failure):
                failed(failure)
                return ""
            }
        }
        let shown = firstIndex(where: \.isForDisplay) ?? (count == 1 ? 0 : nil)
        return (shown.map { cells[$0] }.flatMap { $0.isEmpty ? nil : $0 }, cells)
    }
}
