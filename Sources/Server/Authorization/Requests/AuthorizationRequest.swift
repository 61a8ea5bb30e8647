import AccessPolicy
import Core
import Foundation
import Identity
import ServerHTTP

/// A validated authorization request of an app (RFC 6749 section 4.1.1, with the parameters of PKCE, SMART and OpenID
/// Connect).
///
/// The pages carry the request in hidden fields, and each submitted form is parsed and validated again: what a browser
/// sends is never trusted.
struct AuthorizationRequest: Sendable {
    let client: RegisteredClient
    let redirectURI: String
    let state: String
    /// The scopes as requested.
    let scope: String
    /// The requested scopes that the client may have; never empty.
    let scopes: AccessScopes
    let challenge: String
    let nonce: String?
    /// Whether the person must not be asked anything (OpenID Connect Core 1.0 section 3.1.2.1).
    let isSilent: Bool
    private let audience: String

    private static let longestState = 4_096
    private static let longestNonce = 512

    /// Returns the client and its redirect URI.
    ///
    /// - Throws: ``PageFailure`` if either is not registered. Then the browser is not redirected.
    static func destination(
        _ fields: FormFields, _ access: AccessStores
    ) async throws -> (client: RegisteredClient, redirectURI: String) {
        func only(_ name: String) -> String? {
            let found = fields.fields.filter { $0.name == name }
            return found.count == 1 ? found[0].value : nil
        }
        guard let id = only("client_id"), id.utf8.count <= 256, let client = try await access.clients.client(id: id)
        else {
            throw PageFailure(
                .badRequest, code: "client-unknown",
                message: "The app is not registered here, so you cannot be sent back to it.")
        }
        guard let uri = only("redirect_uri"), client.redirectURIs.contains(uri) else {
            throw PageFailure(
                .badRequest, code: "redirect-uri-unknown",
                message: "The app asked to send you to an address that it has not registered. You were not sent there.")
        }
        return (client, uri)
    }

    /// Parses the other parameters.
    ///
    /// - Parameter scope: the name of the field with the scopes.
    /// - Throws: ``AuthorizationRefusal``, which is reported to the app.
    init(
        _ fields: FormFields, client: RegisteredClient, redirectURI: String, addresses: AuthorizationAddresses,
        scopesIn scopeField: String = "scope"
    ) throws(AuthorizationRefusal) {
        self.client = client
        self.redirectURI = redirectURI
        let states = fields.fields.filter { $0.name == "state" }
        let state = states.count == 1 && states[0].value.utf8.count <= Self.longestState ? states[0].value : nil
        func refusal(_ error: String, _ message: String) -> AuthorizationRefusal {
            AuthorizationRefusal(error, message, redirectURI: redirectURI, state: state)
        }
        var seen: Set<String> = []
        for name in fields.fields.map(\.name) where Self.names.contains(name) || name == scopeField {
            guard seen.insert(name).inserted else { throw refusal("invalid_request", "A parameter occurs twice.") }
        }
        guard fields["request"] == nil else { throw refusal("request_not_supported", "Use parameters.") }
        guard fields["request_uri"] == nil else { throw refusal("request_uri_not_supported", "Use parameters.") }
        guard fields["response_type"] == "code" else {
            throw refusal("unsupported_response_type", "response_type must be code.")
        }
        guard (fields["response_mode"] ?? "query") == "query" else {
            throw refusal("invalid_request", "response_mode must be query.")
        }
        guard let state, !state.isEmpty else {
            throw refusal("invalid_request", "state is required, with at most \(Self.longestState) bytes.")
        }
        guard let audience = fields["aud"], [addresses.fhir, addresses.fhir + "/"].contains(audience) else {
            throw refusal("invalid_request", "aud must be the address of this FHIR server.")
        }
        guard let challenge = fields["code_challenge"], fields["code_challenge_method"] == "S256",
            challenge.utf8.count == 43, Data(base64URL: challenge)?.count == 32
        else { throw refusal("invalid_request", "PKCE is required: a code_challenge with code_challenge_method S256.") }
        guard (fields["launch"] ?? "").isEmpty else {
            throw refusal("invalid_request", "A launch from a record system is not supported; request launch/patient.")
        }
        guard (fields["nonce"] ?? "").utf8.count <= Self.longestNonce else {
            throw refusal("invalid_request", "nonce is longer than \(Self.longestNonce) bytes.")
        }
        let text = fields[scopeField] ?? ""
        let scopes: AccessScopes
        do {
            scopes = try AccessScopes(text).narrowed(to: client.scopes)
        } catch {
            throw refusal("invalid_scope", error.message)
        }
        guard !scopes.permitNothing else {
            throw refusal("invalid_scope", "This app may have none of these scopes.")
        }
        scope = text
        self.scopes = scopes
        self.state = state
        self.audience = audience
        self.challenge = challenge
        nonce = fields["nonce"]
        isSilent = fields["prompt"] == "none"
    }

    /// The parameters that may occur only once.
    private static let names: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "state", "aud", "code_challenge",
        "code_challenge_method", "launch", "nonce", "prompt", "request", "request_uri",
    ]

    /// Returns the fields that a page carries.
    ///
    /// - Parameter scope: the name of the field with the scopes.
    func fields(scopesIn scope: String = "scope") -> [(name: String, value: String)] {
        var fields = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirectURI), (scope, self.scope),
            ("state", state), ("aud", audience), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if let nonce { fields.append(("nonce", nonce)) }
        return fields.map { (name: $0.0, value: $0.1) }
    }

    /// The request as a query, below the path of the pages.
    var query: String {
        fields().map { $0.name + "=" + PercentEncoding.encodeForm($0.value) }.joined(separator: "&")
    }

    func refusal(_ error: String, _ message: String) -> AuthorizationRefusal {
        AuthorizationRefusal(error, message, redirectURI: redirectURI, state: state)
    }
}

/// A refused request that is reported to the app (RFC 6749 section 4.1.2.1).
struct AuthorizationRefusal: CodedError, Hashable {
    let error: String
    let message: String
    let redirectURI: String
    let state: String?

    var code: String { error }

    init(_ error: String, _ message: String, redirectURI: String, state: String?) {
        self.error = error
        self.message = message
        self.redirectURI = redirectURI
        self.state = state
    }

    func location(issuer: String) -> String {
        var fields = [("error", error), ("error_description", message), ("iss", issuer)]
        if let state { fields.append(("state", state)) }
        return Redirection.location(redirectURI, fields)
    }
}

/// The target of a redirect.
enum Redirection {
    /// Returns a registered address with parameters added to its query.
    static func location(_ uri: String, _ fields: [(String, String)]) -> String {
        let query = fields.map { $0.0 + "=" + PercentEncoding.encodeForm($0.1) }.joined(separator: "&")
        return uri + (uri.contains("?") ? "&" : "?") + query
    }
}
