import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP

/// The sessions of people in browsers: sign-in, cookies, and the proof that a form was sent to this browser. All pages for
/// people who sign in have them in common.
package struct PageSessions: Sendable {
    let access: AccessStores
    let configuration: AuthorizationConfiguration
    let limiter: RateLimiter
    let bodies: BodyBudget
    let knownBrowsers: KnownBrowser
    let refusals: AuthorizationRoutes.RefusalReporter
    let clock: @Sendable () -> Date
    let random: @Sendable (Int) -> [UInt8]
    let passwords = PasswordChecker()

    /// The session and the cookies of a new sign-in.
    package struct SignedIn: Sendable {
        /// The secret of the session.
        let secret: String
        /// The values of the fields `Set-Cookie`.
        package let cookies: [String]
    }

    /// Maximum number of bytes of a form.
    static let largestForm = 64 << 10

    /// The public URL of the server, without a slash at the end.
    package var baseURL: String { configuration.addresses.base }

    /// Returns the session of a request; nil if no person is signed in.
    package func session(of request: Request) async throws -> UserSession? {
        guard let secret = secret(of: request) else { return nil }
        return try await access.accounts.session(secret)
    }

    /// Returns the secret of the session that a request names, valid or not.
    func secret(of request: Request) -> String? { PageCookies.value(PageCookies.session, in: request) }

    /// Ends the session of a request.
    package func signOut(_ request: Request) async throws {
        if let secret = secret(of: request) { try await access.accounts.signOut(secret) }
    }

    /// Returns the proof for the forms of a signed-in person.
    package func proof(for request: Request) -> String { PageCookies.proof(of: secret(of: request) ?? "") }

    /// Checks that a form was sent to the browser of this session.
    ///
    /// - Throws: ``PageFailure`` `form-foreign`.
    package func requireProof(_ fields: FormFields, of request: Request) throws {
        guard PageCookies.isProof(fields["proof"], of: secret(of: request)) else { throw PageFailure.foreignForm }
    }

    /// Returns a sign-in page as an answer, with the cookie that binds its form to the browser.
    ///
    /// - Parameter page: returns the page for the proof of its form.
    package func signInPage(
        for request: Request, status: HTTPResponse.Status = .ok, _ page: (_ proof: String) -> Page
    ) -> Response {
        let known = PageCookies.value(PageCookies.visit, in: request)
        let visit = known ?? Data(random(32)).base64URL
        var response = page(PageCookies.proof(of: visit)).response(status: status)
        if known == nil {
            response.headers[.setCookie] = PageCookies.field(
                PageCookies.visit, value: visit, seconds: 3_600, addresses: configuration.addresses)
        }
        return response
    }

    /// Checks the name and the password of a form. Each attempt is counted by account, browser and address.
    ///
    /// - Returns: nil if the name or the password is wrong.
    /// - Throws: ``PageFailure`` `form-foreign`; `HTTPFailure` 429 or 503.
    package func signIn(
        _ fields: FormFields, of request: Request, from address: ClientAddress
    ) async throws -> SignedIn? {
        let visit = PageCookies.value(PageCookies.visit, in: request)
        guard PageCookies.isProof(fields["proof"], of: visit) else { throw PageFailure.foreignForm }
        let username = fields["username"] ?? ""
        let password = fields["password"] ?? ""
        guard (1...256).contains(username.utf8.count) else { return nil }
        let browser = knownBrowsers.browser(
            PageCookies.value(PageCookies.known, in: request), username: username, now: clock())
        let attempt = SignInAttempt(username: username, browser: browser, address: address)
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
            return nil
        }
        attempt.giveBack(limiter)
        return SignedIn(secret: secret, cookies: cookies(secret, username))
    }

    /// Returns the cookies for a browser in which a person has signed in.
    private func cookies(_ secret: String, _ username: String) -> [String] {
        let session = PageCookies.field(
            PageCookies.session, value: secret, seconds: Int(AuthorizationConfiguration.sessionLifetime),
            addresses: configuration.addresses)
        let known = knownBrowsers.value(for: username, random: random, now: clock()).map {
            PageCookies.field(
                PageCookies.known, value: $0, seconds: Int(KnownBrowser.lifetime), addresses: configuration.addresses)
        }
        return [session] + (known.map { [$0] } ?? [])
    }

    /// Returns the form that a page sent.
    ///
    /// - Parameter isRepeatable: the names of fields that may occur several times.
    /// - Throws: ``PageFailure`` `form-invalid`.
    package func form(
        of request: Request, isRepeatable: Set<String> = [], upTo limit: Int = largestForm
    ) async throws -> FormFields {
        do {
            return try await bodies.form(of: request, isRepeatable: isRepeatable, upTo: limit)
        } catch is OAuthFailure {
            throw PageFailure.unreadable
        }
    }
}
