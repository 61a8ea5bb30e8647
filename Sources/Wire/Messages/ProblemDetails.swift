import Core

/// An HTTP problem (RFC 9457), sent as `application/problem+json`, with a stable code as an extension member and, if a
/// submission is refused, its id. By both, a device knows that the study refused it and not a proxy.
public struct ProblemDetails: JSONMessage, Encodable, Sendable, Hashable {
    /// The media type.
    public static let mediaType = "application/problem+json"

    /// A URI of the kind of problem; `about:blank` if the status is sufficient.
    public var type: String?
    /// A short summary of the kind.
    public var title: String?
    /// The HTTP status.
    public var status: Int?
    /// A sentence about this occurrence, without health data.
    public var detail: String?
    /// The stable code, kebab-case.
    public var code: String?
    /// The id of the refused submission; `nil` if the problem is not about one.
    public var submission: String?

    /// Creates a problem.
    public init(
        status: Int, title: String, code: String, detail: String? = nil, type: String = "about:blank",
        submission: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.submission = submission
    }

    public init?(json: JSON) {
        guard json.object != nil, let type = json.optional("type", \.string),
            let title = json.optional("title", \.string), let status = json.optional("status", \.integer),
            let detail = json.optional("detail", \.string), let code = json.optional("code", \.string),
            let submission = json.optional("submission", \.string)
        else { return nil }
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.submission = submission
    }
}
