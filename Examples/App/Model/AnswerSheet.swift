import FHIR
import Foundation
import Questionnaires

/// One form that a person answers, as the screen shows it. A value: each change makes the screen again.
struct AnswerSheet: Sendable, Identifiable {
    /// One question or text.
    struct Row: Sendable, Identifiable {
        enum Control: Sendable, Hashable {
            case display, toggle, text
            case choice([String])
            /// A kind of question that this app does not show.
            case unsupported
        }

        let id: String
        let text: String
        let control: Control
        let answer: String
        let problem: String?
    }

    /// The answers so far.
    private(set) var session: FormSession
    /// The texts that were typed for numbers and dates, and cannot be read as such yet.
    private var unread: [String: String] = [:]

    init(_ form: QuestionnaireForm) { session = FormSession(form) }

    var id: String { session.form.questionnaire.id ?? title }
    var title: String { session.form.questionnaire.title ?? session.form.questionnaire.name ?? "Form" }
    /// Whether each typed text can be read, and no question that this app does not show must be answered.
    var canBeSent: Bool {
        unread.isEmpty
            && !session.entries().contains { $0.item.isRequired && Self.control(of: $0.item) == .unsupported }
    }

    /// The visible questions and texts, in their order.
    var rows: [Row] {
        session.entries().filter { $0.item.text != nil || $0.item.type != .group }.map { entry in
            let path = entry.path.description
            let problem = unread[path].map { _ in "This cannot be read." } ?? session.problems(at: path).first?.message
            return Row(
                id: path, text: session.text(at: entry.path) ?? entry.item.linkID,
                control: Self.control(of: entry.item),
                answer: unread[path] ?? entry.answers.first.map { Self.text(of: $0, entry.item) } ?? "",
                problem: problem)
        }
    }

    /// The answer at a path as text, as a person types or chooses it; an empty text for none.
    subscript(answer path: String) -> String {
        get { rows.first { $0.id == path }?.answer ?? "" }
        set {
            (unread[path], session[path]) = (nil, nil)
            guard !newValue.isEmpty, let item = session.entries().first(where: { $0.path.description == path })?.item
            else { return }
            session[path] = Self.value(of: newValue, item)
            if session[path] == nil { unread[path] = newValue }
        }
    }

    private static func control(of item: FormItem) -> Row.Control {
        if item.isReadOnly { return item.type == .group || item.type == .display ? .display : .unsupported }
        if let options = item.options { return item.repeats ? .unsupported : .choice(options.map(\.label)) }
        switch item.type {
        case .group, .display: return .display
        case .boolean: return .toggle
        case .quantity: return item.unit == nil ? .unsupported : .text
        case .decimal, .integer, .date, .string, .text, .time: return .text
        default: return .unsupported
        }
    }

    private static func value(of text: String, _ item: FormItem) -> AnswerValue? {
        if let options = item.options { return options.first { $0.label == text }?.value }
        switch item.type {
        case .boolean: return .boolean(text == "yes")
        case .decimal: return JSONNumber(text: text).map { .decimal($0) }
        case .integer: return Int(text).map { .integer($0) }
        case .quantity:
            guard let number = JSONNumber(text: text), let unit = item.unit else { return nil }
            var quantity = Quantity()
            quantity.value = number
            quantity.unit = unit.display ?? unit.code
            quantity.system = unit.system
            quantity.code = unit.code
            return .quantity(quantity)
        case .date: return DateTime(text).flatMap { $0.precision <= .day ? .date($0) : nil }
        case .time: return TimeOfDay(text.utf8.count == 5 ? text + ":00" : text).map { .time($0) }
        default: return .string(text)
        }
    }

    private static func text(of value: AnswerValue, _ item: FormItem) -> String {
        if case .quantity(let quantity) = value { return quantity.value?.text ?? "" }
        return item.options?.first { $0.value == value }?.label ?? value.text
    }
}
