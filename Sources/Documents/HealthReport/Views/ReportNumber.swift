import HealthData

/// Formats numbers for the page.
enum ReportNumber {
    /// Returns `12,345`.
    static func grouped(_ value: Int) -> String {
        var digits = String(value.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        groups.insert(digits, at: 0)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// Returns the nearest whole number, `12,345`.
    static func grouped(_ value: Double) -> String { grouped(whole(value)) }

    /// Returns a number of things: `1 day`, `12 days`.
    static func count(_ value: Int, _ thing: String) -> String { "\(grouped(value)) \(thing)\(value == 1 ? "" : "s")" }

    /// Returns the number with one decimal digit if it is not whole: `72.5`.
    static func tenth(_ value: Double) -> String {
        let tenths = whole(value * 10)
        let sign = tenths < 0 ? "-" : ""
        let (number, rest) = (tenths.magnitude / 10, tenths.magnitude % 10)
        return sign + grouped(Int(number)) + (rest == 0 ? "" : ".\(rest)")
    }

    /// Returns seconds as `7 h 05 min`.
    static func hours(_ seconds: Int64) -> String {
        let minutes = minutes(seconds)
        let rest = minutes % 60
        return "\(minutes / 60) h \(rest < 10 ? "0" : "")\(rest) min"
    }

    /// Returns seconds in whole minutes, with half a minute rounded up.
    static func minutes(_ seconds: Int64) -> Int { Int((seconds + 30) / 60) }

    /// Returns a part of the width in SVG's form: `12.345%`.
    static func percent(_ fraction: Double) -> String {
        let thousandths = whole(min(max(fraction, 0), 1) * 100_000)
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)%"
    }

    /// Returns a round number that is not less than the value: 1, 2, 2.5, 4, 5 or 8 times a power of ten.
    static func ceiling(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        return ([1, 2, 2.5, 4, 5, 8].first { $0 * power >= value } ?? 10) * power
    }

    /// Returns the nearest whole number that an integer can hold.
    static func whole(_ value: Double) -> Int {
        guard value.isFinite else { return 0 }
        return Int(min(max(value, -9e15), 9e15).rounded())
    }
}
