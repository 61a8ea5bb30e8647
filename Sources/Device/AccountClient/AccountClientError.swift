import Core
import Foundation
import HTTPTransport
import ResearchResults

/// An error of a request to a server with accounts.
///
/// ```swift
/// do { try await client.save(profile) } catch let error as AccountClientError where error.reason == .profileStale {
///     profile = try await client.profile()
/// }
/// ```
/// The number is that of the server's answer. Without one it comes from the kind of failure, as in CMHealth
/// (`CMHErrorUtilities`): no connection 801, 5xx 802, 404 803, 400 804, an answer that cannot be read 805, 401 and 403 806.
/// For another status it is the number of the call: 713 for accounts and profiles, 706 for files, 707 for saving and 714
/// for fetching an object, 800 for results.
///
/// The message contains no text of the server, so it may be logged.
public struct AccountClientError: CMHealthCoded, Hashable {
    /// The kinds that have no number of their own; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The address of the server is not valid, or is http to another machine.
        case urlInvalid = "url-invalid"
        /// The server could not be reached, or the connection broke. The server may have done what was requested.
        case connectionFailed = "connection-failed"
        /// The server's certificate is not trusted.
        case certificateUntrusted = "certificate-untrusted"
        /// The answer has more bytes than the limit.
        case answerTooLarge = "answer-too-large"
        /// A list has more pages, bytes or seconds than ``AccountLimits`` allows.
        case listTooLong = "list-too-long"
        /// The profile has changed since it was read. Read it again.
        case profileStale = "profile-stale"
        /// The profile was not read before it was saved.
        case profilePrecondition = "profile-precondition"
        /// A code of a mail is wrong, used or expired.
        case codeInvalid = "code-invalid"
        /// No consent is on file.
        case consentAbsent = "consent-absent"
        /// A file arrived with other bytes than were sent.
        case blobDigest = "blob-digest"
        /// An id is empty, too long or has other characters than visible ASCII.
        case idInvalid = "id-invalid"
        /// A file is larger than the limit, or has none of the formats that the call accepts.
        case fileInvalid = "file-invalid"
    }

    /// The stable code: the server's, or the client's own.
    public let code: String
    /// The error of CMHealth with the number.
    public let cmhealth: CMHealthError
    /// The HTTP status; nil without an answer.
    public let status: Int?
    /// The delay in seconds that the server asks for (`Retry-After`), 0 to a day; nil without one.
    public let retryAfter: Double?

    /// Creates an error of this kind.
    ///
    /// - Parameter cmhealth: the number; nil for that of the kind.
    init(_ reason: Reason, cmhealth: CMHealthError? = nil) {
        self.init(code: reason.rawValue, cmhealth: cmhealth ?? reason.cmhealth)
    }

    /// Creates the error of CMHealth with its own code.
    init(_ error: CMHealthError, status: Int? = nil) { self.init(code: error.code, cmhealth: error, status: status) }

    init(code: String, cmhealth: CMHealthError, status: Int? = nil, retryAfter: Double? = nil) {
        self.code = code
        self.cmhealth = cmhealth
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The kind; nil if the code is CMHealth's or only the server's.
    public var reason: Reason? { Reason(rawValue: code) }

    /// A sentence that a person can act on, with the status and a code without a sentence.
    public var message: String {
        var facts: [String] = []
        if reason == nil, CMHealthError(code: code) == nil { facts.append(code) }
        if let status { facts.append("status \(status)") }
        if let retryAfter { facts.append("try again in \(Int(retryAfter.rounded(.up))) seconds") }
        let sentence = reason?.sentence ?? cmhealth.message
        return facts.isEmpty ? sentence : "\(sentence) (\(facts.joined(separator: "; ")))"
    }
}

extension AccountClientError.Reason {
    var cmhealth: CMHealthError {
        switch self {
        case .urlInvalid, .idInvalid: .invalidRequest
        case .connectionFailed, .certificateUntrusted: .serverConnectionFailed
        case .answerTooLarge, .listTooLong: .invalidResponse
        case .profileStale, .profilePrecondition, .codeInvalid: .unknownAccountError
        case .consentAbsent: .notFound
        case .blobDigest, .fileInvalid: .failedToUploadFile
        }
    }

    var sentence: String {
        switch self {
        case .urlInvalid: "The address is not that of a server; use https, or http on this machine."
        case .connectionFailed: "The server cannot be reached, or the connection broke: check the network."
        case .certificateUntrusted: "The certificate of the server is not trusted."
        case .answerTooLarge: "The answer of the server is too large."
        case .listTooLong: "The list of the server is too long."
        case .profileStale: "The profile has changed since it was read: read it again."
        case .profilePrecondition: "Read the profile before you save it."
        case .codeInvalid: "The code is wrong, used or expired: request a new one."
        case .consentAbsent: "No consent is on file."
        case .blobDigest: "The file did not arrive as it was sent: send it again."
        case .idInvalid: "The id is not valid."
        case .fileInvalid: "The file is too large, or does not have a format that is accepted here."
        }
    }
}

/// The kind of a request, for the number of an error without one.
enum AccountRequestKind: Sendable {
    case signUp, signIn, credentials, account, file, save, fetch, result

    /// Returns the error of CMHealth for a status without a number.
    func error(status: Int) -> CMHealthError {
        switch (status, self) {
        case (400, .signUp), (422, .signUp), (400, .credentials), (422, .credentials): .invalidUserRequest
        case (401, .signIn), (401, .credentials): .invalidCredentials
        case (404, .signIn): .invalidAccount
        case (409, .signUp), (409, .credentials): .duplicateAccount
        case (400, _): .invalidRequest
        case (401, _), (403, _): .unauthorized
        case (404, _): .notFound
        case (500...599, _): .serverError
        default: other
        }
    }

    /// The error for any other status.
    private var other: CMHealthError {
        switch self {
        case .signUp, .signIn, .credentials, .account: .unknownAccountError
        case .file: .failedToUploadFile
        case .save: .failedToUploadObject
        case .fetch: .failedToFetchObject
        case .result: .unknown
        }
    }
}
