import AccessPolicy
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Wire

extension ReceiverRoutes {
    /// `POST /oauth` and `/oauth/token`: the client credentials grant (RFC 6749 section 4.4).
    func issueToken(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await configuration.bodies.collect(request, upTo: 16 << 10)
        // 1. Read the grant from the body, or from the query as C3-PRO documented it; no other field is read from the
        //    query.
        guard let form = FormFields(body.bytes), !form.hasDuplicates, let query = request.queryForm,
            !query.hasDuplicates
        else { throw Self.invalidRequest("form-invalid", "The body must be a form without repeated fields.") }
        guard let grant = form["grant_type"] ?? query["grant_type"], !grant.isEmpty else {
            throw Self.invalidRequest("grant-missing", "The field grant_type is missing.")
        }
        guard grant == "client_credentials" else {
            throw OAuthFailure(
                "unsupported_grant_type",
                HTTPFailure(.badRequest, code: "grant-not-supported", message: "Only client_credentials is supported."))
        }
        // 2. Authenticate the client.
        let credentials = try Self.credentials(request, form)
        // The limiter stores ids, also of unknown clients, so limit their length.
        guard credentials.id.utf8.count <= Self.longestClientID else { throw Self.invalidClient }
        try configuration.limiter.admit(unproved: credentials.id, at: context.client, .tokenByClient)
        guard let actor = try await access.authenticateClient(id: credentials.id, secret: credentials.secret) else {
            throw Self.invalidClient
        }
        try configuration.limiter.admit(credentials.id, .tokenByClient)
        // 3. Issue the token.
        let issued: (token: String, expiresAt: Date)
        do {
            issued = try await access.issueToken(for: actor, lifetime: configuration.tokenLifetime)
        } catch is AccessError {
            throw Self.invalidClient
        }
        context.outcome.caller = actor.id
        return .secret(TokenResponse(accessToken: issued.token, expiresIn: Int(configuration.tokenLifetime)))
    }

    /// Reads the credentials from `Authorization: Basic` (RFC 6749 section 2.3.1: both halves form-encoded) or from the
    /// body, but not from both.
    private static func credentials(_ request: Request, _ form: FormFields) throws -> (id: String, secret: String) {
        guard request.headers.contains(.authorization) else {
            guard let id = form["client_id"], let secret = form["client_secret"] else { throw invalidClient }
            return (id, secret)
        }
        guard let encoded = request.credentials(ofScheme: "basic"), let bytes = Data(base64Encoded: encoded),
            let text = String(validUTF8: bytes), let colon = text.firstIndex(of: ":"),
            let id = PercentEncoding.decodeForm(text[..<colon]),
            let secret = PercentEncoding.decodeForm(text[text.index(after: colon)...])
        else { throw invalidClient }
        guard form["client_secret"] == nil, form["client_id"] ?? id == id else {
            throw invalidRequest("client-twice", "The client must authenticate in only one way.")
        }
        return (id, secret)
    }

    /// In bytes; the server's own ids have 36.
    private static let longestClientID = 64

    private static let invalidClient = OAuthFailure(
        "invalid_client",
        HTTPFailure(
            .unauthorized, code: "client-invalid", message: "The client's id or secret is wrong.",
            headers: [.wwwAuthenticate: "Basic"]))

    static func invalidRequest(_ code: String, _ message: String) -> OAuthFailure {
        OAuthFailure("invalid_request", HTTPFailure(.badRequest, code: code, message: message))
    }
}

extension Response {
    /// Returns a response that contains a secret (RFC 6749 section 5.1).
    static func secret(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        .json(value, status: status, headers: [.pragma: "no-cache"])
    }
}
