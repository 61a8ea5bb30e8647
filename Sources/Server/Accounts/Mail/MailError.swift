import Core

/// An error about a mail or its configuration. It contains no address, subject or text.
package struct MailError: CodedError, Hashable {
    /// `mail-subject-invalid`, `mail-text-too-long`, `mail-id-invalid`, `mail-password-unreadable`,
    /// `mail-password-open`, `mail-password-unfit`, or `study-invalid` for a member of study.json.
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
