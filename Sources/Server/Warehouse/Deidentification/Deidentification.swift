import Core
import Foundation

/// What i2b2's tables do not tell of participants: a study's rules.
///
/// ZIP codes are areas of three digits and ages over 89 are one in any case
/// (45 CFR 164.514(b)(2), https://www.ecfr.gov/current/title-45/section-164.514).
public struct Deidentification: Sendable, Hashable {
    /// What becomes of a participant's own words.
    public enum FreeText: Sendable, Hashable {
        /// They are loaded.
        case kept
        /// That there is an answer is loaded, and no word of it.
        case withheld
        /// As ``withheld``, but for the answers to these questions, by their linkIds.
        case keptOnly(Set<String>)
    }

    /// Whether a participant's name in i2b2 is a pseudonym, and not the id that their records have.
    public var isPseudonymous: Bool
    /// All dates of a participant are moved back by the same number of days, from 1 to this; 0 moves none.
    public var dateShiftDays: Int
    /// What becomes of words.
    public var freeText: FreeText

    public init(isPseudonymous: Bool = false, dateShiftDays: Int = 0, freeText: FreeText = .kept) {
        self.isPseudonymous = isPseudonymous
        self.dateShiftDays = dateShiftDays
        self.freeText = freeText
    }

    /// Nothing is withheld.
    public static let none = Deidentification()

    /// The most days that dates may be moved.
    public static let maximumShift = 3650

    /// Reads the member of `study.json`; nil for what is no rules.
    public init?(_ json: JSON) {
        guard let object = json.object,
            object.members.allSatisfy({ ["pseudonym", "dateShiftDays", "freeText"].contains($0.key) })
        else { return nil }
        self.init()
        if let said = json["pseudonym"] {
            guard let flag = said.bool else { return nil }
            isPseudonymous = flag
        }
        if let said = json["dateShiftDays"] {
            guard let days = said.integer, (0...Self.maximumShift).contains(days) else { return nil }
            dateShiftDays = days
        }
        switch json["freeText"] {
        case nil, .string("in"): freeText = .kept
        case .string("out"): freeText = .withheld
        case .array(let names)?:
            let known = names.compactMap(\.string)
            guard known.count == names.count else { return nil }
            freeText = .keptOnly(Set(known))
        default: return nil
        }
    }

    /// The member of `study.json`.
    public var json: JSON {
        let words: JSON =
            switch freeText {
            case .kept: "in"
            case .withheld: "out"
            case .keptOnly(let names): .array(names.sorted().map { .string($0) })
            }
        return [
            "pseudonym": .bool(isPseudonymous), "dateShiftDays": .number(JSONNumber(dateShiftDays)), "freeText": words,
        ]
    }
}
