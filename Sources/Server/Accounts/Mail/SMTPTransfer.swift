import CCurl
import Foundation
import Synchronization

/// One mail on its way to a server, by libcurl (https://curl.se/libcurl/c/).
final class SMTPTransfer: Sendable {
    private struct Progress {
        /// Number of bytes that libcurl has read.
        var offset = 0
        /// End of the time for the whole attempt.
        var end: ContinuousClock.Instant?
        /// End of the time that a cancelled attempt has left; nil if it is not cancelled.
        var cancelledEnd: ContinuousClock.Instant?
    }

    private let message: [UInt8]
    private let sender: String
    private let recipient: String
    private let configuration: MailConfiguration
    private let password: String?
    private let authorities: String?
    private let limits: SMTPSender.Limits
    private let progress = Mutex(Progress())

    init(
        _ message: MailMessage, configuration: MailConfiguration, password: String?, authorities: String?,
        limits: SMTPSender.Limits
    ) {
        self.message = message.bytes
        sender = message.sender.text
        recipient = message.content.recipient.text
        self.configuration = configuration
        self.password = password
        self.authorities = authorities
        self.limits = limits
    }

    /// Ends the attempt soon: at once if the server cannot have accepted the mail yet.
    func cancel() { progress.withLock { $0.cancelledEnd = .now + limits.afterCancellation } }

    private var isSent: Bool { progress.withLock { $0.offset == message.count } }
    private var isCancelled: Bool { progress.withLock { $0.cancelledEnd != nil } }

    /// Whether the attempt ends now. libcurl's own limit does not cover the reply to the last command (QUIT), for which
    /// it waits two minutes.
    private var mustEnd: Bool {
        progress.withLock { progress in
            let now = ContinuousClock.now
            if let end = progress.end, now >= end { return true }
            guard let end = progress.cancelledEnd else { return false }
            return progress.offset < message.count || now >= end
        }
    }

    /// Copies the next bytes of the message for libcurl, and returns their number.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        progress.withLock { progress in
            let part = message[progress.offset...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            progress.offset += part.count
            return part.count
        }
    }

    private static let started: Bool = shim_curl_start() == CURLE_OK

    /// Sends the mail. It blocks for at most the time limit and two seconds.
    func run() -> MailOutcome {
        progress.withLock { $0.end = .now + limits.whole }
        guard Self.started, let handle = curl_easy_init() else {
            return .unavailable(MailProblem("mail-server-failed"))
        }
        let signals = shim_curl_hold_sigpipe()
        defer { shim_curl_release_sigpipe(signals) }
        defer { curl_easy_cleanup(handle) }
        let recipients = curl_slist_append(nil, "<\(recipient)>")
        defer { curl_slist_free_all(recipients) }
        guard let recipients, settings.allSatisfy({ $0.apply(handle) == CURLE_OK }),
            shim_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients) == CURLE_OK
        else { return .unavailable(MailProblem("mail-server-failed")) }

        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = withExtendedLifetime(self) {
            let reading = shim_curl_set_reader(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context else { return 0 }
                    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
                    return transfer.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                }, context)
            let watching = shim_curl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 0 }
                    return Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue().mustEnd ? 1 : 0
                }, context)
            guard reading == CURLE_OK, watching == CURLE_OK else { return reading == CURLE_OK ? watching : reading }
            return curl_easy_perform(handle)
        }
        return MailOutcome(
            curl: code, reply: shim_curl_reply(handle), isSent: isSent, isCancelled: isCancelled)
    }

    /// An option of libcurl with its value.
    private enum Setting {
        case text(CURLoption, String)
        case number(CURLoption, Int)

        func apply(_ handle: UnsafeMutableRawPointer) -> CURLcode {
            switch self {
            case .text(let option, let text): shim_curl_set_text(handle, option, text)
            case .number(let option, let number): shim_curl_set_number(handle, option, number)
            }
        }
    }

    private var settings: [Setting] {
        let scheme = configuration.encryption == .tls ? "smtps" : "smtp"
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let protection = configuration.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        var settings: [Setting] = [
            .text(CURLOPT_URL, "\(scheme)://\(host):\(configuration.port)"),
            .text(CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            .text(CURLOPT_MAIL_FROM, "<\(sender)>"),
            .number(CURLOPT_USE_SSL, Int(protection.rawValue)),
            .number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            .number(CURLOPT_SSL_VERIFYPEER, 1),
            .number(CURLOPT_SSL_VERIFYHOST, 2),
            .number(CURLOPT_UPLOAD, 1),
            .number(CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.wholeMilliseconds),
            .number(CURLOPT_TIMEOUT_MS, limits.whole.wholeMilliseconds),
            .number(CURLOPT_SERVER_RESPONSE_TIMEOUT, limits.whole.wholeMilliseconds / 1_000 + 1),
            // No signals: other threads run.
            .number(CURLOPT_NOSIGNAL, 1),
            // No proxy of the environment.
            .text(CURLOPT_NOPROXY, "*"),
        ]
        if let authorities { settings.append(.text(CURLOPT_CAINFO, authorities)) }
        if let user = configuration.user, let password {
            settings += [.text(CURLOPT_USERNAME, user), .text(CURLOPT_PASSWORD, password)]
        }
        return settings
    }
}

extension Duration {
    /// The time in milliseconds, at least one: libcurl takes 0 for no limit.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return max(1, Int(clamping: seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
