import FHIR
import Foundation

/// The invariants of a Questionnaire and its items (<https://hl7.org/fhir/R4/questionnaire.html#invs>), and other rules
/// that a form must follow to be answered.
struct FormRules: Sendable {
    let code: String
    let severity: FormProblem.Severity
    let message: String
    /// Returns the names of the parts that break the rule; a nil element means the item itself. Empty if the rule is
    /// kept.
    private let broken: @Sendable (Questionnaire.Item, FormItem) -> [String?]

    private init(
        _ code: String, _ message: String, severity: FormProblem.Severity = .error,
        isBroken: @escaping @Sendable (Questionnaire.Item, FormItem) -> Bool
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        broken = { isBroken($0, $1) ? [nil] : [] }
    }

    /// - Parameter names: returns the names of the parts that break the rule.
    private init(
        _ code: String, _ message: String, severity: FormProblem.Severity,
        names: @escaping @Sendable (Questionnaire.Item, FormItem) -> [String]
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        broken = { source, item in names(source, item).map { $0 } }
    }

    /// Returns the limits of an item at a time.
    private static func limits(of item: FormItem) -> [AnswerValue] {
        let moment = DateTime(Date(timeIntervalSince1970: 0))
        return [item.limits.minimum(at: moment), item.limits.maximum(at: moment)].compactMap { $0 }
    }

    /// Returns a name from the form, for a sentence.
    private static func named(_ name: String) -> String {
        "\"\(name.prefix(200))\""
    }

    /// The types of questions that can have options, and those that can have a maximum length.
    private static let withOptions: Set<QuestionnaireItemType> = [
        .choice, .openChoice, .decimal, .integer, .date, .dateTime, .time, .string, .quantity,
    ]
    private static let withLength: Set<QuestionnaireItemType> = [
        .boolean, .decimal, .integer, .string, .text, .url, .openChoice,
    ]

    static let invariants: [FormRules] = [
        FormRules("que-1", "A group needs items, and a display item has none.") {
            ($1.type == .group && $0.item.isEmpty) || ($1.type == .display && !$0.item.isEmpty)
        },
        FormRules("que-3", "A display item has no code.") { $1.type == .display && !$0.code.isEmpty },
        FormRules("que-4", "A question has options of its own or a value set, not both.") { source, _ in
            !source.answerOption.isEmpty && source.answerValueSet != nil
        },
        FormRules("que-5", "A question of this type cannot have options.") {
            !withOptions.contains($1.type) && (!$0.answerOption.isEmpty || $0.answerValueSet != nil)
        },
        FormRules("que-6", "A display item is neither required nor repeated.") {
            $1.type == .display && ($0.required != nil || $0.repeats != nil)
        },
        FormRules("que-8", "A group or display item has no initial value.") {
            ($1.type == .group || $1.type == .display) && !$0.initial.isEmpty
        },
        FormRules("que-9", "A display item is not read-only.") { $1.type == .display && $0.readOnly != nil },
        FormRules("que-10", "A question of this type cannot have a maximum length.") {
            !withLength.contains($1.type) && $0.maxLength != nil
        },
        FormRules("que-11", "A question with options uses initialSelected, not an initial value.") { source, _ in
            !source.answerOption.isEmpty && !source.initial.isEmpty
        },
        FormRules("que-12", "Several conditions need an enableBehavior; without it, all must be fulfilled.") {
            source, _ in
            source.enableWhen.count > 1 && source.enableBehavior == nil
        },
        FormRules("que-13", "Only a question that repeats has several initial values.") {
            $0.initial.count > 1 && !$1.repeats
        },
    ]

    static let others: [FormRules] = [
        FormRules("item-type-abstract", "An item of the abstract type question cannot be answered.") {
            $1.type == .question
        },
        FormRules("enable-behavior-unknown", "An enableBehavior is all or any; otherwise all must be fulfilled.") {
            source, _ in
            source.enableBehavior.map { $0 != .all && $0 != .any } ?? false
        },
        FormRules("limits-contradict", "The minimum is greater than the maximum: no answer is valid.") {
            // A limit such as today can be beyond a fixed limit at one time and not at another. That is not a
            // contradiction.
            let item = $1
            return [0, 4_102_444_800].map { DateTime(Date(timeIntervalSince1970: $0)) }.allSatisfy { moment in
                guard let low = item.limits.minimum(at: moment), let high = item.limits.maximum(at: moment) else {
                    return false
                }
                return item.measured(low).compare(item.measured(high)) == .orderedDescending
            }
        },
        FormRules(
            "limit-without-unit",
            "The minimum or the maximum has no unit, and the question permits several: write the limit as a Quantity "
                + "(minQuantity, maxQuantity), or permit one unit only."
        ) { source, item in
            item.type == .quantity
                && limits(of: item).contains { AnswerUnits.isBare(item.measured($0)) }
        },
        FormRules(
            "limit-unit", "The unit of the minimum or the maximum is not comparable to a unit of the question."
        ) { source, item in
            let isNumber = item.type == .integer || item.type == .decimal
            return limits(of: item).contains {
                item.units.excludes(item.measured($0)) || isNumber && $0.type == "Quantity" && item.units.only == nil
            }
        },
        FormRules(
            "answer-constraint-unknown",
            "An answerConstraint is optionsOnly, optionsOrType or optionsOrString; the question's type decides until it is "
                + "mended.", severity: .warning
        ) { source, _ in
            guard let given = source.extension(AnswerConstraint.url) else { return false }
            return given.value?.json.string.flatMap(AnswerConstraint.init(rawValue:)) == nil
        },
        FormRules(
            "limit-unreadable",
            "A limit has no value that an answer can be compared with; answers are not checked against it.",
            severity: .warning
        ) { $1.limits.hasUnreadableLimit },
        FormRules(
            "regex-invalid", "The pattern cannot be parsed; answers are not checked against it.", severity: .warning
        ) {
            $0.extension(FormExtension.regex) != nil && $1.limits.pattern == nil
        },
        FormRules(
            "regex-javascript",
            "The pattern has JavaScript's form, /pattern/flags; it is read without the slashes. Other apps can "
                + "treat them as part of the pattern.", severity: .warning
        ) { $1.limits.pattern?.isOfJavaScript ?? false },
        FormRules(
            FormProblem.subQuestionnaireCode,
            "this sub-questionnaire is not assembled, and its questions are missing; assemble the form before it is published "
                + "(https://hl7.org/fhir/uv/sdc/modular.html).", severity: .warning,
            names: { source, _ in
                source.extensions(FormExtension.subQuestionnaire).compactMap { $0.value?.json.string }
            }),
        FormRules("options-missing", "A choice has no options.", severity: .warning) { source, item in
            item.type == .choice && source.answerOption.isEmpty && source.answerValueSet == nil
                && item.expressions?.options == nil && item.expressions?.valueSet == nil
        },
        FormRules("value-set-missing", "The form does not contain the value set that it refers to.") { source, item in
            source.answerValueSet?.hasPrefix("#") ?? false && item.options == nil
        },
        FormRules(
            "value-set-not-at-hand", "The value set is not available; answers are not checked against it.",
            severity: .information
        ) { source, item in
            source.answerValueSet.map { !$0.hasPrefix("#") } ?? false && item.options == nil
        },
    ]

    /// Returns the problems of the form as a whole.
    static func problems(of questionnaire: Questionnaire) -> [FormProblem] {
        var problems: [FormProblem] = []
        func report(_ code: String, severity: FormProblem.Severity, message: Sentence) {
            problems.append(FormProblem(code: code, severity: severity, linkID: nil, sentence: message))
        }
        if let name = questionnaire.name, !isIdentifier(name) {
            report(
                "que-0", severity: .warning,
                message: "The name should be an identifier: a capital letter, then letters, digits and _.")
        }
        if questionnaire.item.isEmpty { report("form-empty", severity: .warning, message: "The form has no items.") }
        return problems
    }

    /// Returns the problems of one item, except those of its conditions.
    static func problems(of source: Questionnaire.Item, _ item: FormItem) -> [FormProblem] {
        (invariants + others).flatMap { rule in
            rule.broken(source, item).map { name in
                FormProblem(
                    code: rule.code, severity: rule.severity, linkID: item.linkID,
                    sentence: name.map { "\(named($0)): \(Sentence(rule.message))" } ?? Sentence(rule.message))
            }
        }
    }

    /// Returns the problems of the conditions.
    static func problems(of graph: EnablementGraph, in all: [FormItem]) -> [FormProblem] {
        var problems: [FormProblem] = []
        for item in all {
            problems += graph.sources[item.index].compactMap { problem(of: $0, at: item) }
        }
        return problems
    }

    private static func problem(of source: EnablementGraph.Source, at item: FormItem) -> FormProblem? {
        func problem(_ code: String, _ message: Sentence, severity: FormProblem.Severity = .error) -> FormProblem {
            FormProblem(code: code, severity: severity, linkID: item.linkID, sentence: message)
        }
        let condition = source.condition
        guard let target = source.named else {
            return problem(
                "condition-question-unknown",
                condition.question.isEmpty
                    ? "A condition names no question."
                    : "A condition refers to the question \(named(condition.question)), which the form does not have.")
        }
        if target === item { return problem("condition-on-itself", "A condition refers to its own item.") }
        if target.ancestors.contains(item.index) {
            return problem("condition-on-inner-item", "A condition refers to an item inside its own item.")
        }
        guard target.isQuestion else {
            return problem(
                "condition-on-group", "A condition refers to a group or a display item, which has no answers.")
        }
        guard let comparison = condition.comparison else {
            return problem("condition-operator-unknown", "A condition's operator is not defined by FHIR R4.")
        }
        guard let expected = condition.expected else {
            return problem("condition-answer-missing", "A condition has no answer to compare with.")
        }
        if comparison == .exists {
            return expected.json.bool == nil ? problem("que-7", "The operator exists needs a boolean answer.") : nil
        }
        if target.type == .quantity, expected.number != nil, AnswerUnits.isBare(expected) {
            return problem(
                "condition-without-unit",
                "A condition compares with a number without a unit, and the question permits several units.")
        }
        if target.units.excludes(expected) {
            return problem(
                "condition-unit", "A condition's unit is not comparable to a unit of its question.")
        }
        if !canCompare(expected, target) {
            return problem(
                "condition-type", "A condition's value has a type that its question does not permit.",
                severity: .warning)
        }
        if target.index > item.index {
            return problem(
                "condition-looks-ahead", "A condition refers to a question that comes later.", severity: .warning)
        }
        return nil
    }

    /// Returns whether an answer to the question can be compared with the value.
    private static func canCompare(_ expected: AnswerValue, _ target: FormItem) -> Bool {
        let families: [Set<String>] = [["Integer", "Decimal"], ["Date", "DateTime"], ["String", "Uri"]]
        let family = families.first { $0.contains(expected.type) } ?? [expected.type]
        let types = Set(target.answerTypes + (target.options ?? []).map(\.value.type))
        return !types.isDisjoint(with: family)
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x41...0x5A).contains(first), name.utf8.count <= 255 else { return false }
        return name.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
    }
}
