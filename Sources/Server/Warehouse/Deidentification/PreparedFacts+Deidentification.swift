import Core
import Foundation
import Storage

extension PreparedFacts {
    /// The facts as a study's rules let them be loaded.
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
    /// Stands for words that are not loaded.
    static let withheld = FactValue.text("@")

    /// A date that was written, moved; what is known to the month or the year alone is withheld.
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

/// A date at the beginning of a text, moved: what stands behind it, a time and an offset, stays.
enum ShiftedDate {
    /// Where it would leave the calendar it stays at its end.
    static func clamped(_ text: String, byDays days: Int) -> String {
        Self.text(text, byDays: days) ?? (days < 0 ? "0001-01-01" : "9999-12-31") + text.dropFirst(10)
    }

    /// nil where the text begins with no date.
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
