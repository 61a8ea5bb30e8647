import Foundation

/// The fields of an `application/x-www-form-urlencoded` text (RFC 6749 appendix B).
struct FormFields: Sendable {
    private var values: [String: String] = [:]

    /// nil if the text is not UTF-8 or wrongly encoded, or if a field comes twice (RFC 6749 section 3.2).
    init?(_ bytes: Data) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        for field in text.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : ""),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// A name or value: `+` is a space, `%41` a byte; nil if wrongly encoded.
    static func decode(_ text: Substring) -> String? {
        text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}
