import FHIR
import Foundation

extension TemporalValue {
    /// Returns the value moved by a quantity of time (<https://hl7.org/fhirpath/N1/#datetime-arithmetic>).
    ///
    /// 1. A unit finer than the precision is converted to the precision, and the remainder is dropped.
    /// 2. Months and years keep the day, or use the last day of the month.
    /// 3. A time wraps around at midnight.
    ///
    /// - Throws: if the unit is not a unit of time, or has no definite length (`mo` and `a` of UCUM), and if the year
    ///   would not be from 1 to 9999.
    func adding(_ quantity: QuantityValue, sign: Int) throws(FHIRPathError) -> TemporalValue {
        guard let result = try moved(by: quantity, sign: sign) else {
            throw .execution("date-out-of-range", "The result would be outside of the years 1 to 9999.")
        }
        return result
    }

    private func moved(by quantity: QuantityValue, sign: Int) throws(FHIRPathError) -> TemporalValue? {
        let unit: CalendarUnit
        if let calendar = CalendarUnit(rawValue: quantity.unit) {
            // A calendar unit in quotes is not a UCUM code and can have no other meaning.
            unit = calendar
        } else if let definite = CalendarUnit(definiteCode: quantity.unit) ?? quantity.inCalendar?.calendar {
            unit = definite
        } else {
            throw .execution(
                "no-calendar-duration",
                "Only a duration can be added to a date or time, such as 3 months, 2 days or 10 'min'."
            )
        }
        let amount = FHIRPathDecimal(quantity.value.value * Decimal(sign))
        if kind == .time {
            guard unit == .hour || unit == .minute || unit == .second || unit == .millisecond else {
                throw .execution(
                    "no-time-duration",
                    "Only hours, minutes, seconds and milliseconds can be added to a time.")
            }
            return added(amount, unit)
        }
        if kind == .date, unit == .hour || unit == .minute || unit == .second || unit == .millisecond {
            // 1. A date has no parts below the day, so whole days are added.
            let perDay: Decimal =
                switch unit {
                case .hour: 24
                case .minute: 1440
                case .second: 86400
                default: 86_400_000
                }
            let days = FHIRPathDecimal(amount.value / perDay).rounded(0, amount.value < 0 ? .up : .down)
            return added(days, .day)
        }
        return added(amount, unit)
    }

    private func added(_ amount: FHIRPathDecimal, _ unit: CalendarUnit) -> TemporalValue? {
        let towardsZero: NSDecimalNumber.RoundingMode = amount.value < 0 ? .up : .down
        func whole(_ value: Decimal) -> Int? { FHIRPathDecimal(value).rounded(0, towardsZero).whole }
        switch unit {
        case .year: return whole(amount.value).flatMap { addingMonths($0, times: 12) }
        case .month:
            if precision == .year {
                return whole(amount.value / 12).flatMap { addingMonths($0, times: 12) }
            }
            return whole(amount.value).flatMap { addingMonths($0, times: 1) }
        case .week, .day:
            let factor: Decimal = unit == .week ? 7 : 1
            guard let days = whole(amount.value * factor) else { return nil }
            if precision == .year { return addingMonths(days / 365, times: 12) }
            if precision == .month { return addingMonths(days / 30, times: 1) }
            return addingNanoseconds(days: days, 0)
        case .hour, .minute, .second, .millisecond:
            return addingFine(amount, unit)
        }
    }

    private func addingFine(_ amount: FHIRPathDecimal, _ unit: CalendarUnit) -> TemporalValue? {
        let seconds: Decimal =
            switch unit {
            case .hour: amount.rounded(0, amount.value < 0 ? .up : .down).value * 3600
            case .minute: amount.rounded(0, amount.value < 0 ? .up : .down).value * 60
            case .millisecond: amount.value / 1000
            default: amount.value
            }
        let perUnit: Decimal =
            switch precision {
            case .second: 0
            case .minute: 60
            case .hour: 3600
            case .day: 86_400
            case .month: 2_592_000
            case .year: 31_536_000
            }
        if perUnit > 0 {
            let mode: NSDecimalNumber.RoundingMode = amount.value < 0 ? .up : .down
            guard let count = FHIRPathDecimal(seconds / perUnit).rounded(0, mode).whole else {
                return nil
            }
            switch precision {
            case .year: return addingMonths(count, times: 12)
            case .month: return addingMonths(count, times: 1)
            case .day: return addingNanoseconds(days: count, 0)
            default:
                let (value, overflow) = count.multipliedReportingOverflow(
                    by: precision == .hour ? 3600 : 60)
                return overflow ? nil : addingSeconds(value, nanoseconds: 0)
            }
        }
        guard let wholeSeconds = FHIRPathDecimal(seconds).rounded(0, .down).whole,
            let nanoseconds = FHIRPathDecimal((seconds - Decimal(wholeSeconds)) * 1_000_000_000).rounded(
                0
            ).whole
        else { return nil }
        return addingSeconds(wholeSeconds, nanoseconds: nanoseconds)
    }

    private func addingMonths(_ count: Int, times: Int) -> TemporalValue? {
        guard Swift.abs(count) <= 200_000 else { return nil }
        let total = year * 12 + (month - 1) + count * times
        let newYear = total >= 0 ? total / 12 : (total - 11) / 12
        guard (1...9999).contains(newYear) else { return nil }
        let newMonth = total - newYear * 12 + 1
        return TemporalValue(
            kind: kind, precision: precision, year: newYear, month: newMonth,
            day: min(day, CivilDate.daysInMonth(year: newYear, month: newMonth)), hour: hour,
            minute: minute,
            second: second,
            nanosecond: nanosecond, fractionDigits: fractionDigits, offset: offset)
    }

    private func addingSeconds(_ seconds: Int, nanoseconds: Int) -> TemporalValue? {
        guard Swift.abs(seconds) < 400_000_000_000 else { return nil }
        let days = seconds / 86400
        return addingNanoseconds(days: days, (seconds - days * 86400) * 1_000_000_000 + nanoseconds)
    }

    private func addingNanoseconds(days: Int, _ nanoseconds: Int) -> TemporalValue? {
        let perDay = 86_400_000_000_000
        let sum = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanosecond + nanoseconds
        let carried = sum >= 0 ? sum / perDay : (sum - perDay + 1) / perDay
        let rest = sum - carried * perDay
        var date = (year: year, month: month, day: day)
        if kind != .time {
            guard Swift.abs(days) < 4_000_000 else { return nil }
            date = CivilDate.date(
                days: CivilDate.days(year: year, month: month, day: day) + days + carried)
            guard (1...9999).contains(date.year) else { return nil }
        }
        let nano = rest % 1_000_000_000
        let digits =
            nano == nanosecond ? fractionDigits : max(fractionDigits, nano % 1_000_000 == 0 ? 3 : 9)
        let seconds = rest / 1_000_000_000
        return TemporalValue(
            kind: kind, precision: precision, year: date.year, month: date.month, day: date.day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60, second: seconds % 60, nanosecond: nano, fractionDigits: digits,
            offset: offset)
    }

    // MARK: Boundaries

    /// The number of digits of the value: 4 for a year, 17 for a date and time with milliseconds, 9 for a time with
    /// milliseconds.
    var digits: Int {
        let parts: Int
        switch precision {
        case .year: parts = 4
        case .month: parts = 6
        case .day: parts = 8
        case .hour: parts = 10
        case .minute: parts = 12
        case .second: parts = 14 + fractionDigits
        }
        return kind == .time ? parts - 8 : parts
    }

    /// Returns the least or greatest value that the value may represent, written with `digits` digits; nil if there is
    /// no such precision.
    func boundary(isLow: Bool, digits: Int?) -> TemporalValue? {
        let wanted = digits ?? (kind == .date ? 8 : kind == .time ? 9 : 17)
        let target: Precision
        switch (kind == .time ? wanted + 8 : wanted, kind) {
        case (4, .date), (4, .dateTime): target = .year
        case (6, .date), (6, .dateTime): target = .month
        case (8, .date), (8, .dateTime): target = .day
        case (10, .dateTime), (10, .time): target = .hour
        case (12, .dateTime), (12, .time): target = .minute
        case (14, .dateTime), (14, .time), (17, .dateTime), (17, .time): target = .second
        default: return nil
        }
        let withFraction = wanted == (kind == .time ? 9 : 17)
        let newMonth = precision >= .month ? month : isLow ? 1 : 12
        let newDay =
            precision >= .day ? day : isLow ? 1 : CivilDate.daysInMonth(year: year, month: newMonth)
        let knowsFraction = precision == .second && fractionDigits > 0
        let highNano =
            knowsFraction
            ? nanosecond + Int(pow(10.0, Double(max(0, 9 - fractionDigits)))) - 1 : 999_000_000
        let nano = !withFraction ? 0 : isLow ? nanosecond : fractionDigits >= 3 ? nanosecond : highNano
        let zone = kind == .dateTime && target > .day ? offset ?? (isLow ? 14 * 60 : -12 * 60) : nil
        return TemporalValue(
            kind: kind, precision: target, year: year, month: target >= .month ? newMonth : 1,
            day: target >= .day ? newDay : 1,
            hour: target < .hour ? 0 : precision >= .hour ? hour : isLow ? 0 : 23,
            minute: target < .minute ? 0 : precision >= .minute ? minute : isLow ? 0 : 59,
            second: target < .second ? 0 : precision >= .second ? second : isLow ? 0 : 59,
            nanosecond: target < .second ? 0 : nano - nano % 1_000_000,
            fractionDigits: withFraction ? 3 : 0,
            offset: zone)
    }
}
