import Core
import HTTPTypes
import Hummingbird
import NIOCore

/// A refused request, as `application/problem+json` (RFC 9457) with a stable `code`.
///
/// Routes that answer in another form convert it to their own ``HTTPRefusal``.
package struct HTTPFailure: HTTPRefusal, Hashable {
    package let status: HTTPResponse.Status
    /// The stable code, such as `server-busy`, `rate-limited`, `body-too-large`, `shutting-down`, `internal`.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String
    /// The header fields of the answer, in addition to those of its body: `Retry-After`, `WWW-Authenticate`, `Allow`.
    package var headers: HTTPFields
    /// Further members of the problem (RFC 9457 section 3.2) by name. They do not replace `code`, `detail`, `status`,
    /// `title` and `type`.
    package var members: [String: JSON] = [:]

    package init(_ status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    package func response(from request: Request, context: some RequestContext) -> Response { response }

    /// The refusal as a response, its members in alphabetical order.
    var response: Response {
        var problem = members
        problem["code"] = .string(code)
        problem["detail"] = .string(message)
        problem["status"] = .number(JSONNumber(status.code))
        problem["title"] = .string(status.reasonPhrase)
        problem["type"] = "about:blank"
        let sorted = problem.sorted { $0.key < $1.key }.map { JSONObject.Member(key: $0.key, value: $0.value) }
        return .bytes(
            ByteBuffer(bytes: JSON(sorted).bytes()), mediaType: "application/problem+json", status: status,
            headers: headers)
    }
}

extension HTTPFailure {
    /// The server's disk is full.
    package static let storageFull = HTTPFailure(
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), code: "storage-full",
        message: "The server's disk is full; nothing was stored. Try again later.", headers: [.retryAfter: "60"])

    /// The server's store cannot be written at the moment.
    package static let storageUnavailable = HTTPFailure(
        .serviceUnavailable, code: "storage-unavailable",
        message: "The server cannot store at the moment. Try again later.",
        headers: [.retryAfter: "10"])

    /// 503: the budget of bytes for bodies is used up.
    package static func serverBusy(retryAfter seconds: Int) -> HTTPFailure {
        HTTPFailure(
            .serviceUnavailable, code: "server-busy",
            message: "The server is taking in as much as it can. Nothing was stored; send it again.",
            headers: [.retryAfter: String(seconds)])
    }

    /// 429 (RFC 6585 section 4).
    package static func rateLimited(retryAfter seconds: Int) -> HTTPFailure {
        HTTPFailure(
            .tooManyRequests, code: "rate-limited", message: "Too many requests. Try again later.",
            headers: [.retryAfter: String(seconds)])
    }

    /// 413 (RFC 9110 section 15.5.14).
    package static let bodyTooLarge = HTTPFailure(
        .contentTooLarge, code: "body-too-large", message: "The body has more bytes than this server takes.")

    /// 417 (RFC 9110 section 15.5.18).
    static let expectationUnknown = HTTPFailure(
        .expectationFailed, code: "expectation-unknown",
        message: "The only expectation that this server meets is 100-continue.")

    /// 400: an address with a control character that is percent-encoded.
    static let addressInvalid = HTTPFailure(
        .badRequest, code: "address-invalid", message: "The address has a control character; leave it out.")

    /// 415 (RFC 9110 section 15.5.16): a compressed body is refused, because the body is stored or searched as it was
    /// sent.
    package static let encodingNotSupported = HTTPFailure(
        .unsupportedMediaType, code: "encoding-not-supported", message: "The body must not be compressed.")

    /// 404 (RFC 9110 section 15.5.5).
    package static let notFound = HTTPFailure(
        .notFound, code: "not-found", message: "There is nothing under this path.")

    /// 405 (RFC 9110 section 15.5.6).
    package static func methodNotAllowed(allow methods: [HTTPRequest.Method]) -> HTTPFailure {
        HTTPFailure(
            .methodNotAllowed, code: "method-not-allowed", message: "This path has no such method.",
            headers: [.allow: methods.map(\.rawValue).joined(separator: ", ")])
    }

    /// 503: the client disconnected, or the server is shutting down.
    package static let requestCancelled = HTTPFailure(
        .serviceUnavailable, code: "request-cancelled",
        message: "The request was ended before it was done. Send it again.",
        headers: [.retryAfter: "5"])

    static let shuttingDown = HTTPFailure(
        .serviceUnavailable, code: "shutting-down", message: "The server is being stopped. Try again later.",
        headers: [.retryAfter: "5"])

    /// 500 (RFC 9110 section 15.6.1).
    package static let internalError = HTTPFailure(
        .internalServerError, code: "internal", message: "Something went wrong in the server.")
}
