import CCurl

extension MailOutcome {
    /// Returns the outcome of an attempt by SMTP.
    ///
    /// - Parameters:
    ///   - code: result of libcurl.
    ///   - reply: code of the server's last reply; 0 for none.
    ///   - isSent: whether the whole message was passed to libcurl.
    ///   - isCancelled: whether the attempt was cancelled.
    init(curl code: CURLcode, reply: Int, isSent: Bool, isCancelled: Bool = false) {
        let known = (200...599).contains(reply) ? reply : nil
        func problem(_ name: String) -> MailProblem { MailProblem(name, reply: known) }
        switch code {
        case CURLE_OK: self = .accepted
        case CURLE_ABORTED_BY_CALLBACK where isCancelled: self = .cancelled
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
            self = .unavailable(problem("mail-server-unreachable"))
        case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: self = .unavailable(problem("mail-server-timeout"))
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM:
            self = .unavailable(problem("mail-server-tls"))
        case CURLE_LOGIN_DENIED: self = .unavailable(problem("mail-server-sign-in"))
        // libcurl reports a refusal of the sender, the recipient or the start of the message as an error of sending, and
        // a refusal after the message as an unexpected reply.
        case CURLE_SEND_ERROR where known != nil, CURLE_WEIRD_SERVER_REPLY where isSent && known != nil:
            self = Self.refusal(reply)
        default: self = .unavailable(problem("mail-server-failed"))
        }
    }

    private static func refusal(_ reply: Int) -> MailOutcome {
        switch reply {
        // The server requires authentication or encryption (RFC 4954 section 6): no fault of this mail.
        case 530, 534, 535, 538: .unavailable(MailProblem("mail-server-sign-in", reply: reply))
        // The server is shutting down (RFC 5321 section 3.8).
        case 421: .unavailable(MailProblem("mail-server-failed", reply: reply))
        case 400...499: .deferred(MailProblem("mail-deferred", reply: reply))
        case 500...599: .refused(MailProblem("mail-refused", reply: reply))
        default: .unavailable(MailProblem("mail-server-failed", reply: reply))
        }
    }
}
