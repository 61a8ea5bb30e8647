import FHIR
import Questionnaires

/// The screens of a form for the current state of a session: pages with texts, controls, options and limits. A pure
/// value, which a front end renders; it needs nothing else of the form.
///
/// ```swift
/// for page in RenderPlan(session).pages {
///     for element in page.elements { show(element) }
/// }
/// ```
/// An answer is set at the path of its question, and then a new plan is made.
///
/// 1. Each group at the top of the form is a page, once for each repetition; so is each other item at the top.
/// 2. A group with the control `page` inside of groups that do not repeat is a page of its own. A group with the control
///    `list` is never divided.
/// 3. Hidden items are omitted, with their content. An item that is not enabled is omitted, unless its `disabledDisplay`
///    is protected: then it is shown, and cannot be changed.
/// 4. Display items with a role, such as help or unit, belong to their question or group. Those with the role header or
///    footer are shown on each page of their group, or of the form.
public struct RenderPlan: Sendable, Hashable {
    /// The order in which a person moves through the form (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-entryMode.html>).
    public enum EntryMode: String, Sendable {
        /// Forward only.
        case sequential
        /// Forward, and back to change answers.
        case priorEdit = "prior-edit"
        /// In any order.
        case random
    }

    /// A page of the form.
    public struct Page: Sendable, Hashable {
        /// The path of the item with which the page begins; it identifies the page.
        public let path: ItemPath
        /// The group of the page; nil for a page with a single item. Its heading is not among the elements.
        public let group: Section?
        /// The texts at the top of the page.
        public let header: [RenderText]
        /// The texts at the bottom of the page.
        public let footer: [RenderText]
        /// The content in the form's order.
        public let elements: [Element]

        /// The questions of the page.
        public var questions: [Question] { elements.compactMap(\.question) }
    }

    /// A part of a page.
    public enum Element: Sendable, Hashable {
        /// The heading of a group inside the page. Its content follows: the elements whose paths are below its path.
        case section(Section)
        /// A text.
        case text(Display)
        /// The heading of the items below one of several answers.
        case answer(AnswerHeading)
        /// A question.
        case question(Question)
        /// The possibility to add a repetition of a group.
        case repetition(Repetition)

        /// The path of the element. The path of a repetition is that of the new instance.
        public var path: ItemPath {
            switch self {
            case .section(let section): section.path
            case .text(let text): text.path
            case .answer(let heading): heading.path
            case .question(let question): question.path
            case .repetition(let repetition): repetition.path
            }
        }

        /// The question, if the element is one.
        public var question: Question? { if case .question(let question) = self { question } else { nil } }
    }

    /// The title of the form.
    public let title: String?
    /// The language of the texts; nil if it is unknown.
    public let language: String?
    /// The order in which a person moves through the form.
    public let entryMode: EntryMode
    /// The pages in their order.
    public let pages: [Page]

    /// Creates the plan of a session's current state.
    public init(_ session: FormSession) { self.init(session, scope: RenderScope()) }

    package init(_ session: FormSession, scope: RenderScope) {
        let questionnaire = session.form.questionnaire
        title = questionnaire.title
        language = session.form.language
        entryMode = EntryMode(of: questionnaire)
        pages = RenderPages.pages(of: session, scope: scope)
    }

    /// Whether a person can return to an earlier page.
    public var allowsBack: Bool { entryMode != .sequential }

    /// Returns the page that begins with the item at a path.
    public func page(at path: ItemPath) -> Page? { pages.first { $0.path == path } }

    /// Returns the page after another; the first one if there is no other.
    public func page(after path: ItemPath? = nil) -> Page? {
        guard let path else { return pages.first }
        guard let index = pages.firstIndex(where: { $0.path == path }) else { return nil }
        return pages.dropFirst(index + 1).first
    }

    /// Returns the page before another; nil if the form does not allow to return.
    public func page(before path: ItemPath) -> Page? {
        guard allowsBack, let index = pages.firstIndex(where: { $0.path == path }), index > 0 else { return nil }
        return pages[index - 1]
    }

    /// The numbers of visible questions that the person can answer, with an answer and in total.
    public var progress: (answered: Int, total: Int) {
        let questions = pages.flatMap(\.questions).filter(\.isAnswerable)
        return (questions.count { !$0.answers.isEmpty }, questions.count)
    }
}

extension RenderPlan.EntryMode {
    /// Reads the mode of a form; prior-edit if it contains none.
    package init(of questionnaire: Questionnaire) {
        let value = questionnaire.extension(RenderExtension.entryMode)?.value?.json.string
        self = value.flatMap(Self.init(rawValue:)) ?? .priorEdit
    }
}

/// The part of a form that a plan contains.
package struct RenderScope: Sendable {
    /// Whether items that are not enabled are included, and items below questions without an answer.
    package var includesDisabled = false
    /// The optional repeating groups without answers that the person has begun. Others are an offer to begin. Nil:
    /// the first instance of each group is included.
    package var opened: Set<ItemPath>?

    package init(includesDisabled: Bool = false, opened: Set<ItemPath>? = nil) {
        self.includesDisabled = includesDisabled
        self.opened = opened
    }
}
