import Core

/// The refusal of a request by a server with care plans, or the failure to reach it.
public struct CareServerError: CodedError, Hashable {
    /// The stable code: the server's, or that of the failure.
    public let code: String
    /// A sentence for a person.
    public let message: String
    /// The HTTP status; nil without an answer.
    public let status: Int?
    /// The delay in seconds that the server asks for (`Retry-After`); nil without one.
    public let retryAfter: Double?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the stable code.
    ///   - message: a sentence for a person.
    ///   - status: the HTTP status; nil without an answer.
    ///   - retryAfter: the delay in seconds that the server asks for; nil without one.
    public init(_ code: String, message: String = "", status: Int? = nil, retryAfter: Double? = nil) {
        self.code = code
        self.message = message.isEmpty ? "The server did not accept the request (\(code))." : message
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The reaction of a store to the error of a push.
    enum Consequence {
        /// The same push may succeed later: 401, 403, 408, 409, 429, 5xx, no answer.
        case retried
        /// A version refers to one that the server lacks.
        case referenceMissing
        /// The server never takes a part of the data.
        case partRefused
        /// The server takes no data of this copy.
        case allRefused
    }

    var consequence: Consequence {
        switch (status, code) {
        case (409, "reference-missing"): .referenceMissing
        case (404, _), (413, "account-full"): .allRefused
        case (400, _), (413, _), (422, _): .partRefused
        default: .retried
        }
    }
}
