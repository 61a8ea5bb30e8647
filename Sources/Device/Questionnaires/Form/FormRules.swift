import FHIR

/// The invariants of a Questionnaire's items (<https://hl7.org/fhir/R4/questionnaire.html#invs>).
struct FormRules: Sendable {
    let code: String
    let severity: FormProblem.Severity
    let message: String
    let isBroken: @Sendable (QuestionnaireItem, ItemType) -> Bool

    static let all: [FormRules] = [
        FormRules(code: "que-1", severity: .error, message: "A group needs items, and a display item has none.") {
            ($1 == .group && $0.item.isEmpty) || ($1 == .display && !$0.item.isEmpty)
        },
        FormRules(code: "que-3", severity: .error, message: "A display item has no code.") {
            $1 == .display && !$0.code.isEmpty
        },
        FormRules(
            code: "que-4", severity: .error, message: "A question has options of its own or a value set, not both."
        ) { item, _ in
            !item.answerOption.isEmpty && item.answerValueSet != nil
        },
        FormRules(code: "que-5", severity: .error, message: "A question of this type offers no options.") {
            let types: [ItemType] = [
                .choice, .openChoice, .decimal, .integer, .date, .dateTime, .time, .string, .text, .quantity,
                .reference, .question,
            ]
            return !types.contains($1) && (!$0.answerOption.isEmpty || $0.answerValueSet != nil)
        },
        FormRules(code: "que-6", severity: .error, message: "A display item is neither required nor repeated.") {
            $1 == .display && ($0.required != nil || $0.repeats != nil)
        },
        FormRules(code: "que-8", severity: .error, message: "A group or display item has no initial value.") {
            ($1 == .group || $1 == .display) && !$0.initial.isEmpty
        },
        FormRules(code: "que-9", severity: .error, message: "A display item is not read-only.") {
            $1 == .display && $0.readOnly != nil
        },
        FormRules(code: "que-10", severity: .error, message: "Only questions answered in text have a greatest length.")
        {
            let types: [ItemType] = [.boolean, .decimal, .integer, .string, .text, .url, .openChoice, .question]
            return !types.contains($1) && $0.maxLength != nil
        },
        FormRules(
            code: "que-11", severity: .error,
            message: "A question with options says which is selected, not an initial value."
        ) { item, _ in
            !item.answerOption.isEmpty && !item.initial.isEmpty
        },
        FormRules(
            code: "que-12", severity: .error,
            message: "Several conditions need an enableBehavior; all must hold until it is given."
        ) { item, _ in
            item.enableWhen.count > 1 && item.enableBehavior == nil
        },
        FormRules(code: "que-13", severity: .error, message: "Only a question that repeats has several initial values.")
        { item, _ in
            item.initial.count > 1 && !(item.repeats ?? false)
        },
        FormRules(
            code: "limits-contradict", severity: .error,
            message: "The least value is above the greatest: no answer fits."
        ) { item, _ in
            let limits = AnswerLimits(item)
            guard let low = limits.minimum, let high = limits.maximum else { return false }
            return low.compare(high) == .orderedDescending
        },
    ]

    /// What is wrong with a condition; nil where nothing is.
    static func problem(
        of condition: EnableCondition, at item: FormItem, in all: [FormItem], _ indexes: [String: Int]
    ) -> FormProblem? {
        func problem(_ code: String, _ message: String, _ severity: FormProblem.Severity = .error) -> FormProblem {
            FormProblem(code: code, severity: severity, linkID: item.linkID, message: message)
        }
        guard let index = indexes[condition.question] else {
            return problem("condition-question-unknown", "A condition names a question that the form does not have.")
        }
        let target = all[index]
        if target.index == item.index { return problem("condition-on-itself", "A condition refers to its own item.") }
        if target.ancestors.contains(item.index) {
            return problem("condition-on-inner-item", "A condition refers to an item inside its own.")
        }
        guard let comparison = condition.comparison else {
            return problem("condition-operator-unknown", "A condition's operator is none that FHIR R4 knows.")
        }
        guard let expected = condition.expected else {
            return problem("condition-answer-missing", "A condition has no answer to compare with.")
        }
        if comparison == .exists, expected.type != "Boolean" {
            return problem("que-7", "The operator exists needs a boolean answer.")
        }
        if target.index > item.index {
            return problem("condition-looks-ahead", "A condition refers to a question that comes later.", .warning)
        }
        return nil
    }
}
