/// The rule for the names by which the people of one store sign in.
///
/// ```swift
/// let rule = UsernameRule(maximumBytes: 254, message: "This is not an e-mail address.", normalize: foldedAddress)
/// ```
package struct UsernameRule: Sendable {
    /// A sentence for a person whose name is invalid.
    let message: String
    private let maximumBytes: Int
    private let normalize: @Sendable (String) -> String?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - maximumBytes: maximum number of bytes of a name, before and after it is normalized.
    ///   - message: a sentence for a person whose name is invalid.
    ///   - normalize: returns the form in which a name is stored and compared; nil for an invalid name. It is called with
    ///     up to `maximumBytes` bytes. The normalized form of a normalized name must be the same.
    package init(maximumBytes: Int, message: String, normalize: @escaping @Sendable (String) -> String?) {
        self.maximumBytes = maximumBytes
        self.message = message
        self.normalize = normalize
    }

    /// Returns the normalized name; nil for an invalid one.
    func name(_ text: String) -> String? {
        guard (1...maximumBytes).contains(text.utf8.count), let name = normalize(text),
            (1...maximumBytes).contains(name.utf8.count)
        else { return nil }
        return name
    }

    /// The rule of SMART's persons: 1 to 64 ASCII letters and digits and `.`, `-`, `_`, `@`, `+`, in lowercase, so that no
    /// two names look alike.
    package static let ascii = UsernameRule(
        maximumBytes: 64,
        message: "A username has 1 to 64 ASCII letters, digits, dots, hyphens, underscores, @ and +."
    ) { text in
        let folded = text.lowercased()
        guard folded.utf8.count == text.utf8.count,
            folded.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || ".-_@+".utf8.contains($0)
            })
        else { return nil }
        return folded
    }
}
