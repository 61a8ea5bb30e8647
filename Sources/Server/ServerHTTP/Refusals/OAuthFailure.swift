import HTTPTypes
import Hummingbird

/// A refused request in the form of OAuth (RFC 6749 section 5.2; RFC 7591 section 3.2.2 has the same form).
package struct OAuthFailure: HTTPRefusal, Hashable {
    /// The registered OAuth error code, such as `invalid_client`.
    package let error: String
    private var failure: HTTPFailure

    package init(_ error: String, _ failure: HTTPFailure) {
        self.error = error
        self.failure = failure
    }

    /// Creates the failure with the OAuth error code for its status.
    package init(_ failure: HTTPFailure) {
        let error =
            switch failure.status.code {
            case 401: "unauthorized_client"
            // The request is not wrong, only too early.
            case 429: "temporarily_unavailable"
            case 400..<500: "invalid_request"
            default: "temporarily_unavailable"
            }
        self.init(error, failure)
    }

    /// Returns the failure with more header fields in its answer.
    package func adding(_ headers: HTTPFields) -> OAuthFailure {
        var changed = self
        for field in headers { changed.failure.headers[field.name] = field.value }
        return changed
    }

    package var status: HTTPResponse.Status { failure.status }
    package var code: String { failure.code }
    package var message: String { failure.message }

    package func response(from request: Request, context: some RequestContext) -> Response {
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
