import HTTPTypes
import Hummingbird

/// A request that is refused as OAuth does it (RFC 6749 section 5.2; RFC 7591 section 3.2.2 has the same shape).
public struct OAuthFailure: Refusal, Hashable {
    /// The word of the registry of OAuth errors, such as `invalid_client`.
    public let error: String
    private var failure: HTTPFailure

    public init(_ error: String, _ failure: HTTPFailure) {
        self.error = error
        self.failure = failure
    }

    /// The same failure in the words that OAuth has for its status.
    public init(_ failure: HTTPFailure) {
        let error =
            switch failure.status.code {
            case 401: "unauthorized_client"
            // Not the request is wrong, but its time.
            case 429: "temporarily_unavailable"
            case 400..<500: "invalid_request"
            default: "temporarily_unavailable"
            }
        self.init(error, failure)
    }

    /// The same with more headers in its answer.
    public func adding(_ headers: HTTPFields) -> OAuthFailure {
        var changed = self
        for field in headers { changed.failure.headers[field.name] = field.value }
        return changed
    }

    public var status: HTTPResponse.Status { failure.status }
    public var code: String { failure.code }
    public var message: String { failure.message }

    public func response(from request: Request, context: some RequestContext) -> Response {
        .json(
            Body(error: error, errorDescription: message), status: status, headers: failure.headers)
    }

    private struct Body: Encodable {
        let error: String
        let errorDescription: String

        enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }
}
