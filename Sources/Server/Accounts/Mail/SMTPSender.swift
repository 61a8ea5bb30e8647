import Dispatch
import Foundation
import ResearchResults

/// Sends mails to a server by SMTP (RFC 5321), one at a time, on a thread of its own.
package struct SMTPSender: MailSender {
    /// Time limits of one mail.
    package struct Limits: Sendable, Hashable {
        /// Maximum time until the server is connected, including TLS.
        package var connecting: Duration
        /// Maximum time of the whole attempt.
        package var whole: Duration
        /// Maximum time of an attempt after its task was cancelled. It may be at the point where only the server knows
        /// the outcome.
        package var afterCancellation: Duration

        package init(
            connecting: Duration = .seconds(10), whole: Duration = .seconds(60),
            afterCancellation: Duration = .seconds(5)
        ) {
            self.connecting = connecting
            self.whole = whole
            self.afterCancellation = afterCancellation
        }
    }

    private let configuration: MailConfiguration
    private let password: String?
    private let authorities: String?
    private let limits: Limits
    private let queue = DispatchQueue(label: "tributary.smtp")

    /// - Parameters:
    ///   - configuration: server.
    ///   - folder: folder of the study, for the files that the configuration names.
    /// - Throws: ``MailError``, see ``MailConfiguration/password(in:)``.
    package init(_ configuration: MailConfiguration, in folder: URL, limits: Limits = Limits()) throws(MailError) {
        self.configuration = configuration
        self.limits = limits
        password = try configuration.password(in: folder)
        authorities = configuration.ca.map { URL(fileURLWithPath: $0, relativeTo: folder).path }
    }

    package var sender: EmailAddress { configuration.sender }

    package func send(_ message: MailMessage) async -> MailOutcome {
        let transfer = SMTPTransfer(
            message, configuration: configuration, password: password, authorities: authorities, limits: limits)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: transfer.run()) }
            }
        } onCancel: {
            transfer.cancel()
        }
    }
}
