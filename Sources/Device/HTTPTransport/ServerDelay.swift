/// Delays that a server asks for, in seconds. A server may send any number; a device waits, or trusts, up to a day.
package enum ServerDelay {
    /// A day in seconds.
    package static let longest = 86_400.0

    /// Returns the number limited to 0 to a day; NaN becomes 0.
    package static func clamped(_ seconds: Double) -> Double { seconds.isNaN ? 0 : min(max(0, seconds), longest) }

    /// Reads the digits of a `delay-seconds` (RFC 9110 section 10.2.3), of any length; `nil` for other text.
    package static func read(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // Without leading zeros, a number of more than nine digits is longer than a day.
        let digits = text.drop { $0 == "0" }
        guard digits.utf8.count <= 9 else { return longest }
        return clamped(Double(digits) ?? 0)
    }
}
