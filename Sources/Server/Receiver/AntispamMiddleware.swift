import Hummingbird
import ServerHTTP
import Trust

/// Lets pass who knows the study's word; nothing of the body is read before.
struct AntispamMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// The digest of the word that the header `Antispam` carries.
    let word: SecretDigest

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let said = request.headers[.antispam], word.matches(said) else {
            throw HTTPFailure(
                .unauthorized, "antispam-invalid", "The header Antispam is missing or wrong.",
                headers: [.wwwAuthenticate: "Antispam"])
        }
        return try await next(request, context)
    }
}
