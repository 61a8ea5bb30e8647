import Foundation

/// The calendar units of FHIRPath (<https://hl7.org/fhirpath/N1/#time-valued-quantities>).
enum CalendarUnit: String, Sendable {
    case year, month, week, day, hour, minute, second, millisecond

    /// A keyword, singular or plural.
    init?(word: String) {
        let singular = word.hasSuffix("s") ? String(word.dropLast()) : word
        self.init(rawValue: singular)
    }

    /// The UCUM code that means the same, for those with a definite length; years and months of the calendar have none.
    var definiteCode: String? {
        switch self {
        case .year, .month: nil
        case .week: "wk"
        case .day: "d"
        case .hour: "h"
        case .minute: "min"
        case .second: "s"
        case .millisecond: "ms"
        }
    }

    /// The UCUM code that is equivalent to it (`~`), years and months by their mean.
    var equivalentCode: String {
        switch self {
        case .year: "a"
        case .month: "mo"
        default: definiteCode ?? rawValue
        }
    }

    /// The calendar unit that a UCUM code stands for in date arithmetic: from the second down, and for weeks and days.
    init?(definiteCode: String) {
        switch definiteCode {
        case "wk": self = .week
        case "d": self = .day
        case "h": self = .hour
        case "min": self = .minute
        case "s": self = .second
        case "ms": self = .millisecond
        default: return nil
        }
    }

    /// The calendar unit that a UCUM code is like: years and months, too.
    init?(equivalentCode: String) {
        switch equivalentCode {
        case "a": self = .year
        case "mo": self = .month
        default: self.init(definiteCode: equivalentCode)
        }
    }

    /// The factors that bring numbers of two units into one unit: a year is 12 months or 365 days, a month 30 days
    /// (<https://hl7.org/fhirpath/N1/#toquantityunit--string--quantity>).
    static func ratio(_ first: CalendarUnit, _ second: CalendarUnit) -> (Decimal, Decimal) {
        switch (first, second) {
        case (.year, .month): (12, 1)
        case (.month, .year): (1, 12)
        default: (first.milliseconds, second.milliseconds)
        }
    }

    static func convert(_ value: Decimal, _ from: CalendarUnit, _ to: CalendarUnit) -> Decimal {
        let (left, right) = ratio(from, to)
        return from == to ? value : value * left / right
    }

    private var milliseconds: Decimal {
        switch self {
        case .year: 365 * 86_400_000
        case .month: 30 * 86_400_000
        case .week: 7 * 86_400_000
        case .day: 86_400_000
        case .hour: 3_600_000
        case .minute: 60_000
        case .second: 1000
        case .millisecond: 1
        }
    }
}
