import FHIR
import FHIRPath
import Foundation
import Questionnaires
import UCUM

extension RenderPlan {
    /// A text that belongs to a question or group.
    public struct Note: Sendable, Hashable {
        /// Its role.
        public let role: RenderRole
        /// The text.
        public let text: RenderText
    }

    /// One instance of a group.
    public struct Section: Sendable, Hashable {
        /// The path with the number of the instance.
        public let path: ItemPath
        /// The linkId of the group.
        public let linkID: String
        /// The heading.
        public let text: RenderText?
        /// The label before the heading.
        public let prefix: RenderText?
        /// The arrangement of the content.
        public let control: RenderGroupControl
        /// The display items that belong to the group.
        public let notes: [Note]
        /// Whether at least one question inside needs an answer.
        public let isRequired: Bool
        /// Whether the group can occur again.
        public let repeats: Bool
        /// Whether this instance can be removed: there are others.
        public let canRemove: Bool
        /// Whether the group is enabled.
        public let isEnabled: Bool
        /// The form's hints.
        public let hints: RenderHints
    }

    /// A display item.
    public struct Display: Sendable, Hashable {
        /// The path of the item.
        public let path: ItemPath
        /// The linkId of the item.
        public let linkID: String
        /// The text.
        public let text: RenderText
        /// The label before the text.
        public let prefix: RenderText?
        /// Whether the item is enabled.
        public let isEnabled: Bool
        /// The form's hints.
        public let hints: RenderHints
    }

    /// The heading of the items below one of several answers.
    public struct AnswerHeading: Sendable, Hashable {
        /// The path of the question with the number of the answer.
        public let path: ItemPath
        /// The answer.
        public let answer: AnswerValue
        /// The text of the answer, in the language of the form.
        public let text: String
    }

    /// The possibility to add a repetition of a group.
    public struct Repetition: Sendable, Hashable {
        /// The path of the new instance, for ``FormSession/ensureGroup(at:)``.
        public let path: ItemPath
        /// The linkId of the group.
        public let linkID: String
        /// The text of the group.
        public let text: RenderText?
        /// Whether it is the first repetition: the group is optional and not begun.
        public var isFirst: Bool { path.steps.last?.instance == 0 }
    }

    /// An option of a question.
    public struct Option: Sendable, Hashable {
        /// The answer if it is chosen.
        public let value: AnswerValue
        /// The text.
        public let text: RenderText
        /// The label before the text, such as `a)`.
        public let prefix: String?
        /// Whether it excludes all other options.
        public let isExclusive: Bool
        /// Whether it is chosen now.
        public let isSelected: Bool
        /// A picture, sound or video of the option.
        public let media: Attachment?
        /// The texts in the columns of the question (``RenderHints/columns``), in their order; empty if it has none.
        public let cells: [String]

        /// Returns the options of a boolean question.
        ///
        /// - Parameter language: the language of yes and no.
        package static func yesAndNo(answers: [AnswerValue], in language: String? = nil) -> [Option] {
            [true, false].map { isYes in
                let value = AnswerValue.boolean(isYes)
                return Option(
                    value: value, text: RenderText(value.text(in: language)), prefix: nil, isExclusive: false,
                    isSelected: answers.contains { $0.equals(value) }, media: nil, cells: [])
            }
        }
    }

    /// A question at a path.
    public struct Question: Sendable, Hashable {
        /// The path; an answer is set there.
        public let path: ItemPath
        /// The linkId of the question.
        public let linkID: String
        /// The type of the question.
        public let type: QuestionnaireItemType
        /// The question's text.
        public let text: RenderText?
        /// The label before the text, such as `1.`.
        public let prefix: RenderText?
        /// The control.
        public let control: RenderControl
        /// The current options, followed by the answers that the form suggests.
        public let options: [Option]
        /// The answers now.
        public let answers: [AnswerValue]
        /// The texts of the answers, in the language of the form.
        public let answerTexts: [String]
        /// Whether the question needs an answer.
        public let isRequired: Bool
        /// Whether the person cannot change the answers.
        public let isReadOnly: Bool
        /// Whether the question can have several answers.
        public let repeats: Bool
        /// Whether the question is enabled.
        public let isEnabled: Bool
        /// Whether a text is an answer too, in addition to the options.
        public let takesOwnText: Bool
        /// Whether values of the question's type are answers too, in addition to the options.
        public let takesOtherValues: Bool
        /// The limits of the answers.
        public let limits: Limits
        /// The unit of a number without a unit.
        public let unit: Coding?
        /// The units that a person can choose; empty if there is no choice.
        public let units: [Coding]
        /// The display items that belong to the question.
        public let notes: [Note]
        /// The form's hints.
        public let hints: RenderHints

        /// Whether the person can answer the question: it is enabled, and neither read-only nor of the abstract type.
        public var isAnswerable: Bool { isEnabled && !isReadOnly && type != .question }

        /// Returns the text of a unit in a language, otherwise as the form has it, otherwise its code.
        ///
        /// - Parameter language: a BCP 47 tag; nil for the form's text.
        public static func text(of unit: Coding, in language: String?) -> String? {
            language.flatMap { LanguageTag($0) }.flatMap { unit.display(in: $0) } ?? unit.display ?? unit.code
        }

        /// Returns a limit as a number in the question's unit; nil if its unit cannot be converted.
        public func bound(_ limit: AnswerValue) -> Decimal? {
            guard let quantity = limit.quantity else { return limit.json.number?.decimal }
            guard let value = quantity.value?.decimal else { return nil }
            guard let code = quantity.code, let wanted = unit?.code, code != wanted else { return value }
            guard let from = quantity.ucumUnit, let to = try? UCUMUnit(wanted) else { return nil }
            return try? from.convert(value, to: to)
        }

        /// Returns the plain texts of the notes with a role.
        public func notes(_ role: RenderRole) -> [String] { notes.filter { $0.role == role }.map(\.text.plain) }
    }

    /// The limits of a question's answers now.
    public struct Limits: Sendable, Hashable {
        /// The minimum, with the result of an expression.
        public let minimum: AnswerValue?
        /// The maximum.
        public let maximum: AnswerValue?
        /// Minimum number of characters.
        public let minLength: Int?
        /// Maximum number of characters.
        public let maxLength: Int?
        /// A regular expression of ICU that begins and ends with the text; nil if there is none that can be parsed.
        public let pattern: String?
        /// The message of the form for an answer that does not match the pattern.
        public let validationText: String?
        /// An example or a pattern of the input.
        public let entryFormat: String?
        /// Maximum number of digits after the decimal point.
        public let maxDecimalPlaces: Int?
        /// Minimum number of answers.
        public let minOccurs: Int?
        /// Maximum number of answers.
        public let maxOccurs: Int?
        /// The permitted media types, such as `image/*`; empty if all are.
        public let mimeTypes: [String]
        /// Maximum size of a file in bytes.
        public let maxBytes: Decimal?
        /// The permitted types of resources; empty if all are.
        public let referenceTypes: [String]

        init(_ item: FormItem, minimum: AnswerValue?, maximum: AnswerValue?) {
            let limits = item.limits
            self.minimum = minimum.map(item.measured)
            self.maximum = maximum.map(item.measured)
            minLength = limits.minLength
            maxLength = limits.maxLength
            pattern = limits.pattern?.anchored
            validationText = limits.validationText
            entryFormat = limits.entryFormat
            maxDecimalPlaces = limits.maxDecimalPlaces
            minOccurs = limits.minOccurs
            maxOccurs = limits.maxOccurs
            mimeTypes = limits.mimeTypes
            maxBytes = limits.maxSize
            referenceTypes = limits.referenceTypes
        }
    }
}
