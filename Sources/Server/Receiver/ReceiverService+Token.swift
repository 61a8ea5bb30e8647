import Core
import Foundation
import Trust
import Wire

extension ReceiverService {
    /// `POST /oauth` and `/oauth/token`: the client credentials grant (RFC 6749 section 4.4).
    func issueToken(_ request: ReceiverRequest) async throws -> ReceiverResponse {
        let body = try await readBody(request, limit: 16 << 10)
        // 1. The grant stands in the body, or in the query as C3-PRO documented it; nothing else is taken from a query.
        guard let form = FormFields(body.bytes), let query = FormFields(Data((request.query ?? "").utf8)) else {
            throw ReceiverFailure.oauth(
                400, "invalid_request", "form-invalid", "The body must be a form with each field at most once.")
        }
        guard let grant = form["grant_type"] ?? query["grant_type"], !grant.isEmpty else {
            throw ReceiverFailure.oauth(400, "invalid_request", "grant-missing", "The field grant_type is missing.")
        }
        guard grant == "client_credentials" else {
            throw ReceiverFailure.oauth(
                400, "unsupported_grant_type", "grant-not-supported", "Only client_credentials is supported.")
        }
        // 2. The client.
        let credentials = try Self.credentials(request, form)
        // The limiter remembers whom it has seen, also who was never registered: not by texts as long as they like.
        guard credentials.id.utf8.count <= Self.longestClientID else { throw Self.invalidClient }
        try Self.pass(configuration.limiter.check(credentials.id, .tokenByClient))
        guard let actor = try await access.authenticateClient(id: credentials.id, secret: credentials.secret) else {
            throw Self.invalidClient
        }
        // 3. The token.
        let issued: (token: String, expiresAt: Date)
        do {
            issued = try await access.issueToken(for: actor, lifetime: configuration.tokenLifetime)
        } catch is TrustError {
            throw Self.invalidClient
        }
        let answer = TokenResponse(accessToken: issued.token, expiresIn: Int(configuration.tokenLifetime))
        var response = ReceiverResponse(status: 200, headers: Self.secretHeaders, body: Data.json(answer))
        response.clientID = actor.id
        return response
    }

    /// From `Authorization: Basic` (RFC 6749 section 2.3.1: both halves form-encoded) or from the body, not from both.
    private static func credentials(
        _ request: ReceiverRequest, _ form: FormFields
    ) throws -> (id: String, secret: String) {
        guard let authorization = request.authorization else {
            guard let id = form["client_id"], let secret = form["client_secret"] else { throw invalidClient }
            return (id, secret)
        }
        guard let encoded = Self.credentials(authorization, scheme: "basic"), let bytes = Data(base64Encoded: encoded),
            let text = String(validUTF8: bytes), let colon = text.firstIndex(of: ":"),
            let id = PercentEncoding.decodeForm(text[..<colon]),
            let secret = PercentEncoding.decodeForm(text[text.index(after: colon)...])
        else { throw invalidClient }
        guard form["client_secret"] == nil, form["client_id"] ?? id == id else {
            throw ReceiverFailure.oauth(
                400, "invalid_request", "client-twice", "The client must prove itself in one way alone.")
        }
        return (id, secret)
    }

    /// Bytes; ours have 36.
    private static let longestClientID = 64

    private static let invalidClient = ReceiverFailure.oauth(
        401, "invalid_client", "client-invalid", "The client's id or secret is wrong."
    ).adding("WWW-Authenticate", "Basic")
}
