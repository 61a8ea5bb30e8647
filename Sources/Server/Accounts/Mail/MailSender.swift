import ResearchResults

/// Sends mails.
package protocol MailSender: Sendable {
    /// The address that mails come from.
    var sender: EmailAddress { get }

    /// Sends a mail. It returns within a limited time, and never blocks a thread that other tasks use.
    ///
    /// The same mail may be passed again, after an attempt whose outcome was lost. If the task is cancelled, the attempt
    /// ends soon.
    func send(_ message: MailMessage) async -> MailOutcome
}
