import Core
import Foundation
import Hummingbird
import Identity
import ResearchResults
import ServerHTTP

extension AccountRoutes {
    /// `POST /v1/accounts`: creates an account and signs in.
    func signUp(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .registrationByAddress)
        let json = try await object(request)
        let input = PeopleStore.SignUp(
            email: try EmailAddress(text("email", of: json)),
            profile: try json["profile"].map { try AccountProfile(json: $0) } ?? AccountProfile(),
            group: try json["group"].map { _ in try text("group", of: json) })
        let attempt = SignInAttempt(username: input.email.username, address: context.client)
        let hash = try await store.accounts.hash(
            of: text("password", of: json, upTo: 4_096), checker: passwords, from: Self.origin(attempt),
            cost: store.passwordCost)
        let tokens = try await store.signUp(input, password: hash)
        context.outcome.caller = tokens.account?.id
        onWork()
        waits.send()
        return answer(tokens, status: .created)
    }

    /// `POST /v1/sessions`: signs in.
    func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let json = try await object(request)
        let email = try text("email", of: json)
        let password = try text("password", of: json, upTo: 4_096)
        let tokens = try await counted(email, in: context) { attempt in
            try await store.signIn(
                email: email, password: password, checker: passwords, from: Self.origin(attempt))
        }
        guard let tokens else { throw CMHealthError.invalidCredentials }
        context.outcome.caller = tokens.account?.id
        return answer(tokens, status: .created)
    }

    /// Counts an attempt with a password before it is checked, so that concurrent attempts cannot exceed the limit. An
    /// attempt that was right or was not checked does not count.
    ///
    /// - Returns: the outcome; nil for a wrong password.
    func counted<T: Sendable>(
        _ email: String, in context: ServerRequestContext, _ body: (SignInAttempt) async throws -> T?
    ) async throws -> T? {
        let name = EmailAddress.username(of: email) ?? email
        let attempt = SignInAttempt(username: name, address: context.client)
        try attempt.count(limiter)
        do {
            let outcome = try await body(attempt)
            if outcome != nil { attempt.giveBack(limiter) }
            return outcome
        } catch {
            attempt.giveBack(limiter)
            throw error
        }
    }

    static func origin(_ attempt: SignInAttempt) -> PasswordChecker.Origin {
        PasswordChecker.Origin(
            wide: attempt.address.sitePrefix, narrow: attempt.address.householdPrefix, isKnown: attempt.isKnown)
    }

    /// `POST /v1/sessions/refresh`: exchanges a refresh token.
    func refresh(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .tokenByAddress)
        let json = try await object(request)
        let tokens = try await store.refresh(text("refreshToken", of: json))
        context.outcome.caller = tokens.account?.id
        return answer(tokens)
    }

    /// `DELETE /v1/sessions/current`: signs out.
    func signOut(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await store.signOut(caller(request, context).session)
        return Self.noContent()
    }

    /// `POST /v1/password-resets`: the answer is the same for every address.
    func requestReset(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .registrationByAddress)
        let json = try await object(request)
        try await store.requestReset(email: text("email", of: json))
        onWork()
        return Response(status: .accepted, headers: [.cacheControl: "no-store"])
    }

    /// `POST /v1/password-resets/confirm`: sets a new password with the code of a mail.
    func confirmReset(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .registrationByAddress)
        let json = try await object(request)
        let code = try text("code", of: json)
        // The hash of a password takes long; a stranger without a code does not get one.
        guard try await store.hasCode(code, for: .reset) else { throw HTTPFailure.codeInvalid }
        let attempt = SignInAttempt(username: code, address: context.client)
        let hash = try await store.accounts.hash(
            of: text("password", of: json, upTo: 4_096), checker: passwords, from: Self.origin(attempt),
            cost: store.passwordCost)
        guard try await store.reset(code: code, password: hash) else { throw HTTPFailure.codeInvalid }
        onWork()
        return Self.noContent()
    }

    private func answer(_ tokens: IssuedTokens, status: HTTPResponse.Status = .ok) -> Response {
        let seconds = max(0, Int(tokens.expiresAt.timeIntervalSince(clock()).rounded()))
        return Self.answer(
            [
                "account": .string(tokens.account?.id ?? ""), "accessToken": .string(tokens.accessToken),
                "expiresIn": .number(JSONNumber(seconds)), "refreshToken": .string(tokens.refreshToken ?? ""),
            ], status: status)
    }
}
