import HTTPTypes
import Hummingbird

/// Lets scripts of other origins read answers (CORS, <https://fetch.spec.whatwg.org/#http-cors-protocol>). Never with
/// cookies: no route that reads cookies is meant for scripts.
package struct CrossOriginMiddleware: RouterMiddleware {
    package typealias Context = ServerRequestContext

    /// The origins whose scripts may read.
    private enum Origins: Sendable {
        case any
        case some(@Sendable (String) async throws -> Bool)
    }

    private let origins: Origins
    /// The methods that a preflight lists.
    private let methods: String
    private let requestHeaders: String
    /// The response header fields that scripts may read in addition to those that are always exposed.
    private let answerHeaders: String?
    /// The path at and below which the middleware applies and answers preflights itself. nil if it applies to the
    /// routes to which it is added.
    private let root: String?
    /// The paths at or below the root that every origin may read.
    private let openPaths: Set<String>
    /// Returns the answer to an error in the form of the routes, so that scripts can read it too. nil for the
    /// middleware of a path.
    private let refusal: (@Sendable (any Error) -> OAuthFailure)?

    private static let usual = "Authorization, Content-Type, Accept"

    private init(
        _ origins: Origins, methods: String, requestHeaders: String = usual, answerHeaders: String? = nil,
        below root: String? = nil, openPaths: Set<String> = [], refusal: (@Sendable (any Error) -> OAuthFailure)? = nil
    ) {
        self.origins = origins
        self.methods = methods
        self.requestHeaders = requestHeaders
        self.answerHeaders = answerHeaders
        self.root = root
        self.openPaths = openPaths
        self.refusal = refusal
    }

    /// Creates the middleware for routes that report errors as OAuth does.
    ///
    /// - Parameters:
    ///   - refusal: returns the answer to an error in the form of the routes.
    ///   - isAllowed: returns whether an origin may read.
    package init(
        methods: String, refusal: @escaping @Sendable (any Error) -> OAuthFailure,
        isAllowed: @escaping @Sendable (String) async throws -> Bool
    ) {
        self.init(.some(isAllowed), methods: methods, refusal: refusal)
    }

    /// Returns the middleware for routes that every origin may read.
    package static func open(methods: String) -> CrossOriginMiddleware { CrossOriginMiddleware(.any, methods: methods) }

    /// Returns the middleware for a path and all paths below it, of every module and for every answer.
    ///
    /// - Parameters:
    ///   - requestHeaders: the header fields that scripts may send in addition to the usual ones.
    ///   - answerHeaders: the response header fields that scripts may read.
    ///   - openPaths: the paths that every origin may read, by GET and HEAD.
    ///   - isAllowed: returns whether an origin may read.
    package static func below(
        _ root: String, methods: String, requestHeaders: [String], answerHeaders: [String],
        openPaths: Set<String> = [], isAllowed: @escaping @Sendable (String) async throws -> Bool
    ) -> CrossOriginMiddleware {
        CrossOriginMiddleware(
            .some(isAllowed), methods: methods, requestHeaders: ([usual] + requestHeaders).joined(separator: ", "),
            answerHeaders: answerHeaders.joined(separator: ", "), below: root, openPaths: openPaths)
    }

    /// The answer to a preflight request, without the headers, which the middleware adds.
    package static let preflight: @Sendable (Request, Context) async throws -> Response = { _, _ in
        Response(status: .noContent)
    }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let root, !request.isAtOrBelow(root) { return try await next(request, context) }
        let headers = try await headers(for: request)
        do {
            // Also for an origin that may not read: without the headers, its browser sends no request.
            let isAnswered =
                root != nil && request.method == .options && request.headers[.accessControlRequestMethod] != nil
            var response =
                try await isAnswered ? Self.preflight(request, context) : next(request, context)
            // A route's own headers take precedence, for instance those of a route that every origin may read.
            guard response.headers[.accessControlAllowOrigin] == nil else { return response }
            for field in headers {
                if field.name == .vary {
                    response.vary(by: field.value)
                } else {
                    response.headers[field.name] = field.value
                }
            }
            return response
        } catch {
            throw refusal.map { $0(error).adding(headers) } ?? error
        }
    }

    private func headers(for request: Request) async throws -> HTTPFields {
        guard case .some(let isAllowed) = origins, !openPaths.contains(request.uri.path) else {
            return completed(
                [.accessControlAllowOrigin: "*"], methods: openPaths.isEmpty ? methods : "GET, HEAD", for: request)
        }
        guard let origin = request.headers[.origin] else { return root == nil ? [:] : [.vary: "Origin"] }
        guard try await isAllowed(origin) else { return [.vary: "Origin"] }
        return completed([.accessControlAllowOrigin: origin, .vary: "Origin"], methods: methods, for: request)
    }

    private func completed(_ headers: HTTPFields, methods: String, for request: Request) -> HTTPFields {
        var headers = headers
        guard request.method == .options else {
            headers[.accessControlExposeHeaders] = answerHeaders
            return headers
        }
        headers[.accessControlAllowMethods] = methods
        headers[.accessControlAllowHeaders] = requestHeaders
        headers[.accessControlMaxAge] = "600"
        return headers
    }
}
