import HTTPTypes
import Hummingbird

/// Lets a request pass if its header `Antispam` contains the study's word; the body is not read before.
package struct AntispamMiddleware: RouterMiddleware {
    package typealias Context = ServerRequestContext

    private let matches: @Sendable (String) -> Bool

    /// - Parameter matches: whether a text is the study's word, in constant time.
    package init(matches: @escaping @Sendable (String) -> Bool) { self.matches = matches }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let value = request.headers[.antispam], matches(value) else {
            throw HTTPFailure(
                .unauthorized, code: "antispam-invalid", message: "The header Antispam is missing or wrong.",
                headers: [.wwwAuthenticate: "Antispam"])
        }
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    static let antispam = HTTPField.Name(validated: "Antispam")
}
