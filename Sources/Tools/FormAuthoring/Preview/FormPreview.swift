import FHIR
import FormRendering
import Questionnaires

/// A form as its author reads it: all questions with their options, limits and conditions in words, including those that
/// are not enabled at the start. It is pure.
///
/// The texts of the form are in its language, and other words too if they are translated.
package struct FormPreview: Sendable {
    /// A group, a text or a question.
    struct Entry: Sendable {
        enum Kind: String, Sendable { case section, text, question }

        let kind: Kind
        /// The number of groups and questions around it on its page.
        let level: Int
        let linkID: String
        /// The label before the text, such as `1.`, and the text.
        let text: String
        var isRequired = false
        /// The texts that belong to it, such as help.
        var notes: [String] = []
        /// The answer that a question takes, in words; nil for other entries.
        var answer: String?
        var options: [Choice] = []
        /// The limits and other properties, in words.
        var facts: [String] = []
        var condition: ConditionText?
    }

    /// An option of a question.
    struct Choice: Sendable {
        let text: String
        /// Its weight, and whether it excludes the others, in words.
        let notes: [String]
    }

    /// A page of the form.
    struct Page: Sendable {
        /// The group of the page; nil for a page with a single item.
        let group: Entry?
        let header: [String]
        let footer: [String]
        let entries: [Entry]
    }

    /// The title of the form.
    package let title: String
    let description: String?
    let version: String?
    /// The language of the page; nil if it is unknown.
    let language: String?
    /// The languages of the form's texts.
    let languages: [String]
    let pages: [Page]
    /// The questions that are not shown to people, such as calculated scores.
    let hidden: [Entry]

    /// Creates the preview of a form.
    ///
    /// - Parameter clock: returns the current time, for limits and texts that depend on it.
    package init(_ form: QuestionnaireForm, clock: @escaping @Sendable () -> DateTime) {
        let questionnaire = form.questionnaire
        let plan = RenderPlan(FormSession(form, clock: clock), scope: RenderScope(includesDisabled: true))
        let writer = PreviewWriter(form)
        title =
            plan.title ?? questionnaire.object["name"]?.string ?? questionnaire.id
            ?? writer.written("A form without a title")
        description = questionnaire.object["description"]?.string
        version = questionnaire.object["version"]?.string
        language = form.language
        languages = questionnaire.languages.map(\.text)
        pages = plan.pages.map(writer.page)
        hidden = form.all.filter { $0.isConcealed && $0.isQuestion }.map(writer.hiddenEntry)
    }

    /// The number of questions that are shown to people, each counted once.
    package var questionCount: Int { pages.reduce(0) { $0 + $1.entries.count { $0.kind == .question } } }

    func written(_ sentence: Sentence) -> String { sentence.text(in: language, from: PreviewSentences.table) }
}
