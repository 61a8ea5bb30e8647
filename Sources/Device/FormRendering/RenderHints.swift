import FHIR
import Questionnaires

/// The display hints of one item, as the form contains them. They change nothing of the meaning of an answer, and a
/// front end may ignore each of them (<https://hl7.org/fhir/uv/sdc/rendering.html>).
public struct RenderHints: Sendable, Hashable {
    /// The arrangement of options or of a scale.
    public enum Orientation: String, Sendable {
        /// In one line.
        case horizontal
        /// One below the other.
        case vertical
    }

    /// Whether a group can be collapsed, and its state at first.
    public enum Collapse: String, Sendable {
        /// At first all items of the group are visible.
        case open = "default-open"
        /// At first the heading of the group is visible.
        case closed = "default-closed"
    }

    /// The display of an item that is not enabled.
    public enum DisabledDisplay: String, Sendable {
        /// It is not shown.
        case hidden
        /// It is shown, and cannot be changed.
        case protected
    }

    /// The hints of one option.
    public struct Option: Sendable, Hashable {
        /// A picture, sound or video of the option: `itemAnswerMedia`.
        public var media: Attachment?
        var rendering: TextRendering?
    }

    /// A column in which the choices of a question are shown: `sdc-questionnaire-choiceColumn`.
    public struct Column: Sendable, Hashable {
        /// The heading.
        public let label: String?
        /// The width, usually in percent.
        public let width: Quantity?
        /// Whether the column is the text of a choice.
        public let isForDisplay: Bool
    }

    /// The codes of `questionnaire-itemControl`, known or not, in their order.
    public internal(set) var controls: [String] = []
    /// The step of a slider: `questionnaire-sliderStepValue`.
    public internal(set) var sliderStep: JSONNumber?
    /// `questionnaire-choiceOrientation`.
    public internal(set) var orientation: Orientation?
    /// The category of a display item, such as `instructions`, `security` or `help`: `questionnaire-displayCategory`.
    public internal(set) var category: String?
    /// The addresses of further information: `questionnaire-supportLink`.
    public internal(set) var supportLinks: [String] = []
    /// `sdc-questionnaire-collapsible`.
    public internal(set) var collapse: Collapse?
    /// The number of columns of the options: `sdc-questionnaire-columnCount`.
    public internal(set) var columnCount: Int?
    /// The width of a column or group, usually in percent: `sdc-questionnaire-width`.
    public internal(set) var width: Quantity?
    /// A short form of the text for small screens: `sdc-questionnaire-shortText`.
    public internal(set) var shortText: String?
    /// The label of the field for an answer that is not an option: `sdc-questionnaire-openLabel`.
    public internal(set) var openLabel: String?
    /// The columns of the choices, in their order. ``RenderPlan/Option/cells`` has their texts.
    public internal(set) var columns: [Column] = []
    /// A picture, sound or video of the item: `sdc-questionnaire-itemMedia`.
    public internal(set) var media: Attachment?
    /// The keyboard: a code of `sdc-questionnaire-keyboard` (phone, email, number, url, chat), or a name of
    /// `ios-keyboardtype`.
    public internal(set) var keyboard: String?
    /// The system's name of the text's meaning, such as `emailAddress`: `ios-textcontenttype`.
    public internal(set) var textContentType: String?
    /// none, words, sentences or allCharacters: `ios-autocapitalizationType`.
    public internal(set) var capitalization: String?
    /// R5's `item.disabledDisplay`; hidden if the form contains none.
    public internal(set) var disabledDisplay = DisabledDisplay.hidden
    var text: TextRendering?
    var prefix: TextRendering?
    var options: [AnswerValue: Option] = [:]
    /// Whether an expression decides about the enablement of the item.
    var hasEnablementExpression = false

    /// Maximum number of columns of a question.
    private static let maximumColumns = 20

    init() {}

    /// Returns the hints of an item; nil if the form contains none.
    static func reading(_ item: Questionnaire.Item) -> RenderHints? {
        let object = item.object
        let extensions = object["extension"]?.array ?? []
        let isPlain = extensions.isEmpty && object["_text"] == nil && object["_prefix"] == nil
        let options = object["answerOption"]?.array ?? []
        let hasOptionHints = options.contains { option in
            option["extension"] != nil || option["_valueString"] != nil
                || option["valueCoding"].map { $0["extension"] != nil || $0["_display"] != nil } ?? false
        }
        if isPlain, !hasOptionHints { return nil }
        var hints = RenderHints()
        for extended in extensions { hints.read(extended) }
        hints.text = TextRendering(object["_text"])
        hints.prefix = TextRendering(object["_prefix"])
        // The short text is an extension of the item, and of the text in earlier versions of SDC.
        if hints.shortText == nil {
            for extended in object["_text"]?["extension"]?.array ?? []
            where extended["url"]?.string == RenderExtension.shortText {
                hints.shortText = extended["valueString"]?.string
            }
        }
        if hasOptionHints { for option in item.answerOption { hints.read(option) } }
        return hints == RenderHints() ? nil : hints
    }

    private mutating func read(_ option: Questionnaire.Item.AnswerOption) {
        guard let value = AnswerValue(option.value) else { return }
        var hint = Option()
        let extensions =
            (option["extension"]?.array ?? []) + (value.json["extension"]?.array ?? [])
        for extended in extensions where extended["url"]?.string == RenderExtension.answerMedia {
            hint.media = Attachment(json: extended["valueAttachment"])
        }
        hint.rendering = TextRendering(value.type == "Coding" ? value.json["_display"] : option["_value\(value.type)"])
        if hint != Option() { options[value] = hint }
    }

    private mutating func read(_ extended: JSON) {
        guard let url = extended["url"]?.string else { return }
        switch url {
        case FormExtension.itemControl:
            for coding in extended["valueCodeableConcept"]?["coding"]?.array ?? [] {
                guard let code = coding["code"]?.string else { continue }
                controls.append(code)
            }
        case RenderExtension.sliderStep:
            sliderStep = sliderStep ?? extended["valueInteger"]?.number ?? extended["valueDecimal"]?.number
        case RenderExtension.orientation:
            orientation = extended["valueCode"]?.string.flatMap(Orientation.init(rawValue:))
        case RenderExtension.category:
            category = extended["valueCodeableConcept"]?["coding"]?[0]?["code"]?.string
        case RenderExtension.supportLink:
            if let link = extended["valueUri"]?.string { supportLinks.append(link) }
        case RenderExtension.collapsible:
            collapse = extended["valueCode"]?.string.flatMap(Collapse.init(rawValue:))
        case RenderExtension.columnCount:
            columnCount = (extended["valuePositiveInt"] ?? extended["valueInteger"])?.integer
        case RenderExtension.width: width = Quantity(json: extended["valueQuantity"])
        case RenderExtension.shortText: shortText = extended["valueString"]?.string
        case RenderExtension.openLabel: openLabel = extended["valueString"]?.string
        case RenderExtension.choiceColumn: if columns.count < Self.maximumColumns { columns.append(Column(extended)) }
        case RenderExtension.media: media = Attachment(json: extended["valueAttachment"])
        case RenderExtension.keyboard: keyboard = keyboard ?? text(extended)
        case RenderExtension.keyboardType: keyboard = text(extended) ?? keyboard
        case RenderExtension.contentType: textContentType = text(extended)
        case RenderExtension.capitalization: capitalization = text(extended)
        case RenderExtension.disabledDisplay:
            disabledDisplay = text(extended).flatMap(DisabledDisplay.init(rawValue:)) ?? .hidden
        case FormExtension.enableWhenExpression: hasEnablementExpression = true
        default: break
        }
    }

    private func text(_ extended: JSON) -> String? {
        extended["valueString"]?.string ?? extended["valueCode"]?.string
            ?? extended["valueCodeableConcept"]?["coding"]?[0]?["code"]?.string
            ?? extended["valueCoding"]?["code"]?.string
    }
}

extension RenderHints.Column {
    /// Reads a column from its extension.
    fileprivate init(_ extended: JSON) {
        func part(_ name: String) -> JSON? { extended["extension"]?.array?.first { $0["url"]?.string == name } }
        label = part("label")?["valueString"]?.string
        width = Quantity(json: part("width")?["valueQuantity"])
        isForDisplay = part("forDisplay")?["valueBoolean"]?.bool ?? false
    }
}
