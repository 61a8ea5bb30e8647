import Core
import Foundation
import HTTPTypes
import Testing

@testable import AccessPolicy
@testable import Authorization
@testable import Identity
@testable import ServerHTTP

/// Attacks on pages, refresh tokens and introspection.
@Suite(.timeLimit(.minutes(10)))
struct PageAttackTests {
    private typealias Fixture = AuthorizationFixture

    private func path(_ fixture: AuthorizationFixture, _ client: RegisteredClient) -> String {
        "/oauth2/authorize?" + Fixture.form(fixture.parameters(client))
    }

    @Test func o08PagesAllowNoFrameAndNoScript() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let first = try await browser.go(path(fixture, client))
            let second = try await browser.signIn(first)
            let third = try await browser.go("/oauth2/authorize?client_id=x")
            for page in [first, second, third] {
                let policy = page.headers[.contentSecurityPolicy] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(policy.contains("base-uri 'none'") && !policy.contains("unsafe") && !policy.contains("script"))
                #expect(page.headers[.frameOptions] == "DENY" && page.headers[.cacheControl] == "no-store")
                #expect(
                    page.headers[.contentTypeOptions] == "nosniff" && page.headers[.referrerPolicy] == "no-referrer")
                #expect(!page.text.contains("<script") && !page.text.contains(" style="))
            }
            #expect(first.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.example;") == true)
            let cookie = try #require(first.headers[.setCookie])
            #expect(cookie.contains("HttpOnly; SameSite=Lax; Secure") && cookie.contains("Path=/;"))
        }
    }

    @Test func o08FormOfAnotherSiteOrBrowserIsRefused() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            try await fixture.person("dora", .practitioner)
            let browser = TestBrowser(fixture)
            let first = try await browser.go(path(fixture, client))
            let page = try await browser.signIn(first)
            let ticked = TestBrowser.fields(page).filter(\.isTicked).map { ($0.name, $0.value) }
            // 1. From another site no cookie is sent.
            let foreign = try await browser.go(
                "/oauth2/consent", ticked + [("decision", "approve")], isSameSite: false)
            #expect(foreign.location == nil && foreign.text.contains("name=\"password\""))
            // 2. A proof that is missing, belongs to another session, or is invented.
            let other = TestBrowser(fixture)
            let theirs = try await other.signIn(try await other.go(path(fixture, client)), as: "dora")
            let proof = try #require(TestBrowser.fields(theirs).first { $0.name == "proof" }?.value)
            for value in [nil, "", "x", proof] {
                let forged = ticked.filter { $0.0 != "proof" } + (value.map { [("proof", $0)] } ?? [])
                let answer = try await browser.go("/oauth2/consent", forged + [("decision", "approve")])
                #expect(answer.status == 403 && answer.location == nil)
            }
            // 3. A form that was not served to the browser signs no one in.
            let hidden = TestBrowser.fields(first).map { ($0.name, $0.value) }
            let signIn = hidden + [("username", "anna"), ("password", "correct horse")]
            let login = try await TestBrowser(fixture).go("/oauth2/sign-in", signIn)
            #expect(login.status == 403 && login.headers[.setCookie] == nil)
            #expect(try await browser.decide(page).redirection["code"] != nil)
        }
    }

    @Test func o09AttemptsToSignInAreCountedForTheNameAndForTheAddress() async throws {
        var limits = RateLimits()
        limits[.signInByAccount] = try Rate(perSecond: 0.001, burst: 3)
        limits[.signInByAddress] = try Rate(perSecond: 0.001, burst: 8)
        try await Fixture.with(limits: limits) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.go(path(fixture, client))
            for _ in 0..<3 {
                let wrong = try await browser.signIn(page, as: "anna", password: "wrong horse")
                #expect(wrong.status == 403 && wrong.text.contains(SignInPage.wrong))
            }
            let limited = try await browser.signIn(page, as: "Anna")
            #expect(limited.status == 429 && limited.headers[.retryAfter] != nil)
            for name in ["a1", "a2", "a3", "a4"] { #expect(try await browser.signIn(page, as: name).status == 403) }
            #expect(try await browser.signIn(page, as: "a5").status == 429)
        }
    }

    @Test func o09ResponsesDoNotRevealKnownNames() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            try await fixture.person("gone", .practitioner)
            try await fixture.access.accounts.disableAccount(username: "gone", by: Actor(id: "account", role: .site))
            let browser = TestBrowser(fixture)
            let page = try await browser.go(path(fixture, client))
            var seen: Set<String> = []
            for (name, password) in [("anna", "wrong horse"), ("nobody", "wrong horse"), ("gone", "correct horse")] {
                let answer = try await browser.signIn(page, as: name, password: password)
                #expect(answer.headers[.setCookie] == nil && !answer.text.contains(password))
                seen.insert("\(answer.status) \(answer.text)")
            }
            #expect(seen.count == 1)
            // An unknown name takes the same time.
            let unmatchable = try #require(PasswordHash.unmatchable(.standard)?.text.split(separator: "$"))
            let real = try PasswordHash(of: "correct horse", salt: Data(count: 16), cost: .standard).text
                .split(separator: "$")
            #expect(unmatchable.prefix(4) == real.prefix(4) && unmatchable[4].count == real[4].count)
        }
    }

    @Test func o06OnTheRouteARefreshTokenCountsOnce() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let scope = "patient/*.rs offline_access openid fhirUser"
            let first = try await TestBrowser(fixture).tokens(client, scope: scope).json
            func refresh(_ token: String?, _ more: [(String, String)] = []) async throws -> Answer {
                try await fixture.post(
                    "/oauth2/token",
                    [("grant_type", "refresh_token"), ("refresh_token", token ?? ""), ("client_id", client.id)] + more)
            }
            fixture.clock.advance(7_200)
            let second = try await refresh(first["refresh_token"]?.string)
            #expect(second.status == 200 && second.json["scope"]?.string == scope)
            #expect(second.json["patient"]?.string == "anna" && second.json["expires_in"]?.integer == 3_600)
            let claims = PercentEncoding.claims(of: second.json["id_token"]?.string ?? "")
            #expect(claims["nonce"] == nil && claims["sub"] != nil)
            let narrow = try await refresh(second.json["refresh_token"]?.string, [("scope", "patient/Patient.r")])
            #expect(narrow.json["scope"]?.string == "patient/Patient.r")
            let wide = try await refresh(narrow.json["refresh_token"]?.string, [("scope", "system/*.rs user/*.cruds")])
            #expect(wide.status == 400 && wide.error == "invalid_scope")
            let again = try await refresh(first["refresh_token"]?.string)
            #expect(again.status == 400 && again.error == "invalid_grant")
            for json in [first, second.json, narrow.json] {
                #expect(try await fixture.access.tokens.grant(bearer: json["access_token"]?.string ?? "") == nil)
            }
            #expect(try await refresh(narrow.json["refresh_token"]?.string).error == "invalid_grant")
            #expect(try await refresh(nil).error == "invalid_grant")
        }
    }

    @Test func anAppKeepsAccessForNinetyDaysAndNotLonger() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            var json = try await TestBrowser(fixture).tokens(client, scope: "patient/*.rs offline_access").json
            func refresh() async throws -> Answer {
                try await fixture.post(
                    "/oauth2/token",
                    [
                        ("grant_type", "refresh_token"), ("refresh_token", json["refresh_token"]?.string ?? ""),
                        ("client_id", client.id),
                    ])
            }
            fixture.clock.advance(89 * 86_400)
            json = try await refresh().json
            #expect(json["expires_in"]?.integer == 3_600)
            fixture.clock.advance(86_400 - 600)
            json = try await refresh().json
            #expect(json["expires_in"]?.integer == 600)
            fixture.clock.advance(600)
            #expect(try await refresh().error == "invalid_grant")
        }
    }

    @Test func o07OnTheRouteOnlyTheTokensClientIntrospectsAndRevokesIt() async throws {
        try await Fixture.with { fixture in
            let made = try await fixture.client(.secret)
            let other = try await fixture.client(.secret)
            try await fixture.person()
            func proof(_ client: (client: RegisteredClient, secret: String?)) -> [(String, String)] {
                [("client_id", client.client.id), ("client_secret", client.secret ?? "")]
            }
            let json = try await TestBrowser(fixture).tokens(
                made.client, scope: "patient/*.read openid fhirUser", redeeming: [("client_secret", made.secret ?? "")]
            ).json
            let token = try #require(json["access_token"]?.string)
            let own = try await fixture.post("/oauth2/introspect", proof(made) + [("token", token)])
            #expect(own.status == 200 && own.json["active"] == true)
            #expect(own.json["scope"] == json["scope"] && own.json["client_id"]?.string == made.client.id)
            let end = Int(fixture.clock.now.timeIntervalSince1970) + 3_600
            #expect(own.json["exp"]?.integer == end && own.json["patient"]?.string == "anna")
            #expect(own.json["fhirUser"]?.string == Fixture.base + "/fhir/Patient/anna")
            #expect(own.json["iss"]?.string == Fixture.base && own.json["sub"]?.string != nil)
            for (client, text) in [(other, token), (made, "unknown"), (made, String(repeating: "t", count: 5_000))] {
                let answer = try await fixture.post("/oauth2/introspect", proof(client) + [("token", text)])
                #expect(answer.status == 200 && answer.text == #"{"active":false}"#)
            }
            let open = try await fixture.client().client
            for credentials in [[], [("client_id", made.client.id)], [("client_id", open.id)]] {
                let answer = try await fixture.post("/oauth2/introspect", credentials + [("token", token)])
                #expect(answer.status == 401 && answer.error == "invalid_client")
            }
            #expect(try await fixture.post("/oauth2/revoke", [("token", token)]).status == 401)
            #expect(try await fixture.post("/oauth2/revoke", proof(other) + [("token", token)]).status == 200)
            #expect(try await fixture.access.tokens.grant(bearer: token) != nil)
            #expect(try await fixture.post("/oauth2/revoke", proof(made) + [("token", token)]).status == 200)
            #expect(try await fixture.access.tokens.grant(bearer: token) == nil)
            let ended = try await fixture.post("/oauth2/introspect", proof(made) + [("token", token)])
            #expect(ended.text == #"{"active":false}"#)
        }
    }

    @Test func s11OnlyScriptsOfAnAppsOriginReadTokens() async throws {
        try await Fixture.with { fixture in
            _ = try await fixture.client()
            func ask(_ origin: String, _ method: HTTPRequest.Method = .post) async throws -> Answer {
                var headers: HTTPFields = [.origin: origin]
                headers[.contentType] = "application/x-www-form-urlencoded"
                return try await fixture.ask(method, "/oauth2/token", headers: headers, body: "grant_type=password")
            }
            let own = try await ask("https://app.example")
            #expect(own.status == 400 && own.headers[.accessControlAllowOrigin] == "https://app.example")
            let preflight = try await ask("https://app.example", .options)
            #expect(preflight.status == 204 && preflight.headers[.accessControlAllowMethods] == "POST")
            for origin in ["https://evil.example", "null", "https://app.example.evil.example", "http://app.example"] {
                let answer = try await ask(origin)
                #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(origin)")
                #expect(answer.headers[.vary] == "Origin")
            }
            let page = try await fixture.ask(.get, "/oauth2/authorize", headers: [.origin: "https://app.example"])
            #expect(page.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func j14IDTokenIsNeitherAnAccessTokenNorAnAssertion() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let json = try await TestBrowser(fixture).tokens(client).json
            let token = try #require(json["id_token"]?.string)
            #expect(try await fixture.access.tokens.grant(bearer: token) == nil)
            let answer = try await fixture.serve(token)
            #expect(answer.status == 401 && answer.error == "invalid_client")
        }
    }

    @Test func externalValuesAreEscaped() {
        #expect(
            MarkupText.escaped("<a href=\"x\" title='y'>&amp;")
                == "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;")
        #expect(
            Page.hidden([(name: "n\"", value: "v><script>")])
                == #"<input type="hidden" name="n&quot;" value="v&gt;&lt;script&gt;">"#)
    }
}
