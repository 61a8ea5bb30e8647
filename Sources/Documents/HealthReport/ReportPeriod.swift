import FHIR
import HealthData

/// The length of the periods in a plot, chosen so that ten years fit on a page as well as ten days.
enum ReportPeriod: String, Sendable {
    case day, week, month, year

    /// Returns the shortest period with which a plot of the days has no more than about two hundred periods.
    init(of days: ClosedRange<HealthDay>) {
        switch days.upperBound.number - days.lowerBound.number + 1 {
        case ...184: self = .day
        case ...1300: self = .week
        case ...6600: self = .month
        default: self = .year
        }
    }

    /// Returns the first day of the period that contains a day. Weeks begin on Monday.
    func start(of day: HealthDay) -> HealthDay {
        let date = day.date
        return switch self {
        case .day: day
        case .week: day.adding(-day.weekday)
        case .month: day.adding(1 - date.day)
        case .year: Self.month(date.year, 1)
        }
    }

    /// Returns the first day of the period after the one that begins on a day.
    private func next(after start: HealthDay) -> HealthDay {
        let date = start.date
        return switch self {
        case .day: start.adding(1)
        case .week: start.adding(7)
        case .month: date.month == 12 ? Self.month(date.year + 1, 1) : Self.month(date.year, date.month + 1)
        case .year: Self.month(date.year + 1, 1)
        }
    }

    private static func month(_ year: Int, _ month: Int) -> HealthDay {
        HealthDay(number: CivilDate.days(year: year, month: month, day: 1))
    }

    /// Returns the first days of the periods, without a gap.
    func starts(of days: ClosedRange<HealthDay>) -> [HealthDay] {
        var starts = [start(of: days.lowerBound)]
        var day = next(after: start(of: days.lowerBound))
        while day <= days.upperBound {
            starts.append(day)
            day = next(after: day)
        }
        return starts
    }

    /// Returns the period as text: `2023-02-11`, `week of 2023-02-06`, `2023-02`, `2023`.
    func label(_ start: HealthDay) -> String {
        switch self {
        case .day: start.text
        case .week: "week of " + start.text
        case .month: String(start.text.prefix(7))
        case .year: String(start.text.prefix(4))
        }
    }

    /// Returns the period as a short text for the axis.
    func tick(_ start: HealthDay) -> String { self == .week ? start.text : label(start) }
}

/// Values of days, combined by period; periods without data are included.
struct Periods<Value> {
    let period: ReportPeriod
    let starts: [HealthDay]
    let values: [Value?]

    /// - Parameter days: the days in order. The result is nil if there are none.
    init?(_ days: [(day: HealthDay, value: Value)], combine: (inout Value, Value) -> Void) {
        guard let first = days.first?.day, let last = days.last?.day else { return nil }
        period = ReportPeriod(of: first...last)
        starts = period.starts(of: first...last)
        var values = Array(repeating: Value?.none, count: starts.count)
        var index = 0
        for (day, value) in days {
            while index + 1 < starts.count, starts[index + 1] <= day { index += 1 }
            if var sum = values[index] {
                values[index] = nil
                combine(&sum, value)
                values[index] = sum
            } else {
                values[index] = value
            }
        }
        self.values = values
    }

    /// The periods that have a value.
    var filled: [(start: HealthDay, value: Value)] {
        zip(starts, values).compactMap { start, value in value.map { (start, $0) } }
    }

    var range: String { "\(starts.first?.text ?? "") to \(period.label(starts.last ?? HealthDay(number: 0)))" }
}
