import Foundation

/// The calendar units of FHIRPath (<https://hl7.org/fhirpath/N1/#time-valued-quantities>).
enum CalendarUnit: String, Sendable {
    case year, month, week, day, hour, minute, second, millisecond

    /// Creates the unit of a keyword, singular or plural.
    init?(word: String) {
        let singular = word.hasSuffix("s") ? String(word.dropLast()) : word
        self.init(rawValue: singular)
    }

    /// The UCUM code of equal length, for units with a definite length; calendar years and months have none.
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

    /// The equivalent UCUM code (`~`): mean years and months for those of the calendar.
    var equivalentCode: String {
        switch self {
        case .year: "a"
        case .month: "mo"
        default: definiteCode ?? rawValue
        }
    }

    /// Creates the calendar unit of a UCUM code in date arithmetic: weeks, days, hours, minutes, seconds and
    /// milliseconds.
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

    /// Creates the calendar unit that is equivalent to a UCUM code, including years and months.
    init?(equivalentCode: String) {
        switch equivalentCode {
        case "a": self = .year
        case "mo": self = .month
        default: self.init(definiteCode: equivalentCode)
        }
    }

    /// Returns the factors that convert numbers of two units into one unit: a year is 12 months or 365 days, a month is
    /// 30 days (<https://hl7.org/fhirpath/N1/#toquantityunit--string--quantity>).
    static func ratio(_ first: CalendarUnit, _ second: CalendarUnit) -> (Decimal, Decimal) {
        switch (first, second) {
        case (.year, .month): (12, 1)
        case (.month, .year): (1, 12)
        default: (first.milliseconds, second.milliseconds)
        }
    }

    static func convert(_ value: Decimal, from: CalendarUnit, to: CalendarUnit) -> Decimal {
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
