import Core
import Crypto
import Foundation
import HTTPTypes
import Testing
import Wire

@testable import AccessPolicy
@testable import Authorization

/// SMART Backend Services on the route, and the attacks J01 to J14.
@Suite(.timeLimit(.minutes(10)))
struct BackendServiceTests {
    private func refused(_ answer: Answer, _ what: String = "") {
        #expect(answer.status == 401 && answer.error == "invalid_client", "\(what): \(answer.status) \(answer.text)")
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test(arguments: [("ES256", "small"), ("ES384", "large"), ("RS256", "rsa"), ("RS384", "rsa")])
    func aServiceGetsATokenForItsSystemScopes(algorithm: String, kid: String) async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            let answer = try await fixture.serve(
                service.assertion(algorithm: algorithm, kid: kid), scope: "system/Observation.read system/Patient.cruds"
            )
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store")
            let json = answer.json
            #expect(json["token_type"]?.string == "Bearer" && json["expires_in"]?.integer == 300)
            #expect(json["scope"]?.string == "system/Observation.read system/Patient.rs")
            #expect(json["refresh_token"] == nil && json["id_token"] == nil && json["patient"] == nil)
            let token = try #require(json["access_token"]?.string)
            let grant = try #require(try await fixture.access.tokens.grant(bearer: token))
            #expect(grant.client == service.id && grant.onlyPart?.patients == .all && grant.role == .service)
            _ = try await fixture.access.clients.revokeClient(id: service.id, by: Actor(id: "account", role: .site))
            #expect(try await fixture.access.tokens.grant(bearer: token) == nil)
        }
    }

    @Test func o04ScopesAreLimitedToThoseOfTheClientAndRequired() async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service("system/Patient.rs patient/*.rs offline_access openid")
            var number = 0
            func ask(_ scope: String?) async throws -> Answer {
                number += 1
                return try await fixture.serve(
                    service.assertion(service.changed("jti", .string("number-\(number)"))), scope: scope)
            }
            for scope in [
                nil, "", "system/Observation.rs", "patient/*.rs", "user/*.rs", "system/Patient.sr", "openid",
                "offline_access", "system/Patient.dus", "conf/V sens/*",
                String(repeating: "system/Patient.rs ", count: 2_000),
            ] {
                let answer = try await ask(scope)
                #expect(answer.status == 400 && answer.error == "invalid_scope", "\(scope ?? "nil") \(answer.text)")
            }
            let answer = try await ask("system/*.cruds system/*.cruds patient/*.rs conf/V sens/*")
            #expect(answer.json["scope"]?.string == "system/Patient.rs conf/N")
        }
    }

    @Test func serviceAuthenticatesOnlyWithItsKey() async throws {
        try await AuthorizationFixture.with { fixture in
            let secret = try await fixture.client(.secret, scope: "system/*.rs patient/*.rs")
            let open = try await fixture.client(.none, scope: "system/*.rs patient/*.rs")
            let bySecret = try await fixture.post(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"), ("scope", "system/*.rs"), ("client_id", secret.client.id),
                    ("client_secret", secret.secret ?? ""),
                ])
            #expect(bySecret.status == 400 && bySecret.error == "unauthorized_client")
            let byName = try await fixture.post(
                "/oauth2/token",
                [("grant_type", "client_credentials"), ("scope", "system/*.rs"), ("client_id", open.client.id)])
            #expect(byName.status == 400 && byName.error == "unauthorized_client")
            let service = try await fixture.service()
            refused(
                try await fixture.post(
                    "/oauth2/token",
                    [("grant_type", "client_credentials"), ("scope", "system/*.rs"), ("client_id", service.id)]))
            let wrongType = try await fixture.post(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"), ("scope", "system/*.rs"), ("client_assertion_type", "jwt"),
                    ("client_assertion", try service.assertion()),
                ])
            refused(wrongType)
            let wrongGrant = try await fixture.post("/oauth2/token", [("grant_type", "password")])
            #expect(wrongGrant.status == 400 && wrongGrant.error == "unsupported_grant_type")
        }
    }

    @Test(arguments: ["none", "None", "nOnE", "HS256", "HS384", "PS384", "ES512", ""])
    func j01J02OnTheRouteNoOtherAlgorithmProvesAnything(algorithm: String) async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            refused(try await fixture.serve(service.assertion(algorithm: algorithm, signature: Data())))
            let secret = SymmetricKey(data: try service.jwks)
            let bytes = Data(
                try service.assertion(algorithm: algorithm).split(separator: ".").dropLast().joined(separator: ".").utf8
            )
            let mac = Data(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
            refused(try await fixture.serve(service.assertion(algorithm: algorithm, signature: mac)))
        }
    }

    @Test func j03J04OnTheRouteAKeyIsFoundByItsKidItsTypeAndItsClient() async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            for (algorithm, kid) in [("ES256", "rsa"), ("ES256", "large"), ("RS256", "large"), ("RS384", "small")] {
                refused(try await fixture.serve(service.assertion(algorithm: algorithm, kid: kid)), algorithm)
            }
            for kid in [nil, "", "../../etc/passwd", "' OR 1=1 --", "large\u{0}", String(repeating: "k", count: 9_000)]
            {
                refused(try await fixture.serve(service.assertion(kid: kid)), kid ?? "nil")
            }
            // Signed by another client, whose key has the same name.
            let other = try await fixture.service()
            refused(try await fixture.serve(other.assertion(other.changed("iss", .string(service.id)))))
            var both = other.claims
            both["iss"] = .string(service.id)
            both["sub"] = .string(service.id)
            refused(try await fixture.serve(other.assertion(both)))
        }
    }

    @Test func j05J06OnTheRouteURLsInAnAssertionAreNotFetched() async throws {
        try await AuthorizationFixture.with { fixture in
            let url = "https://client.example/jwks.json"
            var service = try TestClient()
            service.id = try await fixture.client(.keySetURL(url), scope: "system/*.rs", redirect: []).client.id
            service.now = fixture.clock.now
            for member in ["jwk", "x5c", "x5u", "jku"] {
                let value: JSON = member == "jwk" ? ["kty": "EC"] : "https://attacker.example/keys"
                refused(try await fixture.serve(service.assertion(header: [.init(key: member, value: value)])), member)
            }
            for other in ["https://CLIENT.example/jwks.json", "https://client.example@attacker.example/", url + "/"] {
                refused(
                    try await fixture.serve(service.assertion(header: [.init(key: "jku", value: .string(other))])),
                    other)
            }
            #expect(fixture.keys.asked.isEmpty)
            fixture.keys[url] = FetchedKeySet(bytes: try service.jwks, maximumAge: nil)
            let right = try service.assertion(header: [.init(key: "jku", value: .string(url))])
            #expect(try await fixture.serve(right).status == 200)
            #expect(fixture.keys.asked == [url])
        }
    }

    @Test func j07J08J09OnTheRouteTimesAudienceAndClientAreChecked() async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            let now = Int64(fixture.clock.now.timeIntervalSince1970)
            func number(_ value: Int64) -> JSON { .number(JSONNumber(value)) }
            let wrong: [(String, JSON?)] = [
                ("exp", nil), ("exp", number(now)), ("exp", number(now + 301)), ("exp", .string("\(now + 100)")),
                ("exp", JSON(reading: Data("1e308".utf8))), ("exp", number(-1)), ("nbf", number(now + 60)),
                ("iat", number(now + 60)), ("iat", number(now - 60)), ("aud", nil),
                ("aud", .string(service.tokenURL + "/")), ("aud", "http://study.example/oauth2/token"),
                ("aud", .string(service.tokenURL.uppercased())), ("aud", "https://study.example"),
                ("aud", .array([.string(service.tokenURL), "https://other.example"])), ("iss", "nobody"),
                ("sub", "nobody"), ("iss", nil), ("jti", nil), ("jti", "x"),
            ]
            for (name, value) in wrong {
                refused(try await fixture.serve(service.assertion(service.changed(name, value))), "\(name)")
            }
            var unknown = service.claims
            unknown["iss"] = "unknown"
            unknown["sub"] = "unknown"
            refused(try await fixture.serve(service.assertion(unknown)))
            refused(try await fixture.serve(service.assertion(), more: [("client_id", "another")]))
            // None of these requests used up the id.
            #expect(try await fixture.serve(service.assertion()).status == 200)
            _ = try await fixture.access.clients.revokeClient(id: service.id, by: Actor(id: "account", role: .site))
            refused(try await fixture.serve(service.assertion(service.changed("jti", "another-one"))))
        }
    }

    @Test func j10OnTheRouteAnAssertionCountsOnceAndAnIdBelongsToItsClient() async throws {
        try await AuthorizationFixture.with { fixture in
            let (service, other) = (try await fixture.service(), try await fixture.service())
            let assertion = try service.assertion()
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.serve(assertion).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.sorted() == [200] + Array(repeating: 401, count: 7))
            #expect(try await fixture.serve(other.assertion()).status == 200)
        }
    }

    @Test func j11J12J13OnTheRouteOtherFormsAreRefusedAtOnce() async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            let right = try service.assertion()
            let parts = right.split(separator: ".").map(String.init)
            let claims = [
                String(repeating: "[", count: 10_000),
                #"{"exp":1,"exp":2,"iss":"\#(service.id)","sub":"\#(service.id)"}"#,
            ].map { "\(parts[0]).\(Data($0.utf8).base64URL).\(parts[2])" }
            for text in [
                "", "..", right + ".", right + ".AA", parts[0] + "." + parts[1], right + "\n",
                #"{"payload":"e30","signatures":[]}"#,
                [parts[0], parts[1], parts[2], parts[2], parts[2]].joined(separator: "."),
                String(repeating: "a", count: 17_000),
            ] + claims {
                refused(try await fixture.serve(text), "\(text.prefix(30))")
            }
            refused(try await fixture.serve(service.assertion(header: [.init(key: "crit", value: .array(["x"]))])))
            refused(try await fixture.serve(service.assertion(header: [.init(key: "b64", value: false)])))
            refused(try await fixture.serve(service.assertion(signature: Data(count: 96))))
            refused(
                try await fixture.serve(service.assertion(algorithm: "ES256", kid: "small", signature: Data(count: 64)))
            )
            let der = try service.p384.signature(for: Data(right.utf8)).derRepresentation
            refused(try await fixture.serve(service.assertion(signature: der)))
            let large = try await fixture.serve(String(repeating: "a", count: 10 << 20))
            #expect(large.status == 413 && large.error != nil)
        }
    }

    @Test func j14OnTheRouteTokensAndAssertionsAreNotInterchangeable() async throws {
        try await AuthorizationFixture.with { fixture in
            let service = try await fixture.service()
            let assertion = try service.assertion()
            let token = try #require(try await fixture.serve(assertion).json["access_token"]?.string)
            refused(try await fixture.serve(token))
            #expect(try await fixture.access.tokens.grant(bearer: assertion) == nil)
            for type in ["at+jwt", "JOSE", ""] {
                refused(try await fixture.serve(service.assertion(service.changed("jti", "another-one"), type: type)))
            }
        }
    }

    @Test func fetchedKeysAreCachedForTheirLifetimeAndFetchedAgainForANewKey() async throws {
        try await AuthorizationFixture.with { fixture in
            let url = "https://client.example/jwks.json"
            let (old, new) = (try TestClient(), try TestClient())
            let id = try await fixture.client(.keySetURL(url), scope: "system/*.rs", redirect: []).client.id
            var number = 0
            func ask(_ keys: TestClient) async throws -> Int {
                number += 1
                var keys = keys
                keys.id = id
                keys.now = fixture.clock.now
                return try await fixture.serve(
                    keys.assertion(keys.changed("jti", .string("number-\(number)")))
                ).status
            }
            fixture.keys[url] = FetchedKeySet(bytes: try old.jwks, maximumAge: 100)
            #expect(try await ask(old) == 200)
            #expect(try await ask(old) == 200)
            #expect(fixture.keys.asked.count == 1)
            // For another key the keys are fetched again, but not immediately.
            fixture.keys[url] = FetchedKeySet(bytes: try new.jwks, maximumAge: 0)
            #expect(try await ask(new) == 401)
            #expect(fixture.keys.asked.count == 1)
            fixture.clock.advance(KeySetCache.minimumAge)
            #expect(try await ask(new) == 200)
            #expect(try await ask(old) == 401)
            // no-store: the keys are fetched for each request.
            let asked = fixture.keys.asked.count
            #expect(try await ask(new) == 200)
            #expect(fixture.keys.asked.count == asked + 1)
            // After a failure the URL is not fetched again immediately.
            fixture.keys[url] = nil
            #expect(try await ask(new) == 401)
            #expect(try await ask(new) == 401)
            #expect(fixture.keys.asked.count == asked + 2)
        }
    }

    @Test func invalidFormIsRefusedWithAnOAuthError() async throws {
        try await AuthorizationFixture.with { fixture in
            for (type, body) in [
                ("application/json", "{}"), ("application/x-www-form-urlencoded", "grant_type=%zz"),
                ("application/x-www-form-urlencoded", "grant_type=%ff"),
                ("application/x-www-form-urlencoded", "grant_type=client_credentials&grant_type=client_credentials"),
                ("application/x-www-form-urlencoded", ""),
            ] {
                for path in ["token", "introspect", "revoke"] {
                    let answer = try await fixture.ask(
                        .post, "/oauth2/\(path)", headers: [.contentType: type], body: body)
                    #expect([400, 401].contains(answer.status) && answer.error != nil, "\(path) \(body)")
                }
            }
            let get = try await fixture.ask(.get, "/oauth2/token")
            #expect(get.status == 405 && get.headers[.allow] == "OPTIONS, POST")
        }
    }
}
