import FHIR

/// A rule in a form that answers must fulfil (<https://hl7.org/fhir/extensions/StructureDefinition-targetConstraint.html>,
/// <https://hl7.org/fhir/R4/extension-questionnaire-constraint.html>).
struct FormConstraint: Sendable {
    let key: String
    /// Whether a response that breaks the rule is an error; otherwise it is a warning.
    let isError: Bool
    /// The sentence for people; nil if the form contains none.
    let human: String?
    /// The index of its expression in the program.
    let expression: Int

    fileprivate init(_ source: Extension, expression: Int) {
        func value(_ name: String) -> String? { source.extension(name)?.value?.json.string }
        key = value("key") ?? ""
        isError = value("severity") != "warning"
        human = value("human")
        self.expression = expression
    }
}

/// The expressions of one item, or of the form as a whole, as indexes in the program.
struct ItemExpressions: Sendable {
    /// The variables, with their names (<https://hl7.org/fhir/extensions/StructureDefinition-variable.html>). A name of
    /// another expression is a variable too.
    var variables: [(name: String, expression: Int)] = []
    /// The expression whose results are the repetitions of a group, with the name of the variable of each.
    var population: (name: String?, expression: Int)?
    var initial: Int?
    var calculated: Int?
    var enablement: Int?
    /// The options of a question.
    var options: Int?
    /// A starter list of answers.
    var candidates: Int?
    /// Expressions that decide about options.
    var toggles: [(options: [AnswerValue], expression: Int)] = []
    /// The columns in which the results of both are shown.
    var columns: [ChoiceColumn] = []
    var text: Int?
    /// The canonical URL of the value set.
    var valueSet: Int?
    var minimum: Int?
    var maximum: Int?
    var constraints: [FormConstraint] = []

    /// All expressions, with the name of the extension of each for messages.
    private(set) var all: [(kind: String, expression: Int)] = []

    /// - Parameter add: adds an expression to the program and returns its index.
    init(of extensions: [Extension], add: (FormExpression) -> Int) {
        for given in extensions {
            switch given.url {
            case FormExtension.variable:
                // The name is added with the names of the other expressions.
                take(given.value, kind: "variable", add: add) { _, _ in }
            case FormExtension.itemPopulationContext:
                take(given.value, kind: "itemPopulationContext", add: add) { expressions, index, name in
                    if name != nil { expressions.variables.removeLast() }
                    expressions.population = expressions.population ?? (name, index)
                }
            case FormExtension.constraint, FormExtension.targetConstraint:
                take(given.extension("expression")?.value, kind: "constraint", add: add) { expressions, index, _ in
                    expressions.constraints.append(FormConstraint(given, expression: index))
                }
            case let url? where FormExtension.initialExpressions.contains(url):
                take(given.value, kind: "initialExpression", add: add) { $0.initial = $0.initial ?? $1 }
            case FormExtension.calculatedExpression:
                take(given.value, kind: "calculatedExpression", add: add) { $0.calculated = $0.calculated ?? $1 }
            case FormExtension.enableWhenExpression:
                take(given.value, kind: "enableWhenExpression", add: add) { $0.enablement = $0.enablement ?? $1 }
            case FormExtension.answerExpression:
                take(given.value, kind: "answerExpression", add: add) { $0.options = $0.options ?? $1 }
            case FormExtension.candidateExpression:
                take(given.value, kind: "candidateExpression", add: add) { $0.candidates = $0.candidates ?? $1 }
            case FormExtension.choiceColumn:
                if columns.count < ChoiceColumn.maximumCount { columns.append(ChoiceColumn(given)) }
            case FormExtension.answerOptionsToggle:
                let options = given.extension.filter { $0.url == "option" }.compactMap { AnswerValue($0.value) }
                take(given.extension("expression")?.value, kind: "answerOptionsToggleExpression", add: add) {
                    expressions, index, _ in
                    expressions.toggles.append((options, index))
                }
            default: break
            }
        }
    }

    /// Adds the expressions in the elements of an item.
    mutating func add(elementsOf item: Questionnaire.Item, add: (FormExpression) -> Int) {
        if item.object["_text"] != nil {
            take(Self.expression(in: item.textElement?.extension ?? []), kind: "cqf-expression", add: add) {
                $0.text = $0.text ?? $1
            }
        }
        if item.object["_answerValueSet"] != nil {
            take(Self.expression(in: item.answerValueSetElement?.extension ?? []), kind: "cqf-expression", add: add) {
                $0.valueSet = $0.valueSet ?? $1
            }
        }
    }

    /// Adds the expression of a limit.
    mutating func add(limit: CalculatedLimit?, isMinimum: Bool, add: (FormExpression) -> Int) {
        guard let text = limit?.text else { return }
        let index = add(FormExpression(text))
        all.append((isMinimum ? "minValue" : "maxValue", index))
        if isMinimum { minimum = index } else { maximum = index }
    }

    private static func expression(in extensions: [Extension]) -> OpenChoice? {
        extensions.first { $0.url == FormExtension.cqfExpression }?.value
    }

    private mutating func take(
        _ value: OpenChoice?, kind: String, add: (FormExpression) -> Int,
        use: (inout ItemExpressions, Int, String?) -> Void
    ) {
        guard let expression = FormExpression(value) else { return }
        let index = add(expression)
        all.append((kind, index))
        if let name = expression.name { variables.append((name, index)) }
        use(&self, index, expression.name)
    }

    private mutating func take(
        _ value: OpenChoice?, kind: String, add: (FormExpression) -> Int,
        use: (inout ItemExpressions, Int) -> Void
    ) {
        take(value, kind: kind, add: add) { expressions, index, _ in use(&expressions, index) }
    }

    var isEmpty: Bool { all.isEmpty && columns.isEmpty }
}
