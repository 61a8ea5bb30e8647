import FHIR
import Questionnaires

/// The control of a question. A hint that is unknown or does not fit the question's type gives the plain control of the
/// type (<https://hl7.org/fhir/R4/valueset-questionnaire-item-control.html>).
public enum RenderControl: String, Sendable, Hashable, CaseIterable {
    // Plain controls, by the question's type.

    /// Yes or no.
    case yesNo = "yes-no"
    /// The options as a list, of which one or several are chosen.
    case options
    /// A code without options.
    case code
    /// A number.
    case number
    /// A number with a unit.
    case quantity
    /// A date.
    case date
    /// A date and time.
    case dateTime = "date-time"
    /// A time of day.
    case time
    /// A text of one line.
    case line
    /// A text of several lines.
    case area
    /// An address, such as a URL.
    case address
    /// A reference to a resource.
    case reference
    /// A file or photo.
    case file

    // Controls that a form chooses.

    /// Options as check boxes.
    case checkBoxes = "check-box"
    /// Options as radio buttons.
    case radioButtons = "radio-button"
    /// Options as a list that drops down.
    case dropDown = "drop-down"
    /// Options that the person searches while typing.
    case autocomplete
    /// Options that the person searches in another window.
    case lookup
    /// A number, or one of few options, on a scale.
    case slider
    /// A number, date or option that buttons increase and decrease.
    case spinner
    /// A field for text.
    case textBox = "text-box"

    /// Returns the control of a question.
    ///
    /// - Parameters:
    ///   - hints: the codes of the form, in their order. The first one that fits is used.
    ///   - hasOptions: whether the question has options now.
    init(_ item: FormItem, hints: [String], hasOptions: Bool) {
        let plain = Self.plain(item.type, hasOptions: hasOptions)
        self =
            hints.lazy.compactMap(RenderControl.init(rawValue:))
            .first { Self.byHint.contains($0) && $0.fits(item.type, hasOptions: hasOptions) } ?? plain
    }

    private static let byHint: Set<RenderControl> = [
        .checkBoxes, .radioButtons, .dropDown, .autocomplete, .lookup, .slider, .spinner, .textBox,
    ]

    private func fits(_ type: QuestionnaireItemType, hasOptions: Bool) -> Bool {
        switch self {
        case .checkBoxes, .radioButtons, .dropDown: hasOptions || type == .boolean
        case .autocomplete, .lookup: hasOptions || [.choice, .openChoice, .reference].contains(type)
        case .slider: hasOptions || [.integer, .decimal, .quantity].contains(type)
        case .spinner: hasOptions || [.integer, .decimal, .quantity, .date, .dateTime, .time].contains(type)
        case .textBox: !hasOptions && [.string, .text, .url].contains(type)
        default: false
        }
    }

    private static func plain(_ type: QuestionnaireItemType, hasOptions: Bool) -> RenderControl {
        if hasOptions { return .options }
        return switch type {
        case .boolean: .yesNo
        case .choice, .openChoice: .code
        case .decimal, .integer: .number
        case .quantity: .quantity
        case .date: .date
        case .dateTime: .dateTime
        case .time: .time
        case .text: .area
        case .url: .address
        case .reference: .reference
        case .attachment: .file
        default: .line
        }
    }
}

/// The control of a group.
public enum RenderGroupControl: String, Sendable, Hashable, CaseIterable {
    /// The questions one after the other.
    case list
    /// A page of its own.
    case page
    /// The questions as rows, the options as columns, or the reverse.
    case table
    /// The questions as columns, the options as rows.
    case htable
    /// The questions as columns, the repetitions as rows.
    case gtable
    /// The questions as rows, the options as columns; an answer is marked.
    case atable
    /// Shown at the top of each screen of the group.
    case header
    /// Shown at the bottom of each screen of the group.
    case footer

    /// Returns the first control of the form's codes; `list` if there is none.
    init(hints: [String]) { self = hints.lazy.compactMap(RenderGroupControl.init(rawValue:)).first ?? .list }
}

/// The role of a display item.
public enum RenderRole: String, Sendable, Hashable, CaseIterable {
    /// A text among the others.
    case inline
    /// A text within the field of its question, as a guide.
    case prompt
    /// A unit after the field of its question.
    case unit
    /// The meaning of the lower end of a scale.
    case lower
    /// The meaning of the upper end of a scale.
    case upper
    /// A text that appears if the person points at the item.
    case flyover
    /// A text that the person can ask for.
    case help
    /// A text at the top of each screen.
    case header
    /// A text at the bottom of each screen.
    case footer

    /// Returns the first role of the form's codes; a display item of the category help is help.
    init(_ hints: RenderHints?) {
        let found = hints?.controls.lazy.compactMap(RenderRole.init(rawValue:)).first
        self = found ?? (hints?.category == "help" ? .help : .inline)
    }
}
