import HTTPTypes
import Hummingbird
import NIOCore

/// A request that is refused before a route has a say, as `application/problem+json` (RFC 9457) with a stable `code`.
///
/// Routes that answer in another form take `statusCode`, `code`, `message` and `retryAfter` from it.
public struct HTTPFailure: HTTPResponseError, Sendable, Hashable {
    public let statusCode: Int
    /// Stable: `server-busy`, `rate-limited`, `body-too-large`, `shutting-down`, `internal`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String
    /// Seconds for `Retry-After`.
    public let retryAfter: Int?

    /// 503: no bytes are free for a body.
    public static func serverBusy(retryAfter seconds: Int) -> HTTPFailure {
        HTTPFailure(
            statusCode: 503, code: "server-busy",
            message: "The server is taking in as much as it can. Nothing was stored; send it again.",
            retryAfter: seconds)
    }

    /// 429 (RFC 6585 section 4).
    public static func rateLimited(retryAfter seconds: Int) -> HTTPFailure {
        HTTPFailure(
            statusCode: 429, code: "rate-limited", message: "Too many requests. Try again later.", retryAfter: seconds)
    }

    /// 413 (RFC 9110 section 15.5.14).
    public static let bodyTooLarge = HTTPFailure(
        statusCode: 413, code: "body-too-large", message: "The body has more bytes than this server takes.",
        retryAfter: nil)

    static let shuttingDown = HTTPFailure(
        statusCode: 503, code: "shutting-down", message: "The server is being stopped. Try again later.",
        retryAfter: 5)

    static let internalError = HTTPFailure(
        statusCode: 500, code: "internal", message: "Something went wrong in the server.", retryAfter: nil)

    public var status: HTTPResponse.Status { HTTPResponse.Status(code: statusCode) }

    /// The answer.
    public var response: Response {
        // Codes and messages are ours and need no escapes.
        let json =
            "{\"code\":\"\(code)\",\"detail\":\"\(message)\",\"status\":\(statusCode),"
            + "\"title\":\"\(status.reasonPhrase)\",\"type\":\"about:blank\"}"
        var headers: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(json.utf8.count),
            .cacheControl: "no-store",
        ]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }

    public func response(from request: Request, context: some RequestContext) throws -> Response { response }
}
