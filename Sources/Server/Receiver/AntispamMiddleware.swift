import Hummingbird
import Identity
import ServerHTTP

/// Lets a request pass if its header `Antispam` contains the study's word; the body is not read before.
struct AntispamMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// Digest of the study's word.
    let word: SecretDigest

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let value = request.headers[.antispam], word.matches(value) else {
            throw HTTPFailure(
                .unauthorized, code: "antispam-invalid", message: "The header Antispam is missing or wrong.",
                headers: [.wwwAuthenticate: "Antispam"])
        }
        return try await next(request, context)
    }
}
