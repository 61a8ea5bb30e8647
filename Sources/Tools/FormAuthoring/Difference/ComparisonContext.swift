import FHIR
import Questionnaires

/// The facts about two forms that decide about the effect of changes of their items.
struct ComparisonContext {
    /// The expressions of the new form.
    let expressions: FormExpressions
    /// The conditions of both forms on each question.
    private let conditions: [String: [EnableCondition]]

    init(old: QuestionnaireForm, new: QuestionnaireForm) {
        expressions = FormExpressions(new.questionnaire)
        var conditions: [String: [EnableCondition]] = [:]
        func collect(_ items: [FormItem]) {
            for item in items {
                for condition in item.conditions { conditions[condition.question, default: []].append(condition) }
                collect(item.children)
            }
        }
        collect(old.items)
        collect(new.items)
        self.conditions = conditions
    }

    /// The conditions of both forms on a question.
    func conditions(on linkID: String) -> [EnableCondition] { conditions[linkID] ?? [] }

    static let constraintURLs = [
        "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint",
        "http://hl7.org/fhir/StructureDefinition/targetConstraint",
    ]

    /// Returns the constraints of an element.
    func constraints(of source: some ElementView) -> [Extension] {
        source.extension.filter { Self.constraintURLs.contains($0.url ?? "") }
    }

    /// Whether an answer that breaks the constraint is refused.
    func blocks(_ constraint: Extension) -> Bool {
        constraint.extension("severity")?.value?.json.string != "warning"
    }
}

extension FormItem {
    /// Whether the item or an item inside of it is required, or needs a minimum number of answers.
    var hasRequirements: Bool {
        isRequired || (limits.minOccurs ?? 0) > 0 || children.contains(where: \.hasRequirements)
    }

    /// Whether people cannot change a calculated answer of the item, or of an item inside of it.
    var hasFixedAnswers: Bool { isFixed || children.contains(where: \.hasFixedAnswers) }
}

/// An effect of a change.
struct ChangeEffect {
    let level: ChangeLevel
    let reason: String

    init(_ level: ChangeLevel, _ reason: String) {
        self.level = level
        self.reason = reason
    }

    static func text(_ what: String) -> ChangeEffect { ChangeEffect(.text, "\(what) changed.") }
}
