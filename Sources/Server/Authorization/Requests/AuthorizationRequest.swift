import Core
import Foundation
import ServerHTTP
import Trust

/// What an app asks a person for (RFC 6749 section 4.1.1, with what PKCE, SMART and OpenID Connect add), checked.
///
/// The pages carry it along in hidden fields, and each form that comes back is read anew: what a browser sends is never
/// believed to be what was sent to it.
struct AuthorizationRequest: Sendable {
    let client: RegisteredClient
    let redirectURI: String
    let state: String
    /// As it was asked for.
    let scope: String
    /// What of it the client may have; never nothing.
    let scopes: AccessScopes
    let challenge: String
    let nonce: String?
    /// Whether nobody is to be asked anything (OpenID Connect Core 1.0 section 3.1.2.1).
    let isSilent: Bool
    private let audience: String

    private static let longestState = 4_096
    private static let longestNonce = 512

    /// Finds the client and where its users are sent back to.
    ///
    /// - Throws: ``PageFailure`` where either is not registered: then nobody is sent anywhere.
    static func destination(
        _ fields: FormFields, _ access: AccessControl
    ) async throws -> (client: RegisteredClient, redirectURI: String) {
        func only(_ name: String) -> String? {
            let found = fields.fields.filter { $0.name == name }
            return found.count == 1 ? found[0].value : nil
        }
        guard let id = only("client_id"), id.utf8.count <= 256, let client = try await access.client(id: id) else {
            throw PageFailure(
                .badRequest, "client-unknown", "The app is not known here, so that nobody can be sent back to it.")
        }
        guard let uri = only("redirect_uri"), client.redirectURIs.contains(uri) else {
            throw PageFailure(
                .badRequest, "redirect-uri-unknown",
                "The app asks to send you to an address that it has not registered. You stay here.")
        }
        return (client, uri)
    }

    /// Reads the rest.
    ///
    /// - Parameter scope: the name of the field with the scopes.
    /// - Throws: ``AuthorizationRefusal``, which the app is told.
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
            guard seen.insert(name).inserted else { throw refusal("invalid_request", "A parameter stands twice.") }
        }
        guard fields["request"] == nil else { throw refusal("request_not_supported", "Say it in parameters.") }
        guard fields["request_uri"] == nil else { throw refusal("request_uri_not_supported", "Say it in parameters.") }
        guard fields["response_type"] == "code" else {
            throw refusal("unsupported_response_type", "response_type must be code.")
        }
        guard (fields["response_mode"] ?? "query") == "query" else {
            throw refusal("invalid_request", "response_mode must be query.")
        }
        guard let state, !state.isEmpty else {
            throw refusal("invalid_request", "state is needed, at most \(Self.longestState) bytes.")
        }
        guard let audience = fields["aud"], [addresses.fhir, addresses.fhir + "/"].contains(audience) else {
            throw refusal("invalid_request", "aud must be the address of this FHIR server.")
        }
        guard let challenge = fields["code_challenge"], fields["code_challenge_method"] == "S256",
            challenge.utf8.count == 43, Data(base64URL: challenge)?.count == 32
        else { throw refusal("invalid_request", "PKCE is needed: a code_challenge with code_challenge_method S256.") }
        guard (fields["launch"] ?? "").isEmpty else {
            throw refusal("invalid_request", "There is no launch from a record system here; ask for launch/patient.")
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

    /// The parameters that may stand once.
    private static let names: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "state", "aud", "code_challenge",
        "code_challenge_method", "launch", "nonce", "prompt", "request", "request_uri",
    ]

    /// What a page carries along.
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

    /// The request as an address, below the path of the pages.
    var query: String {
        fields().map { $0.name + "=" + PercentEncoding.encodeForm($0.value) }.joined(separator: "&")
    }

    func refusal(_ error: String, _ message: String) -> AuthorizationRefusal {
        AuthorizationRefusal(error, message, redirectURI: redirectURI, state: state)
    }
}

/// A request that the app is told of as refused (RFC 6749 section 4.1.2.1).
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

/// Where a browser is sent to.
enum Redirection {
    /// A registered address with parameters added to its query.
    static func location(_ uri: String, _ fields: [(String, String)]) -> String {
        let query = fields.map { $0.0 + "=" + PercentEncoding.encodeForm($0.1) }.joined(separator: "&")
        return uri + (uri.contains("?") ? "&" : "?") + query
    }
}
