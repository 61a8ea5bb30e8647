import Core
import Foundation

/// A study's rules for data that i2b2's tables withhold about participants.
///
/// In any case, ZIP codes are reduced to areas of three digits, and ages over 89 are one group
/// (45 CFR 164.514(b)(2), https://www.ecfr.gov/current/title-45/section-164.514).
package struct Deidentification: Sendable, Hashable {
    /// The handling of a participant's own words.
    package enum FreeText: Sendable, Hashable {
        /// They are loaded.
        case kept
        /// The existence of an answer is loaded, but none of its text.
        case withheld
        /// As ``withheld``, except for the answers to these questions, by linkId.
        case keptOnly(Set<String>)
    }

    /// Whether a participant's name in i2b2 is a pseudonym rather than the id in their records.
    package var isPseudonymous: Bool
    /// Maximum number of days by which a participant's dates are moved back. All dates of one participant move by the
    /// same number, from 1 to this; 0 moves none.
    package var dateShiftDays: Int
    /// The handling of free text.
    package var freeText: FreeText

    package init(isPseudonymous: Bool = false, dateShiftDays: Int = 0, freeText: FreeText = .kept) {
        self.isPseudonymous = isPseudonymous
        self.dateShiftDays = dateShiftDays
        self.freeText = freeText
    }

    /// The rules that withhold nothing.
    package static let none = Deidentification()

    /// Maximum value of ``dateShiftDays``.
    package static let maximumShift = 3650

    /// Parses the member of `study.json`; nil if it is invalid.
    package init?(_ json: JSON) {
        guard let object = json.object,
            object.members.allSatisfy({ ["pseudonym", "dateShiftDays", "freeText"].contains($0.key) })
        else { return nil }
        self.init()
        if let stated = json["pseudonym"] {
            guard let flag = stated.bool else { return nil }
            isPseudonymous = flag
        }
        if let stated = json["dateShiftDays"] {
            guard let days = stated.integer, (0...Self.maximumShift).contains(days) else { return nil }
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

    /// The rules as the member of `study.json`.
    package var json: JSON {
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
