import FHIR
import FormRendering
import Questionnaires

/// A page whose rows are collected until they make a step.
struct SurveyPageDraft {
    let page: RenderPlan.Page
    /// The further repetition that the step has; nil for the page itself.
    let key: ItemPath?
    /// The heading of the further repetition.
    var heading: String?
    var rows: [SurveyFormItem] = []
    /// The steps of further answers, after the step of the rows.
    var followUps: [SurveyStep] = []
    /// Whether no step of the page is made yet.
    private(set) var isFirst = true

    init(page: RenderPlan.Page, key: ItemPath?) {
        self.page = page
        self.key = key
    }

    /// Begins the next step of the page.
    mutating func begin() {
        if !rows.isEmpty { isFirst = false }
        rows = []
        followUps = []
    }

    /// The text of the step: the heading of the page, or of the repetition.
    var text: String? { key == nil ? page.group.flatMap { SurveyTexts.heading($0) } : heading }

    /// Whether the page is shown even without rows, because its group has texts.
    var hasOwnText: Bool { isFirst && key == nil && page.elements.isEmpty && !details.isEmpty }

    /// Whether the group of the page needs an answer.
    var isRequired: Bool { key == nil && page.group?.isRequired ?? false }

    /// The texts at the top, and those that explain the group.
    var details: [String] {
        guard key == nil, isFirst else { return [] }
        let notes = (page.group?.notes ?? []).filter { $0.role != .header && $0.role != .footer }
        return page.header.map(\.plain) + notes.map(\.text.plain)
            + (page.group.map { SurveyTexts.links($0.hints) } ?? [])
    }

    var footer: [String] { page.footer.map(\.plain) }
}

/// The texts of rows and steps.
enum SurveyTexts {
    /// Joins texts with spaces; nil if there is none.
    static func joined(_ texts: [String?]) -> String? {
        let texts = texts.compactMap { $0 }.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// Joins texts as lines; nil if there is none.
    static func lines(_ texts: [String]) -> String? {
        let texts = texts.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    static func text(_ question: RenderPlan.Question) -> String? {
        joined([question.prefix?.plain, question.text?.plain ?? question.hints.shortText])
    }

    static func heading(_ section: RenderPlan.Section) -> String? {
        let number = section.path.steps.last?.instance ?? 0
        let text = joined([section.prefix?.plain, section.text?.plain])
        return number > 0 ? joined([text, "(\(number + 1))"]) : text
    }

    /// Returns the notes of a question that its format does not show, and the addresses of further information.
    static func details(_ question: RenderPlan.Question, _ format: SurveyAnswerFormat?) -> String? {
        var shown: Set<RenderRole> = []
        switch format {
        case .scale, .continuousScale: shown = [.lower, .upper]
        case .numeric where question.unit == nil: shown = [.unit]
        default: break
        }
        if question.limits.entryFormat == nil { shown.insert(.prompt) }
        let notes = question.notes.filter { !shown.contains($0.role) }.map(\.text.plain)
        return lines(notes + links(question.hints))
    }

    /// Returns the addresses of further information, and the media that has an address.
    static func links(_ hints: RenderHints) -> [String] {
        let media = hints.media.flatMap { media in joined([media.title, media.url]) }
        return hints.supportLinks + [media].compactMap { $0 }
    }
}
