/// Formats measured numbers with the digits that their unit needs.
public enum MeasurementNumber {
    /// Returns the number with the decimal digits of its unit, without zeros at the end: `97`, `36.8`, `12,345`.
    ///
    /// - Parameter ucum: the UCUM code of the unit; nil if it is unknown.
    public static func text(_ value: Double, ucum: String?) -> String {
        guard value.isFinite else { return "–" }
        let fractionDigits = decimals(of: value, ucum: ucum)
        var power = 1.0
        for _ in 0..<fractionDigits { power *= 10 }
        let scaled = (value * power).rounded()
        guard abs(scaled) < 9e15 else { return String(value) }
        let digits = Int64(scaled)
        let whole = digits.magnitude / UInt64(power)
        var fraction = String(digits.magnitude % UInt64(power))
        fraction = String(repeating: "0", count: max(0, fractionDigits - fraction.count)) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let sign = digits < 0 ? "-" : ""
        return sign + ReportNumber.grouped(Int(whole)) + (fractionDigits == 0 || fraction.isEmpty ? "" : "." + fraction)
    }

    /// Returns a count with grouped digits: `12,345`.
    public static func count(_ value: Int) -> String { ReportNumber.grouped(value) }

    /// Returns the number of decimal digits to display: by the unit, otherwise three significant digits.
    static func decimals(of value: Double, ucum: String?) -> Int {
        if let ucum {
            if ucum.hasPrefix("{") { return 0 }
            if let known = byUnit[ucum] { return known }
        }
        switch abs(value) {
        case 100...: return 0
        case 10..<100: return 1
        case 1..<10, 0: return 2
        case 0.1..<1: return 3
        case 0.01..<0.1: return 4
        default: return 6
        }
    }

    private static let byUnit: [String: Int] = [
        "/min": 0, "%": 1, "mm[Hg]": 0, "Cel": 1, "[degF]": 1, "kg": 1, "g": 1, "[lb_av]": 1, "cm": 1, "m": 0, "km": 2,
        "[mi_i]": 2, "kg/m2": 1, "mg/dL": 0, "mmol/L": 1, "ms": 0, "s": 0, "min": 0, "h": 1, "d": 0, "kcal": 0, "kJ": 0,
        "W": 0, "m/s": 2, "km/h": 1, "L": 2, "mL": 0, "mL/(kg.min)": 1, "dB[SPL]": 0, "dB": 0, "[iU]": 1, "mg": 1,
        "ug": 1,
    ]
}
