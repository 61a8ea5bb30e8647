import HTTPTypes
import Hummingbird

/// Lets scripts of other origins read answers (CORS, <https://fetch.spec.whatwg.org/#http-cors-protocol>): never with
/// cookies, for nothing here that reads cookies is for scripts.
public struct CrossOriginMiddleware: RouterMiddleware {
    public typealias Context = ServerRequestContext

    /// Whose scripts may read.
    private enum Origins: Sendable {
        case any
        case some(@Sendable (String) async throws -> Bool)
    }

    private let origins: Origins
    /// What a preflight is told.
    private let methods: String
    private let requestHeaders: String
    /// The header fields that scripts are shown beside the few that they always are.
    private let answerHeaders: String?
    /// The path at and below which it stands; there it answers preflights itself. nil for the routes that it is added to.
    private let root: String?
    /// The paths at or below the root that every origin may read.
    private let openPaths: Set<String>
    /// An error in the form of the routes, which scripts are let read too; nil for the one that stands around.
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

    /// For routes whose errors are those of OAuth.
    ///
    /// - Parameters:
    ///   - refusal: an error in the form of the routes.
    ///   - isAllowed: whether an origin may read.
    public init(
        methods: String, refusal: @escaping @Sendable (any Error) -> OAuthFailure,
        isAllowed: @escaping @Sendable (String) async throws -> Bool
    ) {
        self.init(.some(isAllowed), methods: methods, refusal: refusal)
    }

    /// For what everybody may read.
    public static func open(methods: String) -> CrossOriginMiddleware { CrossOriginMiddleware(.any, methods: methods) }

    /// For a path and all that is below it, whichever module's it is and whatever it answers.
    ///
    /// - Parameters:
    ///   - requestHeaders: the header fields that scripts may send beside the usual ones.
    ///   - answerHeaders: the header fields that scripts are shown.
    ///   - openPaths: the paths that every origin may read, by GET and HEAD.
    ///   - isAllowed: whether an origin may read.
    public static func below(
        _ root: String, methods: String, requestHeaders: [String], answerHeaders: [String],
        openPaths: Set<String> = [], isAllowed: @escaping @Sendable (String) async throws -> Bool
    ) -> CrossOriginMiddleware {
        CrossOriginMiddleware(
            .some(isAllowed), methods: methods, requestHeaders: ([usual] + requestHeaders).joined(separator: ", "),
            answerHeaders: answerHeaders.joined(separator: ", "), below: root, openPaths: openPaths)
    }

    /// The answer before a script's request; the headers are added around it.
    public static let preflight: @Sendable (Request, Context) async throws -> Response = { _, _ in
        Response(status: .noContent)
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let root, !request.isAtOrBelow(root) { return try await next(request, context) }
        let headers = try await headers(for: request)
        do {
            // Also for an origin that may not read: without the headers its browser sends nothing.
            let isAnswered =
                root != nil && request.method == .options && request.headers[.accessControlRequestMethod] != nil
            var response =
                try await isAnswered ? Self.preflight(request, context) : next(request, context)
            // What a route says of itself, as one that everybody may read, stands.
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
            return more([.accessControlAllowOrigin: "*"], openPaths.isEmpty ? methods : "GET, HEAD", request)
        }
        guard let origin = request.headers[.origin] else { return root == nil ? [:] : [.vary: "Origin"] }
        guard try await isAllowed(origin) else { return [.vary: "Origin"] }
        return more([.accessControlAllowOrigin: origin, .vary: "Origin"], methods, request)
    }

    private func more(_ headers: HTTPFields, _ methods: String, _ request: Request) -> HTTPFields {
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
