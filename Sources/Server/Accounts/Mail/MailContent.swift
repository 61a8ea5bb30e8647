import ResearchResults

/// The recipient, the subject and the text of a mail.
///
/// ``EmailAddress`` has no line break, space or angle bracket, so that an address cannot end a command of SMTP or a
/// header field.
package struct MailContent: Sendable, Hashable {
    /// Maximum number of bytes of a subject.
    package static let maximumSubjectBytes = 1_000
    /// Maximum number of bytes of a text.
    package static let maximumTextBytes = 65_536

    package let recipient: EmailAddress
    package let subject: String
    /// The text, with any kind of line breaks.
    package let text: String

    /// Checks a mail.
    ///
    /// - Throws: ``MailError`` `mail-subject-invalid` for a subject with a line break or another control character, or
    ///   one that is too long; `mail-text-too-long`.
    package init(to recipient: EmailAddress, subject: String, text: String) throws(MailError) {
        guard subject.utf8.count <= Self.maximumSubjectBytes, !subject.unicodeScalars.contains(where: Self.breaksLine)
        else {
            throw MailError(
                code: "mail-subject-invalid",
                message: "The subject of a mail is one line of at most \(Self.maximumSubjectBytes) bytes.")
        }
        guard text.utf8.count <= Self.maximumTextBytes else {
            throw MailError(
                code: "mail-text-too-long",
                message: "The text of a mail has at most \(Self.maximumTextBytes) bytes.")
        }
        self.recipient = recipient
        self.subject = subject
        self.text = text
    }

    /// Whether a character is a control character or a line break.
    static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
