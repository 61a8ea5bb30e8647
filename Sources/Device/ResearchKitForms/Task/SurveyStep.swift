import FHIR
import Questionnaires

/// A row of a form step: a question, or the heading of a section.
public struct SurveyFormItem: Sendable, Hashable {
    /// The identifier of the row and of its result: the linkId, or the path of a repetition.
    public let identifier: String
    /// The question, or the heading of the section.
    public let text: String?
    /// Explanations, help, units and addresses of further information.
    public let detailText: String?
    /// An example of the input.
    public let placeholder: String?
    /// Whether the person can omit the answer.
    public let isOptional: Bool
    /// The format of the answer; nil for the heading of a section.
    public let format: SurveyAnswerFormat?
    /// The path of the item in a session.
    public let path: ItemPath
    /// The linkId of the item.
    public let linkID: String
    /// Whether answers decide about the visibility of the row.
    public let isConditional: Bool
}

/// A step of a task.
public struct SurveyStep: Sendable, Hashable {
    /// The class of the step in ResearchKit.
    public enum Kind: String, Sendable {
        /// Questions of a page.
        case form = "ORKFormStep"
        /// Text only.
        case instruction = "ORKInstructionStep"
        /// A photo.
        case imageCapture = "ORKImageCaptureStep"
    }

    /// The class of the step.
    public let kind: Kind
    /// The identifier of the step and of its result.
    public let identifier: String
    /// The title of the form.
    public let title: String?
    /// The heading of the page.
    public let text: String?
    /// Explanations of the page.
    public let detailText: String?
    /// The text at the bottom.
    public let footnote: String?
    /// Whether the person can skip the step.
    public let isOptional: Bool
    /// The rows of a form; empty for other steps.
    public let formItems: [SurveyFormItem]
    /// The paths of the step's items. The step is shown if one of them is enabled.
    public let paths: [ItemPath]
    /// Whether answers decide about the visibility of the whole step.
    public let isConditional: Bool
    /// Whether the step asks for one more repetition; its only row has this identifier.
    public var isRepetition: Bool { identifier.hasPrefix(SurveyTask.repetitionMark) }

    /// The rows that are questions.
    public var questions: [SurveyFormItem] { formItems.filter { $0.format != nil } }
}
