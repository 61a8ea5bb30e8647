import Core
import Foundation
import HTTPTypes
import Testing
import Wire

@testable import AccessPolicy
@testable import Authorization
@testable import Identity
@testable import ServerHTTP

/// The authorization code flow of an app and a person: the request, the pages, the code and its tokens.
@Suite(.timeLimit(.minutes(10)))
struct CodeFlowTests {
    private typealias Fixture = AuthorizationFixture

    private static let letters = Array("abcdefghij")

    private func authorize(_ fixture: AuthorizationFixture, _ parameters: [(String, String)]) -> String {
        "/oauth2/authorize?" + Fixture.form(parameters)
    }

    @Test func appGetsTheScopesThatThePersonTicked() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            let account = try await fixture.person()
            let browser = TestBrowser(fixture)
            let scope = "launch/patient patient/*.read openid fhirUser offline_access sens/* conf/R"
            let first = try await browser.go(authorize(fixture, fixture.parameters(client, scope: scope)))
            #expect(first.status == 200 && first.text.contains("Sleep &lt;b&gt;diary&lt;/b&gt;"))
            #expect(!first.text.contains("<script") && !first.text.contains("<b>diary"))
            let page = try await browser.signIn(first)
            #expect(page.status == 200 && page.text.contains("See all your health records"))
            let boxes = TestBrowser.fields(page).filter { $0.name == "scope" }
            #expect(Set(boxes.map(\.value)) == Set(scope.split(separator: " ").map(String.init)))
            #expect(Set(boxes.filter { !$0.isTicked }.map(\.value)) == ["sens/*", "conf/R"])
            let sent = try await browser.decide(page, also: [("scope", "conf/R"), ("scope", "user/*.cruds")])
            #expect(sent.status == 303 && sent.headers[.referrerPolicy] == "no-referrer")
            #expect(sent.location?.hasPrefix(Fixture.redirect + "?") == true)
            #expect(sent.redirection["state"] == "st/&=\"<>" && sent.redirection["iss"] == Fixture.base)
            let answer = try await fixture.redeem(try #require(sent.redirection["code"]), client)
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.pragma] == "no-cache")
            let json = answer.json
            #expect(json["scope"]?.string == "launch/patient patient/*.read openid fhirUser offline_access conf/R")
            #expect(json["patient"]?.string == "anna" && json["expires_in"]?.integer == 3_600)
            #expect(json["token_type"]?.string == "Bearer" && json["refresh_token"]?.string != nil)
            let grant = try #require(
                try await fixture.access.tokens.grant(bearer: json["access_token"]?.string ?? ""))
            #expect(grant.person == account.id && grant.client == client.id)
            let part = try #require(grant.onlyPart)
            #expect(part.patients == .only(["anna"]))
            #expect(part.confidentiality == .restricted && part.sensitivity == .none)
        }
    }

    @Test func idTokenIdentifiesThePerson() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            let account = try await fixture.person()
            let json = try await TestBrowser(fixture).tokens(client).json
            let token = try #require(json["id_token"]?.string)
            let jws = try JWS(compact: Data(token.utf8), accepting: [.rs256])
            let served = try await fixture.ask(.get, "/oauth2/jwks.json").text
            try jws.verify(with: try #require(SignatureKeySet(reading: Data(served.utf8)).key(for: jws)))
            let claims = PercentEncoding.claims(of: token)
            #expect(claims["iss"]?.string == Fixture.base && claims["aud"]?.string == client.id)
            #expect(claims["sub"]?.string == account.id && claims["nonce"]?.string == "n-1")
            #expect(claims["fhirUser"]?.string == Fixture.base + "/fhir/Patient/anna")
            let now = Int(fixture.clock.now.timeIntervalSince1970)
            #expect(claims["iat"]?.integer == now && claims["exp"]?.integer == now + 3_600)
            #expect(claims["auth_time"]?.integer == now)
            // Without openid there is no ID token, and without fhirUser it names no person.
            let less = try await TestBrowser(fixture).tokens(client, scope: "patient/*.rs").json
            #expect(less["id_token"] == nil && less["patient"]?.string == "anna")
            let bare = try await TestBrowser(fixture).tokens(client, scope: "openid").json
            #expect(PercentEncoding.claims(of: bare["id_token"]?.string ?? "")["fhirUser"] == nil)
            #expect(bare["patient"] == nil)
        }
    }

    @Test func anAppMaySendItsRequestAsAForm() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            // From another site no cookie is sent.
            let page = try await browser.go("/oauth2/authorize", fixture.parameters(client), isSameSite: false)
            #expect(page.status == 200)
            let sent = try await browser.decide(try await browser.signIn(page))
            let code = try #require(sent.redirection["code"])
            #expect(try await fixture.redeem(code, client).status == 200)
        }
    }

    @Test func allTypesCanBeRequestedByName() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client(scope: "patient/*.rs").client
            try await fixture.person()
            let scopes = (0..<296).map { number in
                "patient/Type" + String(number).map { String(Self.letters[$0.wholeNumberValue ?? 0]) }.joined() + ".rs"
            }
            let browser = TestBrowser(fixture)
            let page = try await browser.go(
                "/oauth2/authorize", fixture.parameters(client, scope: scopes.joined(separator: " ")))
            let sent = try await browser.decide(try await browser.signIn(page))
            let json = try await fixture.redeem(try #require(sent.redirection["code"]), client).json
            #expect(json["scope"]?.string == scopes.joined(separator: " "))
        }
    }

    @Test func confidentialClientsAuthenticateToRedeemACode() async throws {
        try await Fixture.with { fixture in
            try await fixture.person()
            func code(_ client: RegisteredClient) async throws -> String {
                let browser = TestBrowser(fixture)
                let page = try await browser.go(authorize(fixture, fixture.parameters(client)))
                let sent = try await browser.decide(try await browser.signIn(page))
                return try #require(sent.redirection["code"])
            }
            func redeem(
                _ code: String, _ more: [(String, String)], headers: HTTPFields = [:]
            ) async throws -> Answer {
                try await fixture.post(
                    "/oauth2/token",
                    [
                        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Fixture.redirect),
                        ("code_verifier", Fixture.verifier),
                    ] + more, headers: headers)
            }
            func basic(_ id: String, _ secret: String) -> HTTPFields {
                [.authorization: "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
            }
            let made = try await fixture.client(.secret)
            let (id, secret) = (made.client.id, try #require(made.secret))
            #expect(try await redeem(code(made.client), [], headers: basic(id, secret)).status == 200)
            let posted = try await redeem(code(made.client), [("client_id", id), ("client_secret", secret)])
            #expect(posted.status == 200)
            let third = try await code(made.client)
            for (more, headers) in [
                ([("client_id", id)], [:]), ([("client_id", id), ("client_secret", "wrong")], [:]),
                ([], basic(id, "wrong")), ([], basic("nobody", secret)), ([], [.authorization: "Basic %%%"]), ([], [:]),
            ] as [([(String, String)], HTTPFields)] {
                let answer = try await redeem(third, more, headers: headers)
                #expect(answer.status == 401 && answer.error == "invalid_client")
                #expect(answer.headers[.wwwAuthenticate] == "Basic")
            }
            let twice = try await redeem(third, [("client_secret", secret)], headers: basic(id, secret))
            #expect(twice.status == 400 && twice.error == "invalid_request")
            #expect(try await redeem(third, [], headers: basic(id, secret)).status == 200)

            var keys = try TestClient()
            let keyed = try await fixture.client(.keySet(keys.jwks)).client
            keys.id = keyed.id
            keys.now = fixture.clock.now
            let asserted = try await redeem(
                code(keyed),
                [
                    ("client_assertion_type", ClientAuthentication.assertionType),
                    ("client_assertion", try keys.assertion()),
                ])
            #expect(asserted.status == 200)
        }
    }

    @Test func o01OnTheRouteSecondUseOfACodeRevokesItsTokens() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(try await browser.go(authorize(fixture, fixture.parameters(client))))
            let code = try #require(try await browser.decide(page).redirection["code"])
            let token = try #require(try await fixture.redeem(code, client).json["access_token"]?.string)
            #expect(try await fixture.access.tokens.grant(bearer: token) != nil)
            let again = try await fixture.redeem(code, client)
            #expect(again.status == 400 && again.error == "invalid_grant")
            #expect(try await fixture.access.tokens.grant(bearer: token) == nil)
        }
    }

    @Test func o02OnTheRouteACodeNeedsItsClientRedirectionAndVerifier() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            let other = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(try await browser.go(authorize(fixture, fixture.parameters(client))))
            let code = try #require(try await browser.decide(page).redirection["code"])
            let right: [String: String] = [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Fixture.redirect,
                "code_verifier": Fixture.verifier, "client_id": client.id,
            ]
            let wrong: [(String, String?)] = [
                ("client_id", other.id), ("redirect_uri", Fixture.redirect + "/"),
                ("redirect_uri", "https://evil.example/"),
                ("code_verifier", nil), ("code_verifier", ""), ("code_verifier", Fixture.challenge),
                ("code_verifier", String(repeating: "a", count: 43)),
                ("code_verifier", String(repeating: "a", count: 200)),
                ("code", "unknown"), ("code", String(repeating: "c", count: 1_000)),
            ]
            for (name, value) in wrong {
                var fields = right
                fields[name] = value
                let answer = try await fixture.post("/oauth2/token", fields.map { ($0.key, $0.value) })
                #expect(answer.status == 400 && answer.error == "invalid_grant", "\(name) \(answer.text)")
            }
            for (name, value) in [
                ("code_challenge", nil), ("code_challenge", ""), ("code_challenge", "short"),
                ("code_challenge_method", "plain"), ("code_challenge_method", nil),
            ] as [(String, String?)] {
                let refused = try await browser.go(
                    authorize(fixture, fixture.parameters(client, changing: [name: value])))
                #expect(refused.redirection["error"] == "invalid_request", "\(name)")
            }
            #expect(try await fixture.redeem(code, client).status == 200)
        }
    }

    @Test(arguments: [
        "https://app.example/callback/", "https://app.example/callback/../evil", "https://app.example/callbac",
        "https://app.example/callback?x=1", "https://app.example@evil.example/callback",
        "https://app.example/callback#x",
        "https://APP.example/callback", "http://app.example/callback", "https://app.example:443/callback",
        "javascript:alert(1)", "//evil.example", "https://app.example/%63allback", "", "http://127.0.0.1:9999/cb",
        "https://app.example/callback\r\nSet-Cookie: a=b",
    ])
    func o03OnlyExactRegisteredURLsAreRedirectTargets(uri: String) async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client(redirect: [Fixture.redirect, "http://127.0.0.1:8910/cb"]).client
            for path in [authorize(fixture, fixture.parameters(client, changing: ["redirect_uri": uri]))] {
                let answer = try await fixture.ask(.get, path)
                #expect(answer.status == 400 && answer.location == nil)
                #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true)
            }
            let twice = fixture.parameters(client) + [("redirect_uri", uri)]
            #expect(try await fixture.ask(.get, authorize(fixture, twice)).status == 400)
            let unknown = try await fixture.ask(
                .get, authorize(fixture, fixture.parameters(client, changing: ["client_id": "unknown<script>"])))
            #expect(unknown.status == 400 && unknown.location == nil && !unknown.text.contains("<script"))
        }
    }

    @Test func o03O05O08InvalidRequestIsReportedToTheApp() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            let wrong: [(String, String?, String)] = [
                ("response_type", "token", "unsupported_response_type"),
                ("response_type", nil, "unsupported_response_type"),
                ("aud", nil, "invalid_request"), ("aud", "https://other.example/fhir", "invalid_request"),
                ("aud", "http://study.example/fhir", "invalid_request"), ("state", nil, "invalid_request"),
                ("state", String(repeating: "s", count: 5_000), "invalid_request"), ("launch", "x", "invalid_request"),
                ("nonce", String(repeating: "n", count: 600), "invalid_request"),
                ("request", "x", "request_not_supported"), ("request_uri", "https://x", "request_uri_not_supported"),
                ("response_mode", "fragment", "invalid_request"), ("scope", nil, "invalid_scope"),
                ("scope", "system/*.rs", "invalid_scope"), ("scope", "patient/*.dus", "invalid_scope"),
                ("scope", "conf/V sens/*", "invalid_scope"), ("scope", "patient/Observation.", "invalid_scope"),
                ("prompt", "none", "login_required"),
            ]
            for (name, value, error) in wrong {
                let answer = try await fixture.ask(
                    .get, authorize(fixture, fixture.parameters(client, changing: [name: value])))
                #expect(answer.status == 303 && answer.redirection["error"] == error, "\(name) \(answer.text)")
                #expect(answer.location?.hasPrefix(Fixture.redirect + "?") == true)
                #expect(answer.redirection["state"] == (name == "state" ? nil : "st/&=\"<>"), "\(name)")
            }
            let slash = fixture.parameters(client, changing: ["aud": Fixture.base + "/fhir/"])
            #expect(try await fixture.ask(.get, authorize(fixture, slash)).status == 200)
            let long = fixture.parameters(client, changing: ["scope": String(repeating: "patient/*.rs ", count: 2_600)])
            let answer = try await fixture.post("/oauth2/authorize", long)
            #expect(answer.redirection["error"] == "invalid_scope")
            let huge = try await fixture.post("/oauth2/authorize", [("scope", String(repeating: "s", count: 100_000))])
            #expect(huge.status == 413 && huge.location == nil)
        }
    }

    @Test func o04ConsentFormCannotWidenTheRequestedOrRegisteredScopes() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client(scope: "patient/Observation.rs patient/Patient.r openid").client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(
                try await browser.go(authorize(fixture, fixture.parameters(client, scope: "patient/Observation.cruds")))
            )
            let more = ["patient/Patient.r", "patient/*.cruds", "user/*.rs", "system/*.rs", "sens/*", "openid"]
            let sent = try await browser.decide(page, also: more.map { ("scope", $0) })
            let json = try await fixture.redeem(try #require(sent.redirection["code"]), client).json
            #expect(json["scope"]?.string == "patient/Observation.rs")
            // The same with a changed hidden field: the client's registered scopes are the limit.
            let other = try await browser.go(
                authorize(fixture, fixture.parameters(client, scope: "patient/Observation.rs")))
            let fields = TestBrowser.fields(other).map {
                ($0.name, $0.name == ConsentPage.scopesField ? "patient/*.cruds user/*.rs sens/*" : $0.value)
            }
            let widened = try await browser.go(
                "/oauth2/consent", fields + [("scope", "patient/*.cruds"), ("decision", "approve")])
            let tokens = try await fixture.redeem(try #require(widened.redirection["code"]), client).json
            #expect(tokens["scope"]?.string == "patient/Observation.rs")
        }
    }

    @Test func denialOrAnEmptySelectionGrantsNothing() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(try await browser.go(authorize(fixture, fixture.parameters(client))))
            #expect(try await browser.decide(page, "deny").redirection["error"] == "access_denied")
            let all = Set(TestBrowser.fields(page).filter { $0.name == "scope" }.map(\.value))
            #expect(try await browser.decide(page, without: all).redirection["error"] == "access_denied")
            #expect(try await browser.decide(page, "perhaps").status == 400)
            let silent = try await browser.go(
                authorize(fixture, fixture.parameters(client, changing: ["prompt": "none"])))
            #expect(silent.redirection["error"] == "consent_required")
            let out = try await browser.decide(page, "sign-out")
            #expect(out.text.contains("name=\"password\""))
            #expect(try await browser.decide(page).text.contains("name=\"password\""), "nobody is signed in any more")
        }
    }

    @Test func narrowingLabelCannotBeDeselected() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client(scope: "patient/*.rs conf/L").client
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(
                try await browser.go(authorize(fixture, fixture.parameters(client, scope: "patient/*.rs"))))
            #expect(!TestBrowser.fields(page).contains { $0.value == "conf/L" })
            let sent = try await browser.decide(page)
            let json = try await fixture.redeem(try #require(sent.redirection["code"]), client).json
            #expect(json["scope"]?.string == "patient/*.rs conf/L")
        }
    }

    @Test func aPractitionerChoosesThePatientAndAParticipantHasTheirOwn() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person("dora", .practitioner)
            try await fixture.person()
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(
                try await browser.go(authorize(fixture, fixture.parameters(client))), as: "dora")
            #expect(page.text.contains("name=\"patient\""))
            for patient in ["", "nobody", "anna/../bert", "' OR 1=1"] {
                let again = try await browser.decide(page, also: [("patient", patient)])
                #expect(again.status == 400 && again.text.contains("role=\"alert\""), "\(patient)")
            }
            // The page shown again keeps the ticks and the input: an unticked scope is not granted by mistake.
            let again = try await browser.decide(page, also: [("patient", "<b>")], without: ["openid"])
            let boxes = TestBrowser.fields(again).filter { $0.name == "scope" }
            #expect(boxes.filter { !$0.isTicked }.map(\.value) == ["openid"] && boxes.count > 1)
            #expect(again.text.contains("value=\"&lt;b&gt;\""))
            let sent = try await browser.decide(page, also: [("patient", "bert")])
            let json = try await fixture.redeem(try #require(sent.redirection["code"]), client).json
            #expect(json["patient"]?.string == "bert")
            let user = PercentEncoding.claims(of: json["id_token"]?.string ?? "")["fhirUser"]?.string
            #expect(user == Fixture.base + "/fhir/Practitioner/d1")
            // A participant is always themselves, even if the browser sends another patient.
            let own = TestBrowser(fixture)
            let theirs = try await own.tokens(client, also: [("patient", "bert")]).json
            #expect(theirs["patient"]?.string == "anna")
            let grant = try await fixture.access.tokens.grant(bearer: theirs["access_token"]?.string ?? "")
            #expect(grant?.onlyPart?.patients == .only(["anna"]))
        }
    }

    @Test func staffGrantAppsOnlyReadAccess() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client(scope: "user/*.cruds patient/*.cruds").client
            try await fixture.person("sam", .staff)
            let browser = TestBrowser(fixture)
            let page = try await browser.signIn(
                try await browser.go(authorize(fixture, fixture.parameters(client, scope: "user/*.cruds"))), as: "sam")
            let sent = try await browser.decide(page)
            #expect(
                try await fixture.redeem(try #require(sent.redirection["code"]), client).json["scope"]?.string
                    == "user/*.rs")
        }
    }
}
