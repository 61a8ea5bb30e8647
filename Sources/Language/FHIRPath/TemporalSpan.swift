import FHIR

/// Number of periods between two dates or times
/// (<https://build.fhir.org/ig/HL7/FHIRPath/#date-and-time-interval-functions>).
enum TemporalSpan {
    /// Returns the number of whole periods (`duration()`) or of crossed boundaries (`difference()`); nil if a side does
    /// not have the required precision.
    ///
    /// - Throws: if the unit is not valid, or a time and a date are mixed.
    static func count(
        from start: TemporalValue, to end: TemporalValue, _ unit: String, isDuration: Bool
    ) throws(FHIRPathError) -> Int? {
        guard let unit = CalendarUnit(rawValue: unit), (start.kind == .time) == (end.kind == .time),
            isAllowed(unit, start), isAllowed(unit, end)
        else {
            throw .execution(
                "unit-expected",
                "The second argument is a unit that both values have: year, month, week, day, hour, minute, second or "
                    + "millisecond.")
        }
        let needed = precision(unit)
        guard start.precision >= needed, end.precision >= needed else { return nil }
        var (first, last) = (start, end)
        if needed > .day { (first, last) = (start.inUTC, end.inUTC) }
        return isDuration
            ? periods(from: first, to: last, unit: unit) : boundaries(from: first, to: last, unit: unit)
    }

    private static func isAllowed(_ unit: CalendarUnit, _ value: TemporalValue) -> Bool {
        let isFine = precision(unit) > .day
        switch value.kind {
        case .time: return isFine
        case .date: return !isFine
        case .dateTime: return true
        }
    }

    private static func precision(_ unit: CalendarUnit) -> TemporalValue.Precision {
        switch unit {
        case .year: .year
        case .month: .month
        case .week, .day: .day
        case .hour: .hour
        case .minute: .minute
        case .second, .millisecond: .second
        }
    }

    private static func day(_ value: TemporalValue) -> Int {
        CivilDate.days(year: value.year, month: value.month, day: value.day)
    }

    private static func milliseconds(_ value: TemporalValue) -> Int {
        ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.nanosecond / 1_000_000
    }

    private static func length(_ unit: CalendarUnit) -> Int {
        switch unit {
        case .week: 7 * 86_400_000
        case .day: 86_400_000
        case .hour: 3_600_000
        case .minute: 60_000
        case .second: 1000
        default: 1
        }
    }

    private static func total(_ value: TemporalValue) -> Int {
        day(value) * 86_400_000 + milliseconds(value)
    }

    private static func periods(from start: TemporalValue, to end: TemporalValue, unit: CalendarUnit) -> Int {
        guard unit == .year || unit == .month else { return (total(end) - total(start)) / length(unit) }
        let isBackward = total(end) < total(start)
        let (first, last) = isBackward ? (end, start) : (start, end)
        var months = (last.year - first.year) * 12 + last.month - first.month
        if (last.day, milliseconds(last)) < (first.day, milliseconds(first)) { months -= 1 }
        let count = unit == .year ? months / 12 : months
        return isBackward ? -count : count
    }

    private static func boundaries(from start: TemporalValue, to end: TemporalValue, unit: CalendarUnit) -> Int {
        switch unit {
        case .year: return end.year - start.year
        case .month: return (end.year - start.year) * 12 + end.month - start.month
        case .week: return week(end) - week(start)
        default:
            let length = length(unit)
            return total(end).flooredDivision(by: length).quotient - total(start).flooredDivision(by: length).quotient
        }
    }

    /// Number of weeks since the week of 1970-01-01, a Thursday; weeks begin on Sunday.
    private static func week(_ value: TemporalValue) -> Int { (day(value) + 4).flooredDivision(by: 7).quotient }
}
