import Core
import Foundation

/// The interval between two events of a schedule element: the components that CareKit's store keeps.
struct CareInterval: Sendable, Hashable {
    /// The members of the JSON, their maxima (about 10,000 years each), and their approximate lengths in seconds.
    private static let members: [(name: String, maximum: Int, seconds: Double)] = [
        ("year", 10_000, 31_556_952), ("month", 120_000, 2_629_746), ("weekOfYear", 530_000, 604_800),
        ("day", 3_700_000, 86_400), ("hour", 90_000_000, 3_600), ("minute", 5_400_000_000, 60),
        ("second", 320_000_000_000, 1),
    ]
    /// Components that an interval of CareKit's store does not have.
    private static let others = [
        "era", "weekday", "weekdayOrdinal", "quarter", "weekOfMonth", "yearForWeekOfYear", "dayOfYear", "nanosecond",
    ]

    /// The components for the calendar's arithmetic.
    let components: DateComponents
    /// The approximate length in seconds, greater than 0.
    let approximateSeconds: Double
    /// The way in which several intervals can be added at once.
    let jump: Jump

    /// The way in which several intervals can be added at once with the result of adding them one by one.
    enum Jump: Sendable, Hashable {
        /// They cannot.
        case none
        /// Each interval has this number of seconds.
        case seconds(Int)
        /// Each interval has this number of days, at the same wall time.
        case days(Int)
    }

    /// Whether the interval has years or months.
    var hasMonths: Bool { (components.year ?? 0) != 0 || (components.month ?? 0) != 0 }
    /// Whether the interval has parts that are added to the wall time: years, months, weeks or days.
    var hasDays: Bool { hasMonths || (components.weekOfYear ?? 0) != 0 || (components.day ?? 0) != 0 }

    /// Reads the interval; nil if a component is not one that CareKit's store keeps or is out of bounds, or if their sum
    /// is not greater than 0, which CareKit's store refuses.
    init?(_ json: JSON?) {
        guard let json, case .object = json else { return nil }
        for name in Self.others where json[name].map({ !$0.isNull && $0.integer != 0 }) == true { return nil }
        var components = DateComponents()
        var approximate = 0.0
        var sum = 0
        var values: [String: Int] = [:]
        for member in Self.members {
            guard let value = json[member.name], !value.isNull else { continue }
            guard let count = value.integer, (-member.maximum...member.maximum).contains(count) else { return nil }
            guard count != 0 else { continue }
            values[member.name] = count
            approximate += Double(count) * member.seconds
            sum += count
        }
        guard sum > 0, approximate > 0 else { return nil }
        components.year = values["year"]
        components.month = values["month"]
        components.weekOfYear = values["weekOfYear"]
        components.day = values["day"]
        components.hour = values["hour"]
        components.minute = values["minute"]
        components.second = values["second"]
        self.components = components
        approximateSeconds = approximate
        jump = Self.jump(values)
    }

    private static func jump(_ values: [String: Int]) -> Jump {
        guard values["year"] == nil, values["month"] == nil, values.values.allSatisfy({ $0 > 0 }) else { return .none }
        let days = (values["weekOfYear"] ?? 0) * 7 + (values["day"] ?? 0)
        let seconds = (values["hour"] ?? 0) * 3_600 + (values["minute"] ?? 0) * 60 + (values["second"] ?? 0)
        if days == 0 { return .seconds(seconds) }
        return seconds == 0 ? .days(days) : .none
    }
}
