import FHIR
import Questionnaires

/// Codes that a form lacks, and that are then missing when answers are interpreted.
struct CodeReview {
    private let offered: OfferedCodings
    private let hasCodes: Bool
    private let hasQuestions: Bool

    init(_ outline: FormOutline, valueSet: @escaping (String) -> ValueSet?) {
        offered = OfferedCodings(of: outline.form.questionnaire, valueSet: valueSet)
        let questions = outline.nodes.filter(\.item.isQuestion)
        hasQuestions = !questions.isEmpty
        hasCodes = questions.contains { Self.isCoded($0.source) }
    }

    /// Whether the meaning of the answers is in the form.
    private static func isCoded(_ item: Questionnaire.Item) -> Bool { !item.code.isEmpty || item.definition != nil }

    /// The problems of the form as a whole.
    var problems: [FormProblem] {
        guard hasQuestions, !hasCodes else { return [] }
        return [
            FormProblem(
                code: "code-missing", severity: .information, linkID: nil,
                sentence: "No question has a code; answers have no meaning outside of this form.")
        ]
    }

    /// Returns the problems of an item.
    func problems(of node: FormOutline.Node) -> [FormProblem] {
        let (item, linkID) = (node.source, node.item.linkID)
        var problems: [FormProblem] = []
        if hasCodes, node.item.isQuestion, !Self.isCoded(item), !node.item.isHidden {
            problems.append(
                FormProblem(
                    code: "code-missing", severity: .information, linkID: linkID,
                    sentence: "The question has no code; its answers have no meaning outside of this form."))
        }
        let texts = item.answerOption.compactMap { option -> String? in
            switch option.value {
            case .string(let text)?: text
            case .coding(let coding)? where coding.code == nil: coding.display ?? ""
            default: nil
            }
        }
        if !texts.isEmpty {
            problems.append(
                .warning(
                    "option-without-concept", linkID,
                    message: """
                        \(FormProblem.list(texts)): An option that is a text has no concept of its own in the \
                        warehouse; give it a code (valueCoding).
                        """))
        }
        let names = codesWithoutSystem(of: item)
        if !names.isEmpty {
            problems.append(
                .warning(
                    "coding-without-system", linkID,
                    message: """
                        \(FormProblem.list(names)): A code without a system means nothing outside of this form; \
                        give it its system.
                        """))
        }
        return problems
    }

    /// Returns the codes without a system of an item: its own, those of its options, and those in its conditions.
    private func codesWithoutSystem(of item: Questionnaire.Item) -> [String] {
        let compared = item.enableWhen.compactMap { condition -> Coding? in
            if case .coding(let coding)? = condition.answer { coding } else { nil }
        }
        var seen: Set<String> = []
        return (item.code + (offered.codings(of: item) ?? []) + compared).compactMap { coding in
            guard coding.system == nil, let code = coding.code, seen.insert(code).inserted else { return nil }
            return code
        }
    }
}
