/// Times that a server gives, in seconds. It may give any number; a device waits, or trusts, a day at most.
enum ServerDelay {
    /// A day in seconds.
    static let longest = 86_400.0

    /// The number within 0 to a day; what is no number becomes 0.
    static func clamped(_ seconds: Double) -> Double { seconds.isNaN ? 0 : min(max(0, seconds), longest) }

    /// Reads the digits of a `delay-seconds` (RFC 9110 section 10.2.3), however many there are; `nil` for other text.
    static func read(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // What has too many digits for a number is longer than a day, or has zeros in front.
        let digits = text.drop { $0 == "0" }
        guard digits.utf8.count <= 9 else { return longest }
        return clamped(Double(digits) ?? 0)
    }
}
