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
            fields = try await sessions.form(of: request)
        } else {
            guard let query = request.queryForm else { throw PageFailure.unreadable }
            fields = query
        }
        return try await answering(fields) { asked in
            guard let session = try await sessions.session(of: request) else {
                guard !asked.isSilent else { throw asked.refusal("login_required", "No person is signed in.") }
                return signIn(asked, request)
            }
            context.outcome.caller = session.account.id
            guard !asked.isSilent else { throw asked.refusal("consent_required", "The person must be asked.") }
            return try question(asked, session, secret: sessions.secret(of: request))
        }
    }

    /// `POST /oauth2/sign-in`: checks the name and the password.
    func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let fields = try await sessions.form(of: request)
        return try await answering(fields) { asked in
            guard let signedIn = try await sessions.signIn(fields, of: request, from: context.client) else {
                return signIn(asked, request, message: SignInPage.wrong, status: .forbidden)
            }
            // A long address, which some browsers or proxies do not accept, is avoided: the consent page follows at
            // once.
            if asked.query.utf8.count > Self.longestQuery,
                let session = try await access.accounts.session(signedIn.secret)
            {
                var response = try question(asked, session, secret: signedIn.secret)
                response.headers[values: .setCookie] = signedIn.cookies
                return response
            }
            // Relative, because the public path may differ.
            var response = Response(
                status: .seeOther, headers: [.location: "authorize?" + asked.query, .cacheControl: "no-store"])
            response.headers[values: .setCookie] = signedIn.cookies
            return response
        }
    }

    private static let longestQuery = 6_000

    /// `POST /oauth2/consent`: takes the person's decision.
    func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        // The requested scopes, and in addition each box.
        let fields = try await sessions.form(of: request, isRepeatable: ["scope"], upTo: 4 * PageSessions.largestForm)
        return try await answering(fields, scopesIn: ConsentPage.scopesField) { asked in
            guard let session = try await sessions.session(of: request) else { return signIn(asked, request) }
            context.outcome.caller = session.account.id
            try sessions.requireProof(fields, of: request)
            switch fields["decision"] {
            case "approve": return try await approve(asked, session: session, fields: fields, request: request)
            case "deny": throw asked.refusal("access_denied", "The person did not agree.")
            case "sign-out":
                try await sessions.signOut(request)
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

    /// Returns the sign-in page, with the cookie that binds its form to the browser.
    private func signIn(
        _ asked: AuthorizationRequest, _ request: Request, message: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        sessions.signInPage(for: request, status: status) { proof in
            SignInPage(
                introduction: .app(name: asked.client.name, study: configuration.title), action: "sign-in",
                fields: asked.fields(), formTargets: [asked.formTarget], proof: proof, message: message
            ).page
        }
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
                        asked, session, secret: sessions.secret(of: request),
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
}
