import Core
import Foundation
import Hummingbird

/// The fields of a query or of an `application/x-www-form-urlencoded` body (WHATWG URL section 5), in order.
package struct FormFields: Sendable {
    package let fields: [(name: String, value: String)]

    /// - Returns: nil if the text is wrongly encoded, is not UTF-8, or has a control character other than a tab and
    ///   line breaks.
    package init?(_ text: some StringProtocol) {
        guard let fields = PercentEncoding.fields(text),
            fields.allSatisfy({ !ControlCharacters.isIn($0.name) && !ControlCharacters.isIn($0.value) })
        else { return nil }
        self.fields = fields
    }

    /// - Returns: nil if the bytes are not UTF-8 or are wrongly encoded.
    package init?(_ body: Data) {
        guard let text = String(validUTF8: body) else { return nil }
        self.init(text)
    }

    /// Whether a name occurs twice, which OAuth forbids (RFC 6749 section 3.2).
    package var hasDuplicates: Bool { Set(fields.map(\.name)).count < fields.count }

    /// The value of the first field of this name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension Request {
    /// The query as a form, as OAuth defines it (RFC 6749 appendix B); nil if it is wrongly encoded.
    package var queryForm: FormFields? { FormFields(uri.query ?? "") }
}
