import AccessPolicy
import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP

extension AuthorizationRoutes {
    /// `GET` and `POST /oauth2/authorize` (RFC 6749 section 3.1): shows the sign-in page, then the consent page.
    func authorize(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        let fields: FormFields
        if request.method == .post {
            fields = try await pageForm(of: request)
        } else {
            guard let query = request.queryForm else { throw PageFailure.unreadable }
            fields = query
        }
        return try await answering(fields) { asked in
            guard let session = try await session(of: request) else {
                guard !asked.isSilent else { throw asked.refusal("login_required", "No person is signed in.") }
                return signIn(asked, request)
            }
            context.outcome.caller = session.account.id
            guard !asked.isSilent else { throw asked.refusal("consent_required", "The person must be asked.") }
            return try question(asked, session, secret: PageCookies.value(PageCookies.session, in: request))
        }
    }

    /// `POST /oauth2/sign-in`: checks the name and the password.
    func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let fields = try await pageForm(of: request)
        let visit = PageCookies.value(PageCookies.visit, in: request)
        guard PageCookies.isProof(fields["proof"], of: visit) else { throw PageFailure.foreignForm }
        return try await answering(fields) { asked in
            let username = fields["username"] ?? ""
            let password = fields["password"] ?? ""
            guard (1...256).contains(username.utf8.count) else {
                return signIn(asked, request, message: SignInPage.wrong, status: .forbidden)
            }
            let browser = knownBrowsers.browser(
                PageCookies.value(PageCookies.known, in: request), username: username, now: clock())
            let attempt = SignInAttempt(username: username, browser: browser, address: context.client)
            // Each attempt is counted before it is checked, so that concurrent attempts cannot exceed the limit.
            try attempt.count(limiter)
            let secret: String?
            do {
                secret = try await access.accounts.signIn(
                    username: username, password: password, lifetime: AuthorizationConfiguration.sessionLifetime,
                    checker: passwords,
                    from: PasswordChecker.Origin(
                        wide: attempt.address.sitePrefix, narrow: attempt.address.householdPrefix,
                        isKnown: attempt.isKnown),
                    cost: configuration.passwordCost)
            } catch let error as PasswordQueueError {
                attempt.giveBack(limiter)
                throw HTTPFailure(
                    .serviceUnavailable, code: error.code, message: error.message,
                    headers: [.retryAfter: SignInAttempt.retryAfter])
            }
            guard let secret else {
                await refusals.report("sign-in-refused")
                return signIn(asked, request, message: SignInPage.wrong, status: .forbidden)
            }
            attempt.giveBack(limiter)
            let cookies = signedIn(secret, username)
            // A long address, which some browsers or proxies do not accept, is avoided: the consent page follows at
            // once.
            if asked.query.utf8.count > Self.longestQuery, let session = try await access.accounts.session(secret) {
                var response = try question(asked, session, secret: secret)
                response.headers[values: .setCookie] = cookies
                return response
            }
            // Relative, because the public path may differ.
            var response = Response(
                status: .seeOther, headers: [.location: "authorize?" + asked.query, .cacheControl: "no-store"])
            response.headers[values: .setCookie] = cookies
            return response
        }
    }

    /// Returns the cookies for a browser in which a person has signed in.
    private func signedIn(_ secret: String, _ username: String) -> [String] {
        let session = PageCookies.field(
            PageCookies.session, value: secret, seconds: Int(AuthorizationConfiguration.sessionLifetime),
            addresses: configuration.addresses)
        let known = knownBrowsers.value(for: username, random: random, now: clock()).map {
            PageCookies.field(
                PageCookies.known, value: $0, seconds: Int(KnownBrowser.lifetime), addresses: configuration.addresses)
        }
        return [session] + (known.map { [$0] } ?? [])
    }

    private static let longestQuery = 6_000

    /// `POST /oauth2/consent`: takes the person's decision.
    func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        // The requested scopes, and in addition each box.
        let fields = try await pageForm(of: request, isRepeatable: ["scope"], upTo: 4 * Self.largestForm)
        return try await answering(fields, scopesIn: ConsentPage.scopesField) { asked in
            guard let session = try await session(of: request) else { return signIn(asked, request) }
            context.outcome.caller = session.account.id
            let secret = PageCookies.value(PageCookies.session, in: request)
            guard PageCookies.isProof(fields["proof"], of: secret) else { throw PageFailure.foreignForm }
            switch fields["decision"] {
            case "approve": return try await approve(asked, session: session, fields: fields, request: request)
            case "deny": throw asked.refusal("access_denied", "The person did not agree.")
            case "sign-out":
                if let secret { try await access.accounts.signOut(secret) }
                return signIn(asked, request)
            default:
                throw PageFailure(
                    .badRequest, code: "decision-missing", message: "Choose whether the app may have access.")
            }
        }
    }

    /// Parses a request and answers it. Refusals that are for the app are sent to its redirect URI.
    private func answering(
        _ fields: FormFields, scopesIn scope: String = "scope",
        _ body: (AuthorizationRequest) async throws -> Response
    ) async throws -> Response {
        let (client, uri) = try await AuthorizationRequest.destination(fields, access)
        do {
            return try await body(
                AuthorizationRequest(
                    fields, client: client, redirectURI: uri, addresses: configuration.addresses, scopesIn: scope))
        } catch let refusal as AuthorizationRefusal {
            await refusals.report(refusal.error)
            return Self.redirect(to: refusal.location(issuer: configuration.addresses.base))
        }
    }

    private static func redirect(to location: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }

    private func session(of request: Request) async throws -> UserSession? {
        guard let secret = PageCookies.value(PageCookies.session, in: request) else { return nil }
        return try await access.accounts.session(secret)
    }

    /// Returns the sign-in page, with the cookie that binds its form to the browser.
    private func signIn(
        _ asked: AuthorizationRequest, _ request: Request, message: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let known = PageCookies.value(PageCookies.visit, in: request)
        let visit = known ?? Data(random(32)).base64URL
        let page = SignInPage(
            asked: asked, title: configuration.title, proof: PageCookies.proof(of: visit), message: message)
        var response = page.page.response(status: status)
        if known == nil {
            response.headers[.setCookie] = PageCookies.field(
                PageCookies.visit, value: visit, seconds: 3_600, addresses: configuration.addresses)
        }
        return response
    }

    /// Returns the requested scopes that a person may grant to the app.
    private func offered(_ asked: AuthorizationRequest, to account: UserAccount) throws -> AccessScopes {
        let scopes: AccessScopes
        do {
            scopes = try asked.scopes.narrowed(to: .maximum(of: account.role))
        } catch { throw asked.refusal("invalid_scope", error.message) }
        guard !scopes.permitNothing else {
            throw asked.refusal("invalid_scope", "This person may let the app have none of these scopes.")
        }
        return scopes
    }

    private func question(
        _ asked: AuthorizationRequest, _ session: UserSession, secret: String?, message: String? = nil,
        answer: ConsentPage.Answer? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        ConsentPage(
            asked: asked, offered: try offered(asked, to: session.account), account: session.account,
            title: configuration.title, proof: PageCookies.proof(of: secret ?? ""), message: message,
            ends: Self.ends(session, now: clock()), answer: answer
        ).page.response(status: status)
    }

    /// Returns the times at which access ends, by the kind of access.
    static func ends(_ session: UserSession, now: Date) -> ConsentPage.Ends {
        let brief = now.addingTimeInterval(AuthorizationConfiguration.tokenLifetime + AuthorizationStore.codeLifetime)
        return ConsentPage.Ends(
            brief: brief, online: max(brief, session.expiresAt),
            offline: now.addingTimeInterval(AuthorizationConfiguration.offlineLifetime))
    }

    private func approve(
        _ asked: AuthorizationRequest, session: UserSession, fields: FormFields, request: Request
    ) async throws -> Response {
        let account = session.account
        let offered = try offered(asked, to: account)
        let ticked = Set(fields.fields.filter { $0.name == "scope" }.map(\.value))
        let approved = offered.approved(ticked)
        guard !approved.permitNothing else { throw asked.refusal("access_denied", "The person agreed to nothing.") }
        var patient: String?
        if approved.needPatient {
            patient = account.patient ?? fields["patient"]?.trimmingCharacters(in: .whitespaces)
            if account.patient == nil {
                guard let chosen = patient, ResourceName.isID(chosen), try await configuration.hasPatient(chosen)
                else {
                    return try question(
                        asked, session, secret: PageCookies.value(PageCookies.session, in: request),
                        message: "Choose a patient: there is none with this id.",
                        answer: .init(ticked: ticked, patient: patient.flatMap { $0.utf8.count <= 64 ? $0 : nil }),
                        status: .badRequest)
                }
            }
        }
        let ends = Self.ends(session, now: clock())
        let end =
            approved.contains(.offlineAccess)
            ? ends.offline : approved.contains(.onlineAccess) ? ends.online : ends.brief
        let code: String
        do {
            code = try await access.authorizations.authorize(
                .init(
                    client: asked.client, session: session, scopes: approved, patient: patient, expiresAt: end,
                    redirectURI: asked.redirectURI, challenge: asked.challenge, nonce: asked.nonce))
        } catch let error as AccessError {
            throw asked.refusal("access_denied", error.message)
        }
        return Self.redirect(
            to: Redirection.location(
                asked.redirectURI,
                [("code", code), ("state", asked.state), ("iss", configuration.addresses.base)]))
    }

    /// Returns the form that a page sent.
    private func pageForm(
        of request: Request, isRepeatable: Set<String> = [], upTo limit: Int = largestForm
    ) async throws -> FormFields {
        do {
            return try await form(of: request, isRepeatable: isRepeatable, upTo: limit)
        } catch is OAuthFailure {
            throw PageFailure.unreadable
        }
    }
}
