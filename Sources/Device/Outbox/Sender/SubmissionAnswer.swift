import Foundation
import Wire

/// A response to a submission, and whether it is the study's own.
///
/// Between a phone and its study are proxies, firewalls, hotel networks and maintenance pages, each of which can
/// respond with any status. So a status alone settles nothing: the body must name this submission.
public struct SubmissionAnswer: Sendable, Hashable {
    /// The mark of a response, which shows whether it is the study's.
    public enum Mark: Sendable, Hashable {
        /// No mark.
        case none
        /// The study's ``SubmissionAcknowledgement`` of this submission; for C3-PRO the empty body of the original
        /// server.
        case acknowledged
        /// The study's ``ProblemDetails`` about this submission, with this stable code.
        case problem(code: String)
    }

    /// The HTTP status.
    public let status: Int
    /// The mark, which shows whether the response is the study's.
    public let mark: Mark
    /// The delay in seconds that the response asks for, 0 to a day; `nil` for none.
    public let retryAfter: Double?

    /// Creates an answer.
    public init(status: Int, mark: Mark, retryAfter: Double? = nil) {
        self.status = status
        self.mark = mark
        self.retryAfter = retryAfter
    }

    /// Reads a response.
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

    /// Maximum bytes of a body. The study's messages have a few hundred; a longer body is another page.
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
        // A C3-PRO server does not know the submission's id, but it must not name another.
        guard isThis(problem.submission) || (format == .c3pro && problem.submission == nil) else { return .none }
        return .problem(code: code)
    }

    /// Returns whether the study's refusal with this status concerns the body, so that a repetition cannot help.
    ///
    /// The other statuses from 400 to 499 concern the client (its token, its rights, its path through a proxy) or the
    /// present moment (RFC 9110 section 15.5, RFC 6585, RFC 8470): the same bytes may be accepted later.
    static func isAboutBody(status: Int) -> Bool {
        (400..<500).contains(status)
            && ![401, 403, 404, 405, 407, 408, 412, 421, 423, 425, 426, 429, 431].contains(status)
    }
}
