import Core
import HTTPTypes
import Hummingbird
import ServerHTTP

/// A request that is refused with a page, without a redirect.
package struct PageFailure: HTTPRefusal, Hashable {
    package let status: HTTPResponse.Status
    package let code: String
    package let message: String
    private var headers: HTTPFields = [:]

    package init(_ status: HTTPResponse.Status, code: String, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Creates the page for any other error.
    package init(_ error: any Error) {
        if let failure = error as? PageFailure {
            self = failure
        } else if let failure = error as? HTTPFailure {
            self.init(failure.status, code: failure.code, message: failure.message)
            headers = failure.headers
        } else {
            let failure = HTTPFailure(authorizing: error)
            self.init(failure.status, code: failure.code, message: failure.message)
            headers = failure.headers
        }
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        let title =
            switch status {
            case .tooManyRequests: "Too many attempts"
            case .serviceUnavailable: "Please try again"
            default: "This does not work"
            }
        let wait = headers[.retryAfter].map { " Wait \($0) seconds." } ?? ""
        return Page(
            title: title,
            body: """
                <p>\(MarkupText.escaped(message + wait))</p>
                <p class="quiet">Go back to the app and start again. Code: \(MarkupText.escaped(code))</p>
                """
        ).response(status: status, headers: headers)
    }

    package static let unreadable = PageFailure(
        .badRequest, code: "form-invalid", message: "The request cannot be read.")
    package static let foreignForm = PageFailure(
        .forbidden, code: "form-foreign", message: "The form was not sent to this browser, or has expired.")
}
