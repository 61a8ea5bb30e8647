import ResearchResults

/// The mails to account holders, in English. None contains a name.
package enum AccountMail: Sendable, Hashable {
    /// A code that confirms the address, and its lifetime in seconds.
    case verification(code: String, lifetime: Int)
    /// A code with which the person sets another password, and its lifetime in seconds.
    case passwordReset(code: String, lifetime: Int)
    /// Notice to the former address.
    case emailChanged
    case passwordChanged
    case accountDeleted

    /// Returns the mail.
    ///
    /// - Parameters:
    ///   - recipient: e-mail address.
    ///   - study: title of the study.
    /// - Throws: ``MailError``.
    package func content(to recipient: EmailAddress, study: String) throws(MailError) -> MailContent {
        let title = Self.line(study)
        return try MailContent(
            to: recipient, subject: "\(title): \(subject)",
            text: (paragraphs(title) + [Self.end]).joined(separator: "\n\n") + "\n")
    }

    private var subject: String {
        switch self {
        case .verification: "confirm your e-mail address"
        case .passwordReset: "reset your password"
        case .emailChanged: "your e-mail address was changed"
        case .passwordChanged: "your password was changed"
        case .accountDeleted: "your account is deleted"
        }
    }

    private func paragraphs(_ title: String) -> [String] {
        switch self {
        case .verification(let code, let lifetime):
            [
                "This address was given for an account of:\n\(title)",
                "Enter this code in the app to confirm the address.",
                "Code: \(code)",
                "The code is valid for \(Self.time(lifetime)) and can be used once.",
                "If you did not give this address, ignore this mail.",
            ]
        case .passwordReset(let code, let lifetime):
            [
                "A new password was requested for your account of:\n\(title)",
                "Enter this code and a new password in the app.",
                "Code: \(code)",
                "The code is valid for \(Self.time(lifetime)) and can be used once. The new password ends all sessions.",
                "If you did not request this, ignore this mail. Your password is unchanged.",
            ]
        case .emailChanged:
            [
                "The e-mail address of your account was changed. The study:\n\(title)",
                "This address can no longer be used to sign in.",
                "If you did not change it, write to the study team at once.",
            ]
        case .passwordChanged:
            [
                "The password of your account was changed. The study:\n\(title)",
                "If you did not change it, reset your password in the app, and write to the study team.",
            ]
        case .accountDeleted:
            [
                "The deletion of your account was requested. The study:\n\(title)",
                "The account and its data are deleted. This cannot be undone.",
                "If you did not request this, write to the study team at once.",
            ]
        }
    }

    private static let end = "A program sent this mail. Answers to it are not read."

    /// Returns a text as one line of at most 200 characters.
    private static func line(_ text: String) -> String {
        let words = text.unicodeScalars.split { MailContent.breaksLine($0) || $0.properties.isWhitespace }
        return String(
            words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ").unicodeScalars.prefix(200))
    }

    /// Returns a time in words, in the largest unit in which it is whole.
    private static func time(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (size, name) = units.first { seconds >= $0.0 && seconds % $0.0 == 0 } ?? (1, "second")
        let count = seconds / size
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
