/// The outcome of an attempt to send a mail.
package enum MailOutcome: Sendable, Hashable {
    /// The server accepted the mail: it is responsible for it now.
    case accepted
    /// The server refused this mail for good (5xx).
    case refused(MailProblem)
    /// The server refused this mail for now (4xx), or the attempt failed otherwise. Other mails may succeed.
    case deferred(MailProblem)
    /// No mail can be sent at present, because of the server, the network or the configuration.
    case unavailable(MailProblem)
    /// The process ends. The attempt does not count.
    case cancelled

    /// The problem of the attempt; nil without one.
    package var problem: MailProblem? {
        switch self {
        case .accepted, .cancelled: nil
        case .refused(let problem), .deferred(let problem), .unavailable(let problem): problem
        }
    }
}

/// The reason why a mail was not sent. It contains nothing of the mail, so that it can be logged.
package struct MailProblem: Sendable, Hashable {
    /// Stable code: `mail-refused`, `mail-deferred`, `mail-server-unreachable`, `mail-server-timeout`,
    /// `mail-server-tls`, `mail-server-sign-in`, `mail-server-failed`, `mail-unreadable`, or the code of an error.
    package let code: String
    /// The code of the server's last reply (RFC 5321 section 4.2); nil if it sent none.
    package let reply: Int?

    package init(_ code: String, reply: Int? = nil) {
        self.code = code
        self.reply = reply
    }
}
