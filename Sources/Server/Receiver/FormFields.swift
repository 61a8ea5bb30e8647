import Core
import Foundation

/// The fields of an `application/x-www-form-urlencoded` text (RFC 6749 appendix B).
struct FormFields: Sendable {
    private var values: [String: String] = [:]

    /// nil if the text is not UTF-8 or wrongly encoded, or if a field comes twice (RFC 6749 section 3.2).
    init?(_ bytes: Data) {
        guard let text = String(validUTF8: bytes), let fields = PercentEncoding.fields(text) else { return nil }
        for field in fields where values.updateValue(field.value, forKey: field.name) != nil { return nil }
    }

    subscript(name: String) -> String? { values[name] }
}
