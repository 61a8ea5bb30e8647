import AccessPolicy
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP

extension AuthorizationRoutes {
    /// `POST /oauth2/token` (RFC 6749 section 3.2).
    func token(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let form = try await form(of: request)
        let grant = form["grant_type"]
        guard let grant, ["authorization_code", "refresh_token", "client_credentials"].contains(grant) else {
            throw OAuthFailure(
                grant == nil ? "invalid_request" : "unsupported_grant_type",
                HTTPFailure(
                    .badRequest, code: "grant-not-supported",
                    message: "grant_type is authorization_code, refresh_token or client_credentials."))
        }
        let client = try await clients.client(of: request, form, from: context.client)
        context.outcome.caller = client.id
        let issued: IssuedTokens
        do {
            switch grant {
            case "authorization_code": issued = try await redeem(form, client)
            case "refresh_token": issued = try await refresh(form, client)
            default: issued = try await serve(form, client)
            }
        } catch let refusal as RedemptionRefusal {
            throw OAuthFailure(
                refusal == .scope ? "invalid_scope" : "invalid_grant",
                HTTPFailure(.badRequest, code: refusal.code, message: refusal.message))
        } catch let refusal as InstanceAccessRefusal {
            throw OAuthFailure("invalid_scope", HTTPFailure(.badRequest, code: refusal.code, message: refusal.message))
        } catch let error as AccessError {
            throw OAuthFailure(
                "unauthorized_client", HTTPFailure(.badRequest, code: error.code, message: error.message))
        }
        let answer = TokenAnswer(
            tokens: issued, addresses: configuration.addresses, key: configuration.keys.first, now: clock())
        return .secret(try answer.json())
    }

    private func redeem(_ form: FormFields, _ client: RegisteredClient) async throws -> IssuedTokens {
        guard let code = form["code"], let redirect = form["redirect_uri"] else {
            throw OAuthFailure.request("code-missing", "The fields code and redirect_uri are required.")
        }
        // A malformed verifier (RFC 7636 section 4.1) is treated like that of another request.
        let verifier = form["code_verifier"] ?? ""
        guard (43...128).contains(verifier.utf8.count), code.utf8.count <= 256 else {
            throw RedemptionRefusal.otherRequest
        }
        return try await access.authorizations.redeem(
            code: code, client: client, redirectURI: redirect, verifier: verifier,
            lifetime: AuthorizationConfiguration.tokenLifetime)
    }

    private func refresh(_ form: FormFields, _ client: RegisteredClient) async throws -> IssuedTokens {
        guard let token = form["refresh_token"], token.utf8.count <= 256 else {
            throw OAuthFailure.request("refresh-token-missing", "The field refresh_token is required.")
        }
        let asked = try form["scope"].flatMap { $0.isEmpty ? nil : try Self.scopes($0) }
        return try await access.authorizations.refresh(
            token, client: client, asking: asked, lifetime: AuthorizationConfiguration.tokenLifetime)
    }

    /// SMART Backend Services: issues tokens to a client with a key, for scopes of its own.
    private func serve(_ form: FormFields, _ client: RegisteredClient) async throws -> IssuedTokens {
        switch client.proof {
        case .keySet, .keySetURL: break
        case .none, .secret:
            throw OAuthFailure(
                "unauthorized_client",
                HTTPFailure(
                    .badRequest, code: "client-without-key",
                    message: "client_credentials takes a client that proves itself by a key."
                ))
        }
        let text = form["scope"].flatMap { $0.isEmpty ? nil : $0 }
        // An app to which people give permissions has no access of its own. Without a scope it gets all that it has.
        let given = try text.map { try Self.scopes($0) }
        if let issued = try await access.authorizations.issueInstanceToken(
            to: client, asking: given, lifetime: AuthorizationConfiguration.serviceTokenLifetime)
        {
            return issued
        }
        guard let asked = given else {
            throw OAuthFailure.scope("The scope is missing, for example scope=system/Observation.rs.")
        }
        let scopes = try asked.narrowed(to: client.scopes).narrowed(to: .maximum(of: .service))
        guard !scopes.resources.isEmpty else {
            throw OAuthFailure.scope("This client may have none of these scopes; they begin with system/.")
        }
        return try await access.authorizations.issueServiceToken(
            to: client, scopes: scopes, lifetime: AuthorizationConfiguration.serviceTokenLifetime)
    }

    /// `POST /oauth2/introspect` (RFC 7662): an authenticated client gets information about its own tokens.
    func introspect(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let form = try await form(of: request)
        let client = try await clients.client(of: request, form, from: context.client)
        guard client.proof != .none else { throw OAuthFailure.client("A public client cannot ask about tokens.") }
        context.outcome.caller = client.id
        guard let token = form["token"] else {
            throw OAuthFailure.request("token-missing", "The field token is required.")
        }
        let known =
            token.utf8.count <= 256 ? try await access.authorizations.information(of: token, client: client) : nil
        guard let known else { return .secret(["active": false]) }
        func seconds(_ date: Date) -> JSON { .number(JSONNumber(Int(date.timeIntervalSince1970.rounded(.down)))) }
        let addresses = configuration.addresses
        var members: [JSONObject.Member] = [
            .init(key: "active", value: true), .init(key: "scope", value: .string(known.scopes.text)),
            .init(key: "client_id", value: .string(client.id)), .init(key: "token_type", value: "Bearer"),
            .init(key: "exp", value: seconds(known.expiresAt)), .init(key: "iat", value: seconds(known.createdAt)),
        ]
        if let patient = known.authorization.patient { members.append(.init(key: "patient", value: .string(patient))) }
        if let account = known.account, known.scopes.contains(.openID) {
            members.append(.init(key: "iss", value: .string(addresses.base)))
            members.append(.init(key: "sub", value: .string(account.id)))
            if let user = account.fhirUser(addresses, known.scopes) {
                members.append(.init(key: "fhirUser", value: .string(user)))
            }
        }
        return .secret(JSON(members))
    }

    /// `POST /oauth2/revoke` (RFC 7009). The answer for an unknown token, or that of another client, is the same.
    func revoke(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let form = try await form(of: request)
        let client = try await clients.client(of: request, form, from: context.client)
        context.outcome.caller = client.id
        guard let token = form["token"] else {
            throw OAuthFailure.request("token-missing", "The field token is required.")
        }
        if token.utf8.count <= 256 { try await access.authorizations.revoke(token: token, of: client) }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    private func form(of request: Request) async throws -> FormFields {
        try await bodies.form(of: request, upTo: PageSessions.largestForm)
    }

    static func scopes(_ text: String) throws -> AccessScopes {
        do {
            return try AccessScopes(text)
        } catch {
            throw OAuthFailure.scope(error.message)
        }
    }
}

extension Response {
    /// Returns an answer that contains a secret (RFC 6749 section 5.1).
    static func secret(_ json: JSON) -> Response {
        .bytes(ByteBuffer(bytes: json.bytes()), mediaType: "application/json", headers: [.pragma: "no-cache"])
    }
}
