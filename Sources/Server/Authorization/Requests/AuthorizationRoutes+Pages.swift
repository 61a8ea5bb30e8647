import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Trust

extension AuthorizationRoutes {
    /// `GET` and `POST /oauth2/authorize` (RFC 6749 section 3.1): signing in first, then the question.
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
                guard !asked.isSilent else { throw asked.refusal("login_required", "Nobody is signed in.") }
                return signIn(asked, request)
            }
            context.outcome.caller = session.account.id
            guard !asked.isSilent else { throw asked.refusal("consent_required", "The person must be asked.") }
            return try question(asked, session, secret: PageCookies.value(PageCookies.session, in: request))
        }
    }

    /// `POST /oauth2/sign-in`: name and password.
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
            // Each attempt counts before it is checked: many at a time find no gap between asking and counting.
            try attempt.count(limiter)
            let secret: String?
            do {
                secret = try await access.signIn(
                    username: username, password: password, lifetime: AuthorizationConfiguration.sessionLifetime,
                    checker: passwords, from: attempt.origin, cost: configuration.passwordCost)
            } catch let error as PasswordQueueError {
                attempt.giveBack(limiter)
                throw HTTPFailure(
                    .serviceUnavailable, error.code, error.message, headers: [.retryAfter: SignInAttempt.retryAfter])
            }
            guard let secret else {
                await refusals.note("sign-in-refused")
                return signIn(asked, request, message: SignInPage.wrong, status: .forbidden)
            }
            attempt.giveBack(limiter)
            let cookies = signedIn(secret, username)
            // An address that is longer than many take is not asked for; the question follows at once.
            if asked.query.utf8.count > Self.longestQuery, let session = try await access.session(secret) {
                var response = try question(asked, session, secret: secret)
                response.headers[values: .setCookie] = cookies
                return response
            }
            // Below the same path, whatever it is called outside.
            var response = Response(
                status: .seeOther, headers: [.location: "authorize?" + asked.query, .cacheControl: "no-store"])
            response.headers[values: .setCookie] = cookies
            return response
        }
    }

    /// The cookies of a browser at which a person has signed in.
    private func signedIn(_ secret: String, _ username: String) -> [String] {
        let session = PageCookies.field(
            PageCookies.session, secret, seconds: Int(AuthorizationConfiguration.sessionLifetime),
            configuration.addresses)
        let known = knownBrowsers.value(for: username, random: random, now: clock()).map {
            PageCookies.field(
                PageCookies.known, $0, seconds: Int(KnownBrowser.lifetime), configuration.addresses)
        }
        return [session] + (known.map { [$0] } ?? [])
    }

    private static let longestQuery = 6_000

    /// `POST /oauth2/consent`: what the person said.
    func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        // What was asked for, and each box beside it.
        let fields = try await pageForm(of: request, isRepeatable: ["scope"], upTo: 4 * Self.largestForm)
        return try await answering(fields, scopesIn: ConsentPage.scopesField) { asked in
            guard let session = try await session(of: request) else { return signIn(asked, request) }
            context.outcome.caller = session.account.id
            let secret = PageCookies.value(PageCookies.session, in: request)
            guard PageCookies.isProof(fields["proof"], of: secret) else { throw PageFailure.foreignForm }
            switch fields["decision"] {
            case "approve": return try await approve(asked, session, fields, request)
            case "deny": throw asked.refusal("access_denied", "The person did not agree.")
            case "sign-out":
                if let secret { try await access.signOut(secret) }
                return signIn(asked, request)
            default: throw PageFailure(.badRequest, "decision-missing", "Say whether the app may have access.")
            }
        }
    }

    /// Reads a request and answers it; whoever is told by the app's address is told there.
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
            await refusals.note(refusal.error)
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
        return try await access.session(secret)
    }

    /// The page on which a person signs in. A browser gets a cookie to which the form belongs.
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
                PageCookies.visit, visit, seconds: 3_600, configuration.addresses)
        }
        return response
    }

    /// What of a request a person may let the app have.
    private func offered(_ asked: AuthorizationRequest, to account: UserAccount) throws -> AccessScopes {
        let scopes: AccessScopes
        do {
            scopes = try asked.scopes.narrowed(to: .most(of: account.role))
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

    /// When access ends, by what the app is let have.
    static func ends(_ session: UserSession, now: Date) -> ConsentPage.Ends {
        let brief = now.addingTimeInterval(AuthorizationConfiguration.tokenLifetime + AccessControl.codeLifetime)
        return ConsentPage.Ends(
            brief: brief, online: max(brief, session.expiresAt),
            offline: now.addingTimeInterval(AuthorizationConfiguration.offlineLifetime))
    }

    private func approve(
        _ asked: AuthorizationRequest, _ session: UserSession, _ fields: FormFields, _ request: Request
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
            code = try await access.authorize(
                .init(
                    client: asked.client, session: session, scopes: approved, patient: patient, expiresAt: end,
                    redirectURI: asked.redirectURI, challenge: asked.challenge, nonce: asked.nonce))
        } catch let error as TrustError {
            throw asked.refusal("access_denied", error.message)
        }
        return Self.redirect(
            to: Redirection.location(
                asked.redirectURI,
                [("code", code), ("state", asked.state), ("iss", configuration.addresses.base)]))
    }

    /// The form that a page sent.
    private func pageForm(
        of request: Request, isRepeatable: Set<String> = [], upTo most: Int = largestForm
    ) async throws -> FormFields {
        do {
            return try await form(of: request, isRepeatable: isRepeatable, upTo: most)
        } catch is OAuthFailure {
            throw PageFailure.unreadable
        }
    }
}
