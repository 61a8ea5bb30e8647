import Core

/// An HTTP problem (RFC 9457), sent as `application/problem+json`, with our stable code as an extension member and,
/// where a submission is refused, its id: by both a device knows that the study refused it and nobody on the way.
public struct ProblemDetails: JSONMessage, Encodable, Sendable, Hashable {
    /// The media type.
    public static let mediaType = "application/problem+json"

    /// A URI of the kind of problem; `about:blank` where the status says it all.
    public var type: String?
    /// A short summary of the kind.
    public var title: String?
    /// The HTTP status.
    public var status: Int?
    /// A sentence about this occurrence, without health data.
    public var detail: String?
    /// The stable code, kebab-case.
    public var code: String?
    /// The id of the submission that is refused; `nil` where the problem is not about one.
    public var submission: String?

    /// Makes a problem.
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
