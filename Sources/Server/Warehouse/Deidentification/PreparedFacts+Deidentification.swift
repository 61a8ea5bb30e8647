import Core
import Foundation
import Storage

extension PreparedFacts {
    /// Returns the facts after the study's rules are applied.
    func applying(_ context: LoadContext) -> PreparedFacts {
        guard context.shiftDays != 0 || context.freeText != .kept else { return self }
        var facts = self
        facts.facts = self.facts.map { fact in
            var fact = fact
            if context.shiftDays != 0 { fact.time = fact.time?.shifted(byDays: context.shiftDays) }
            switch fact.content {
            case .data: break
            case .date:
                if context.shiftDays != 0 { fact.value = fact.value.shifted(byDays: context.shiftDays) }
            case .words(let linkID): if !context.freeText.lets(linkID) { fact.value = .withheld }
            }
            return fact
        }
        if context.shiftDays != 0 {
            facts.encounter = encounter.shifted(byDays: context.shiftDays)
            facts.start = start.shifted(byDays: context.shiftDays)
            facts.end = end.shifted(byDays: context.shiftDays)
            facts.timeText = timeText.shifted(byDays: context.shiftDays)
        }
        return facts
    }
}

extension Deidentification.FreeText {
    fileprivate func lets(_ linkID: String?) -> Bool {
        switch self {
        case .kept: true
        case .withheld: false
        case .keptOnly(let names): linkID.map(names.contains) ?? false
        }
    }
}

extension FactValue {
    /// The value that replaces text that is not loaded.
    static let withheld = FactValue.text("@")

    /// Returns a moved date. A date that is known only to the month or year is withheld.
    fileprivate func shifted(byDays days: Int) -> FactValue {
        guard case .text(let text) = self, let moved = ShiftedDate.text(text, byDays: days) else { return .withheld }
        return .text(moved)
    }
}

extension SQLValue {
    fileprivate func shifted(byDays days: Int) -> SQLValue {
        guard case .text(let text) = self else { return self }
        return .text(ShiftedDate.clamped(text, byDays: days))
    }
}

/// Moves the date at the beginning of a text. The rest, a time and an offset, is kept.
enum ShiftedDate {
    /// Returns the moved date, limited to the range of the calendar.
    static func clamped(_ text: String, byDays days: Int) -> String {
        Self.text(text, byDays: days) ?? (days < 0 ? "0001-01-01" : "9999-12-31") + text.dropFirst(10)
    }

    /// Returns the moved date; nil if the text does not begin with a date.
    static func text(_ text: String, byDays days: Int) -> String? {
        let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
        guard text.prefix(10).utf8.count == 10, parts.map(\.utf8.count) == [4, 2, 2],
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let moved = CivilDate.days(year: year, month: month, day: day) + days
        guard (1...9999).contains(CivilDate.date(days: moved).year) else { return nil }
        return SQLTimestamp.day(days: Int64(moved)) + text.dropFirst(10)
    }
}
