import Foundation
import Wire

/// An answer to a submission, and whether it is the study's own word.
///
/// Between a phone and its study stand proxies, firewalls, hotel networks and pages of maintenance, each of which
/// answers with any status it likes. So a status alone settles nothing: the body must name this submission.
public struct SubmissionAnswer: Sendable, Hashable {
    /// The mark of an answer, which shows whether the study gave it.
    public enum Mark: Sendable, Hashable {
        /// Nothing does.
        case none
        /// Its ``SubmissionAcknowledgement`` of this submission; for C3-PRO the empty body of the original server.
        case acknowledged
        /// Its ``ProblemDetails`` about this submission, with this stable code.
        case problem(code: String)
    }

    /// The HTTP status.
    public let status: Int
    /// The mark that shows whether the study gave the answer.
    public let mark: Mark
    /// The wait in seconds that the answer asks for, 0 to a day; `nil` for none.
    public let retryAfter: Double?

    /// Puts an answer together.
    public init(status: Int, mark: Mark, retryAfter: Double? = nil) {
        self.status = status
        self.mark = mark
        self.retryAfter = retryAfter
    }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - submission: the id that was sent in the header ``StudyPath/submissionHeader``.
    ///   - format: the envelope that was sent.
    ///   - now: the device's time, for a `Retry-After` that is a date.
    init(_ response: TransportResponse, to submission: String, sentAs format: EnvelopeFormat, now: Date) {
        self.init(
            status: response.status, mark: Self.mark(of: response, submission, format),
            retryAfter: response.retryAfter(now: now))
    }

    /// Our own messages have some hundred bytes; a longer body is a page.
    private static let longestBody = 65_536

    private static func mark(
        of response: TransportResponse, _ submission: String, _ format: EnvelopeFormat
    ) -> Mark {
        guard response.body.count <= longestBody else { return .none }
        if format == .c3pro, response.body.isEmpty { return .acknowledged }
        func isThis(_ id: String?) -> Bool { id?.lowercased() == submission.lowercased() }
        if let acknowledgement = SubmissionAcknowledgement(reading: response.body) {
            return isThis(acknowledgement.submission) && !acknowledgement.status.isEmpty ? .acknowledged : .none
        }
        guard let problem = ProblemDetails(reading: response.body), let code = problem.code,
            TransportResponse.isPlainWord(code)
        else { return .none }
        // A server of C3-PRO's time does not know the submission's id; it must not name another.
        guard isThis(problem.submission) || (format == .c3pro && problem.submission == nil) else { return .none }
        return .problem(code: code)
    }

    /// Whether a refusal of the study with this status is about the body, so that sending it again cannot help.
    ///
    /// The other statuses from 400 to 499 tell of the client (its token, its rights, its way through a proxy) or of the
    /// moment (RFC 9110 section 15.5, RFC 6585, RFC 8470): the same bytes may be taken later.
    static func isAboutBody(status: Int) -> Bool {
        (400..<500).contains(status)
            && ![401, 403, 404, 405, 407, 408, 412, 421, 423, 425, 426, 429, 431].contains(status)
    }
}
