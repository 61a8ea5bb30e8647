import Core
import Foundation

/// An e-mail address that names an account.
///
/// The rule is that of CMHealth (`CMHInputValidators`): at least five characters; exactly one `@`, which is neither the
/// first nor the last character; after it at least one dot, and no dot as the first or last character.
///
/// In addition, an address is refused if it has more than 254 bytes (RFC 5321 with its erratum 1690), a space, a control
/// character or an invisible one, or a character with which the header of a mail could contain another address: `<`,
/// `>`, `,`, `;`, `"`, `\`, `(`, `)`. The username must follow the rule too.
///
/// ```swift
/// let address = try EmailAddress("Ann@Example.org")
/// print(address.username)  // ann@example.org
/// ```
public struct EmailAddress: Sendable, Hashable {
    /// Maximum number of bytes of an address, and of its username.
    public static let maximumBytes = 254
    /// Minimum number of characters, counted in UTF-16 as CMHealth does.
    public static let minimumLength = 5

    /// The address as the person wrote it. Mail goes to this address.
    public let text: String

    /// The case-folded address, by which an account is found. Two addresses with the same username are one account.
    ///
    /// The folding is: Unicode's normalization form C, then the full lowercase mapping of each code point, in no
    /// language and without regard to its neighbours (`String.lowercased()`), then form C again. It joins `Ä`, `ä` and
    /// their decomposed forms, and does not join `ß` with `ss` or `ı` with `i`.
    public let username: String

    /// Checks an address.
    ///
    /// - Throws: ``EmailAddressError``.
    public init(_ text: String) throws(EmailAddressError) {
        guard Self.isAddress(text) else { throw EmailAddressError() }
        // Form C can make a refused character of another one: U+037E becomes a semicolon.
        let username = Self.folded(text)
        guard Self.isAddress(username) else { throw EmailAddressError() }
        self.text = text
        self.username = username
    }

    /// Returns the username of a text that a person typed; nil if it is no address.
    public static func username(of text: String) -> String? { try? EmailAddress(text).username }

    private static func isAddress(_ text: String) -> Bool {
        // The bytes are counted first: the work below is bounded.
        guard text.utf8.count <= maximumBytes, text.utf16.count >= minimumLength,
            text.unicodeScalars.allSatisfy(isAllowed)
        else { return false }
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let first = parts[1].first, let last = parts[1].last else {
            return false
        }
        return first != "." && last != "." && parts[1].contains(".")
    }

    private static func folded(_ text: String) -> String {
        text.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate: false
        default: !scalar.properties.isWhitespace && !"<>,;\"\\()".unicodeScalars.contains(scalar)
        }
    }
}

/// The error for a text that is not an e-mail address.
public struct EmailAddressError: CMHealthCoded, Hashable {
    /// Creates the error.
    public init() {}

    public var code: String { "email-invalid" }
    public var message: String { "This is not an e-mail address such as ann@example.org." }
    /// 712: the request for an account is invalid.
    public var cmhealth: CMHealthError { .invalidUserRequest }
}
