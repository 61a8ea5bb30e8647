import FHIR
import Foundation

/// A problem of a form or of its answers.
public struct FormProblem: Sendable, Hashable {
    public enum Severity: String, Sendable { case error, warning }

    /// Stable.
    public let code: String
    public let severity: Severity
    public let linkID: String?
    /// A sentence that says what to do. It quotes no answer.
    public let message: String
}

/// A Questionnaire made ready: its items, what they offer, and when they are enabled. Immutable.
///
/// <https://hl7.org/fhir/R4/questionnaire.html>
public struct Form: Sendable {
    public let questionnaire: Questionnaire
    /// The items at the top.
    public let items: [FormItem]
    /// What is wrong with the form itself.
    public let problems: [FormProblem]
    /// Every item in the form's order.
    let all: [FormItem]
    private let indexByLinkID: [String: Int]

    /// - Parameter valueSet: gives a value set by its canonical; contained ones are found without it.
    public init(_ questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet? = { _ in nil }) {
        self.questionnaire = questionnaire
        let options = OptionReader(questionnaire: questionnaire, valueSet: valueSet)
        var builder = FormBuilder(options: options)
        items = builder.build(questionnaire.item, ancestors: [])
        all = builder.items.compactMap { $0 }
        var indexes: [String: Int] = [:]
        for item in all where indexes[item.linkID] == nil { indexes[item.linkID] = item.index }
        indexByLinkID = indexes
        var problems = builder.problems
        for item in all {
            for condition in item.conditions {
                if let problem = FormRules.problem(of: condition, at: item, in: all, indexes) {
                    problems.append(problem)
                }
            }
        }
        if items.isEmpty {
            problems.append(
                FormProblem(code: "form-empty", severity: .warning, linkID: nil, message: "The form has no items."))
        }
        self.problems = problems
    }

    /// The item of the linkId; of several alike, the first.
    public func item(_ linkID: String) -> FormItem? { indexByLinkID[linkID].map { all[$0] } }

    /// What a response's `questionnaire` says: the canonical with its version, else the id.
    public var canonical: String? {
        if let url = questionnaire.url { return questionnaire.version.map { "\(url)|\($0)" } ?? url }
        return questionnaire.id.map { "Questionnaire/\($0)" }
    }
}

/// Reads items into the form's order.
private struct FormBuilder {
    let options: OptionReader
    var items: [FormItem?] = []
    var problems: [FormProblem] = []
    private var linkIDs: Set<String> = []
    /// Deeper nesting is refused by the JSON reader long before the stack is in danger; this bounds hand-made values.
    private static let maximumDepth = 100

    init(options: OptionReader) { self.options = options }

    mutating func build(_ sources: [QuestionnaireItem], ancestors: [Int]) -> [FormItem] {
        guard ancestors.count < Self.maximumDepth else { return [] }
        return sources.map { source in
            let index = items.count
            items.append(nil)
            let linkID = source.linkId ?? ""
            if linkID.isEmpty {
                report("link-id-missing", linkID, "An item has no linkId.")
            } else {
                if !linkIDs.insert(linkID).inserted {
                    report("link-id-repeated", linkID, "Two items have this linkId; each needs one of its own (que-2).")
                }
            }
            let type = ItemType(rawValue: source.type ?? "")
            if type == nil { report("item-type-unknown", linkID, "The item's type is none that FHIR R4 knows.") }
            let itemType = type ?? (source.item.isEmpty ? .string : .group)
            let children = build(source.item, ancestors: ancestors + [index])
            let item = FormItem(
                index: index, source: source, type: itemType, options: options.options(of: source), children: children,
                ancestors: ancestors)
            items[index] = item
            for rule in FormRules.all where rule.isBroken(source, itemType) {
                problems.append(
                    FormProblem(code: rule.code, severity: rule.severity, linkID: linkID, message: rule.message))
            }
            return item
        }
    }

    private mutating func report(_ code: String, _ linkID: String, _ message: String) {
        problems.append(FormProblem(code: code, severity: .error, linkID: linkID, message: message))
    }
}
