import Core
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Trust
import Wire

/// Finds out which client asks (RFC 6749 section 2.3; SMART's two ways of confidential clients).
struct ClientAuthentication: Sendable {
    let access: AccessControl
    let limiter: RateLimiter
    let keys: KeySetCache
    let addresses: @Sendable () -> AuthorizationAddresses
    let clock: @Sendable () -> Date

    /// The type of an assertion (RFC 7523 section 2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let longestText = 256

    /// The client, once it has proved itself in one way alone. A public one names itself and proves nothing.
    ///
    /// A request is charged to the client and the address until the client has proved itself: whoever names a client is not
    /// known to be it, and must not use up what its users need. After the proof it is charged to the client.
    func client(
        of request: Request, _ form: FormFields, from address: ClientAddress
    ) async throws -> RegisteredClient {
        let isAsserted = form["client_assertion"] != nil || form["client_assertion_type"] != nil
        let ways = [request.headers.contains(.authorization), isAsserted, form["client_secret"] != nil]
        guard ways.filter({ $0 }).count <= 1 else {
            throw OAuthFailure.request("client-twice", "The client must prove itself in one way alone.")
        }
        if request.headers.contains(.authorization) { return try await byBasic(request, form, address) }
        if isAsserted { return try await byAssertion(form, address) }
        guard let id = form["client_id"] else {
            throw OAuthFailure.client("Say which client asks: client_id, with a proof where the client has one.")
        }
        try admit(id, from: address)
        if let secret = form["client_secret"] { return try await bySecret(id, secret) }
        guard let client = try await access.client(id: id), client.proof == .none else { throw OAuthFailure.client() }
        return client
    }

    private func byBasic(
        _ request: Request, _ form: FormFields, _ address: ClientAddress
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
            let client = try await access.authenticateRegisteredClient(id: id, secret: secret)
        else { throw OAuthFailure.client() }
        try limiter.admit(client.id, .tokenByClient)
        return client
    }

    /// By a signed assertion: what is wrong with it is found before its keys are looked for, and it is used up last.
    private func byAssertion(_ form: FormFields, _ address: ClientAddress) async throws -> RegisteredClient {
        guard form["client_assertion_type"] == Self.assertionType, let text = form["client_assertion"] else {
            throw OAuthFailure.client("client_assertion_type must be \(Self.assertionType), with a client_assertion.")
        }
        guard let id = ClientAssertion.claimedClient(text), form["client_id"] ?? id == id else {
            throw OAuthFailure.client("The client_assertion names no client, or another one.")
        }
        try admit(id, from: address)
        let client = try await access.client(id: id)
        do {
            let assertion = try ClientAssertion(reading: text, tokenURL: addresses().token, now: clock()) { _ in
                client?.keySetURL
            }
            guard let client else { throw OAuthFailure.client() }
            try await verify(assertion, of: client)
            try limiter.admit(client.id, .tokenByClient)
            let isNew = try await access.use(
                assertion: assertion.use.tokenID, of: client.id, expiresAt: assertion.use.expiresAt)
            guard isNew else { throw OAuthFailure.client("The client_assertion was used before; make a new one.") }
            return client
        } catch let error as ClientAssertionError {
            throw OAuthFailure.client(error.message)
        }
    }

    private func verify(_ assertion: ClientAssertion, of client: RegisteredClient) async throws {
        switch client.proof {
        case .none, .secret: throw OAuthFailure.client("This client does not prove itself by a key.")
        case .keySet(let bytes):
            guard let keys = try? SignatureKeySet(reading: bytes) else { throw OAuthFailure.client() }
            try assertion.verify(with: keys)
        case .keySetURL(let url):
            guard let entry = try? await keys.keys(at: url), let known = entry.keys else { throw Self.unreachable }
            do {
                try assertion.verify(with: known)
            } catch {
                // The client may have a new key since.
                guard let entry = try? await keys.keys(at: url, again: true), let newer = entry.keys, newer != known
                else { throw error }
                try assertion.verify(with: newer)
            }
        }
    }

    private static let unreachable = OAuthFailure.client(
        "The keys of the client cannot be had from where it serves them.")

    /// The limiter remembers whom it has seen, also who was never registered: not by texts as long as they like.
    private func admit(_ id: String, from address: ClientAddress) throws {
        guard (1...Self.longestText).contains(id.utf8.count) else { throw OAuthFailure.client() }
        try limiter.admit(unproved: id, at: address, .tokenByClient)
    }
}

extension ClientAssertion {
    /// The client that an assertion claims to be from, before anything is believed of it.
    static func claimedClient(_ compact: String) -> String? {
        guard compact.utf8.count <= maximumBytes else { return nil }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: String(parts[1])) else { return nil }
        return JSON(reading: payload)?["iss"]?.string
    }
}

extension OAuthFailure {
    /// 401 (RFC 6749 section 5.2).
    static func client(_ message: String = "The client is unknown, or its proof is wrong.") -> OAuthFailure {
        OAuthFailure(
            "invalid_client",
            HTTPFailure(.unauthorized, "client-invalid", message, headers: [.wwwAuthenticate: "Basic"]))
    }

    /// 400: the request is not one.
    static func request(_ code: String, _ message: String) -> OAuthFailure {
        OAuthFailure("invalid_request", HTTPFailure(.badRequest, code, message))
    }

    /// 400: nothing is left of what is asked for.
    static func scope(_ message: String) -> OAuthFailure {
        OAuthFailure("invalid_scope", HTTPFailure(.badRequest, "scope-refused", message))
    }
}
