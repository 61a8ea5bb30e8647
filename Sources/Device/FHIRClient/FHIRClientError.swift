import Core
import FHIR

/// An error of a FHIR server or of its answer.
///
/// ```swift
/// do { try await server.update(patient, ifMatch: version) } catch let error as FHIRClientError {
///     switch error.reason {
///     case .versionConflict: try await reload()
///     case .serverUnavailable: try await Task.sleep(for: .seconds(error.retryAfter ?? 60))
///     default: show(error.message)
///     }
/// }
/// ```
/// The description contains codes of FHIR's own value sets and no other text of the server, so it may be logged.
public struct FHIRClientError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The base URL is not one of a FHIR server, or is http to another machine.
        case urlInvalid = "url-invalid"
        /// The request has no valid type or id.
        case requestInvalid = "request-invalid"
        /// The server has no such resource (404).
        case notFound = "not-found"
        /// The resource was deleted (410).
        case gone
        /// The server does not accept the token (401), also after its renewal.
        case tokenRefused = "token-refused"
        /// The token does not allow the request (403).
        case forbidden
        /// Another client changed the resource, or several resources match a condition (409, 412).
        case versionConflict = "version-conflict"
        /// The server refused the request, for example because the resource is not valid.
        case requestRefused = "request-refused"
        /// The server cannot process the request now (408, 425, 429, 5xx); a later attempt may succeed.
        case serverUnavailable = "server-unavailable"
        /// The answer is no FHIR resource in JSON.
        case answerInvalid = "answer-invalid"
        /// The answer is a resource of another type.
        case answerTypeMismatch = "answer-type-mismatch"
        /// The answer has more bytes than ``FHIRClientLimits/answerBytes``.
        case answerTooLarge = "answer-too-large"
        /// The search has more pages than ``FHIRClientLimits/pages``.
        case tooManyPages = "too-many-pages"

        /// Creates the kind of a status without success.
        init(status: Int) {
            switch status {
            case 401: self = .tokenRefused
            case 403: self = .forbidden
            case 404: self = .notFound
            case 410: self = .gone
            case 409, 412: self = .versionConflict
            case 408, 425, 429, 500...599: self = .serverUnavailable
            case 400..<500: self = .requestRefused
            default: self = .answerInvalid
            }
        }
    }

    /// An issue of the server's OperationOutcome, reduced to its codes.
    ///
    /// ```swift
    /// let isDuplicate = error.issues.contains { $0.code == .duplicate }
    /// ```
    public struct Issue: Sendable, Hashable {
        /// The severity; nil if it is none of FHIR's.
        public let severity: IssueSeverity?
        /// The type of the issue; nil if it is none of FHIR's.
        public let code: IssueType?
        /// The server's own codes in `details`: letters, digits, `-`, `_` and `.`, up to 64 characters each.
        public let details: [String]

        /// Creates an issue, for tests of an app.
        ///
        /// ```swift
        /// let issue = FHIRClientError.Issue(severity: .error, code: .duplicate, details: [])
        /// ```
        public init(severity: IssueSeverity?, code: IssueType?, details: [String]) {
            self.severity = severity
            self.code = code
            self.details = details
        }
    }

    /// The kind.
    public let reason: Reason
    /// The HTTP status; nil if the request was not sent.
    public let status: Int?
    /// The delay in seconds that the server asked for (`Retry-After`), 0 to a day.
    public let retryAfter: Double?
    /// The codes of the server's OperationOutcome, up to 100 issues.
    public let issues: [Issue]
    /// The server's OperationOutcome; nil if it sent none. Its texts may contain health data: do not log it.
    public let outcome: OperationOutcome?

    init(_ reason: Reason, status: Int? = nil, retryAfter: Double? = nil, outcome: OperationOutcome? = nil) {
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
        self.outcome = outcome
        issues = outcome?.issue.prefix(Self.maximumIssues).map(Issue.init) ?? []
    }

    /// The stable code, such as `version-conflict`.
    public var code: String { reason.rawValue }

    /// A sentence that a person can act on, the status, and the codes of the issues.
    public var message: String {
        var facts: [String] = []
        if let status { facts.append("status \(status)") }
        let codes = issues.compactMap(\.code?.rawValue)
        if !codes.isEmpty { facts.append("issues: " + Set(codes).sorted().joined(separator: ", ")) }
        return facts.isEmpty ? sentence : "\(sentence) (\(facts.joined(separator: "; ")))"
    }

    private var sentence: String {
        switch reason {
        case .urlInvalid: "The address is not that of a FHIR server; use https, or http on this machine."
        case .requestInvalid: "The request needs a resource type and a valid id."
        case .notFound: "The server has no such resource."
        case .gone: "The resource was deleted."
        case .tokenRefused: "The server does not accept the token: sign in again."
        case .forbidden: "The token does not allow this request."
        case .versionConflict: "Another client changed the resource, or several resources match: read it again."
        case .requestRefused: "The server refused the request."
        case .serverUnavailable: "The server cannot answer now: try again later."
        case .answerInvalid: "The server's answer is not a FHIR resource."
        case .answerTypeMismatch: "The server's answer is a resource of another type."
        case .answerTooLarge: "The server's answer is too large."
        case .tooManyPages: "The search has too many pages: narrow it."
        }
    }

    private static let maximumIssues = 100
}

extension FHIRClientError.Issue {
    /// Reads an issue. Texts that are not codes are left out, because they may contain health data.
    fileprivate init(_ issue: OperationOutcome.Issue) {
        severity = issue.severity.flatMap { if case .unrecognized = $0 { nil } else { $0 } }
        code = issue.code.flatMap { if case .unrecognized = $0 { nil } else { $0 } }
        let texts = (issue.details?.coding.compactMap(\.code) ?? []) + [issue.details?.text].compactMap { $0 }
        details = texts.prefix(10).filter(Self.isCode)
    }

    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
