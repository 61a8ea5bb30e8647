import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP
import Wire

/// Authenticates the client of a request (RFC 6749 section 2.3, with SMART's two methods for confidential clients).
struct ClientAuthentication: Sendable {
    let access: AccessStores
    let limiter: RateLimiter
    let keys: KeySetCache
    let addresses: @Sendable () -> AuthorizationAddresses
    let clock: @Sendable () -> Date

    /// The type of an assertion (RFC 7523 section 2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let longestText = 256

    /// Returns the client of a request, authenticated by exactly one method. A public client only names itself.
    ///
    /// A request is charged to the pair of client and address until the client is authenticated: naming a client proves
    /// nothing, and must not use up the rate that its users need. After that, it is charged to the client.
    func client(
        of request: Request, _ form: FormFields, from address: ClientAddress
    ) async throws -> RegisteredClient {
        let isAsserted = form["client_assertion"] != nil || form["client_assertion_type"] != nil
        let ways = [request.headers.contains(.authorization), isAsserted, form["client_secret"] != nil]
        guard ways.filter({ $0 }).count <= 1 else {
            throw OAuthFailure.request("client-twice", "The client must authenticate by exactly one method.")
        }
        if request.headers.contains(.authorization) { return try await byBasic(request, form: form, from: address) }
        if isAsserted { return try await byAssertion(form, address) }
        guard let id = form["client_id"] else {
            throw OAuthFailure.client("The client is missing: send client_id, and its credentials if it has any.")
        }
        try admit(id, from: address)
        if let secret = form["client_secret"] { return try await bySecret(id, secret) }
        guard let client = try await access.clients.client(id: id), client.proof == .none else {
            throw OAuthFailure.client()
        }
        return client
    }

    private func byBasic(
        _ request: Request, form: FormFields, from address: ClientAddress
    ) async throws -> RegisteredClient {
        guard let encoded = request.credentials(ofScheme: "basic"), let bytes = Data(base64Encoded: encoded),
            let text = String(validUTF8: bytes), let colon = text.firstIndex(of: ":"),
            let id = PercentEncoding.decodeForm(text[..<colon]),
            let secret = PercentEncoding.decodeForm(text[text.index(after: colon)...])
        else { throw OAuthFailure.client() }
        guard form["client_id"] ?? id == id else {
            throw OAuthFailure.request("client-twice", "client_id and Authorization name two clients.")
        }
        try admit(id, from: address)
        return try await bySecret(id, secret)
    }

    private func bySecret(_ id: String, _ secret: String) async throws -> RegisteredClient {
        guard secret.utf8.count <= Self.longestText,
            let client = try await access.clients.authenticateRegisteredClient(id: id, secret: secret)
        else { throw OAuthFailure.client() }
        try limiter.admit(client.id, .tokenByClient)
        return client
    }

    /// Authenticates by a signed assertion. The content is checked before keys are fetched, and the assertion is marked
    /// as used last.
    private func byAssertion(_ form: FormFields, _ address: ClientAddress) async throws -> RegisteredClient {
        guard form["client_assertion_type"] == Self.assertionType, let text = form["client_assertion"] else {
            throw OAuthFailure.client("client_assertion_type must be \(Self.assertionType), with a client_assertion.")
        }
        guard let id = ClientAssertion.claimedClient(text), form["client_id"] ?? id == id else {
            throw OAuthFailure.client("The client_assertion names no client, or another one.")
        }
        try admit(id, from: address)
        let client = try await access.clients.client(id: id)
        do {
            let assertion = try ClientAssertion(reading: text, tokenURL: addresses().token, now: clock()) { _ in
                client?.keySetURL
            }
            guard let client else { throw OAuthFailure.client() }
            try await verify(assertion, of: client)
            try limiter.admit(client.id, .tokenByClient)
            let isNew = try await access.authorizations.use(
                assertion: assertion.use.tokenID, of: client.id, expiresAt: assertion.use.expiresAt)
            guard isNew else { throw OAuthFailure.client("The client_assertion was used before; make a new one.") }
            return client
        } catch let error as ClientAssertionError {
            throw OAuthFailure.client(error.message)
        }
    }

    private func verify(_ assertion: ClientAssertion, of client: RegisteredClient) async throws {
        switch client.proof {
        case .none, .secret: throw OAuthFailure.client("This client does not authenticate by a key.")
        case .keySet(let bytes):
            guard let keys = try? SignatureKeySet(reading: bytes) else { throw OAuthFailure.client() }
            try assertion.verify(with: keys)
        case .keySetURL(let url):
            guard let entry = try? await keys.keys(at: url), let known = entry.keys else { throw Self.unreachable }
            do {
                try assertion.verify(with: known)
            } catch {
                // The client may have a newer key.
                guard let entry = try? await keys.keys(at: url, again: true), let newer = entry.keys, newer != known
                else { throw error }
                try assertion.verify(with: newer)
            }
        }
    }

    private static let unreachable = OAuthFailure.client(
        "The keys of the client cannot be fetched from their registered address.")

    /// Checks the length first: the limiter keeps the ids of unregistered clients too, and these must not be
    /// arbitrarily long.
    private func admit(_ id: String, from address: ClientAddress) throws {
        guard (1...Self.longestText).contains(id.utf8.count) else { throw OAuthFailure.client() }
        try limiter.admit(unproved: id, at: address, .tokenByClient)
    }
}

extension ClientAssertion {
    /// Returns the client that an assertion claims to be from, unverified.
    static func claimedClient(_ compact: String) -> String? {
        guard compact.utf8.count <= maximumBytes else { return nil }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: String(parts[1])) else { return nil }
        return JSON(reading: payload)?["iss"]?.string
    }
}

extension OAuthFailure {
    /// 401: the client is not authenticated (RFC 6749 section 5.2).
    static func client(_ message: String = "The client is unknown, or its credentials are wrong.") -> OAuthFailure {
        OAuthFailure(
            "invalid_client",
            HTTPFailure(.unauthorized, code: "client-invalid", message: message, headers: [.wwwAuthenticate: "Basic"]))
    }

    /// 400: the request is invalid.
    static func request(_ code: String, _ message: String) -> OAuthFailure {
        OAuthFailure("invalid_request", HTTPFailure(.badRequest, code: code, message: message))
    }

    /// 400: none of the requested scopes is granted.
    static func scope(_ message: String) -> OAuthFailure {
        OAuthFailure("invalid_scope", HTTPFailure(.badRequest, code: "scope-refused", message: message))
    }
}
