import Audit
import Core
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import AccessPolicy
@testable import Authorization
@testable import Identity
@testable import ServerHTTP

/// A flood of requests by a stranger does not lock out other callers.
@Suite(.timeLimit(.minutes(10)))
struct FloodTests {
    private typealias Fixture = AuthorizationFixture

    private func path(_ fixture: AuthorizationFixture, _ client: RegisteredClient) -> String {
        "/oauth2/authorize?" + Fixture.form(fixture.parameters(client))
    }

    private func from(_ address: String) -> HTTPFields { [TestAddressResponder.header: address] }

    // MARK: Token requests

    @Test func floodWithAPublicClientIDDoesNotAffectItsUsers() async throws {
        var limits = RateLimits()
        limits[.tokenByClient] = try Rate(perSecond: 0.001, burst: 5)
        try await Fixture.with(limits: limits) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let wrong = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", client.id)]
            var statuses: [Int] = []
            for _ in 0..<20 {
                statuses.append(
                    try await fixture.post("/oauth2/token", wrong, headers: from("198.51.100.1")).status)
            }
            #expect(statuses == Array(repeating: 400, count: 5) + Array(repeating: 429, count: 15))
            let other = try await fixture.post("/oauth2/token", wrong, headers: from("203.0.113.9"))
            #expect(other.status == 400)
            let answer = try await TestBrowser(fixture, at: "192.0.2.7").tokens(client)
            #expect(answer.status == 200)
        }
    }

    @Test func confidentialClientIsChargedOnlyAfterAuthentication() async throws {
        var limits = RateLimits()
        limits[.tokenByClient] = try Rate(perSecond: 0.001, burst: 4)
        try await Fixture.with(limits: limits) { fixture in
            let made = try await fixture.client(.secret)
            let secret = try #require(made.secret)
            func ask(_ secret: String, from address: String) async throws -> Int {
                try await fixture.post(
                    "/oauth2/introspect",
                    [("client_id", made.client.id), ("client_secret", secret), ("token", "x")], headers: from(address)
                ).status
            }
            for _ in 0..<4 { #expect(try await ask("wrong", from: "198.51.100.1") == 401) }
            #expect(try await ask("wrong", from: "198.51.100.1") == 429)
            // Its own requests are counted together for all addresses.
            for number in 0..<4 { #expect(try await ask(secret, from: "192.0.2.\(number)") == 200) }
            #expect(try await ask(secret, from: "192.0.2.9") == 429)
        }
    }

    @Test(arguments: ["/oauth2/token", "/oauth2/introspect", "/oauth2/revoke", "/oauth2/sign-in", "/oauth2/consent"])
    func controlCharactersAreRefused(path: String) async throws {
        try await Fixture.with { fixture in
            for body in [
                "client_id=%00", "client_id=a%00b&grant_type=refresh_token&refresh_token=x", "%00=x", "proof=%1b",
            ] {
                let answer = try await fixture.ask(
                    .post, path, headers: [.contentType: "application/x-www-form-urlencoded"], body: body)
                #expect(answer.status == 400, "\(body)")
            }
            #expect(try await fixture.ask(.get, "/oauth2/authorize?client_id=%00").status == 400)
        }
    }

    // MARK: Passwords

    /// The default number of attempts, without new attempts during a test, even if its password checks are slow.
    private static var slowly: RateLimits {
        get throws {
            var limits = RateLimits()
            limits[.signInByAccount] = try Rate(perSecond: 0.000_1, burst: limits[.signInByAccount].burst)
            return limits
        }
    }

    @Test func wrongPasswordsLockAnAccountOnlyForTheirAddress() async throws {
        try await Fixture.with(limits: try Self.slowly) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let attacker = TestBrowser(fixture, at: "198.51.100.1")
            let page = try await attacker.go(path(fixture, client))
            for _ in 0..<10 {
                #expect(try await attacker.signIn(page, as: "anna", password: "wrong horse").status == 403)
            }
            #expect(try await attacker.signIn(page, as: "anna").status == 429)
            for address in ["198.51.100.2", "2001:db8:1:2300::1"] {
                let owner = TestBrowser(fixture, at: address)
                let answer = try await owner.signIn(try await owner.go(path(fixture, client)))
                #expect(answer.text.contains("May this app have access?"), "\(address)")
            }
        }
    }

    @Test func ipv6PrefixOfASubscriberIsOneAddress() async throws {
        try await Fixture.with(limits: try Self.slowly) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            var statuses: [Int] = []
            for number in 0..<12 {
                let browser = TestBrowser(fixture, at: "2001:db8:1:23\(String(number % 10))0::\(number)")
                let page = try await browser.go(path(fixture, client))
                statuses.append(try await browser.signIn(page, as: "anna", password: "wrong horse").status)
            }
            #expect(statuses == Array(repeating: 403, count: 10) + [429, 429])
        }
    }

    @Test func wrongPasswordsOfAllAddressesAreCountedTogether() async throws {
        var limits = RateLimits()
        limits[.signInByAccountOverall] = try Rate(perSecond: 0.001, burst: 12)
        try await Fixture.with(limits: limits) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            // A browser in which the person has signed in before.
            let known = TestBrowser(fixture, at: "192.0.2.7")
            _ = try await known.signIn(try await known.go(path(fixture, client)))
            #expect(known.cookies["tributary-known"] != nil)
            known.cookies["tributary-session"] = nil
            for number in 0..<12 {
                let browser = TestBrowser(fixture, at: "198.51.\(number).1")
                let page = try await browser.go(path(fixture, client))
                #expect(try await browser.signIn(page, as: "anna", password: "wrong horse").status == 403)
            }
            let stranger = TestBrowser(fixture, at: "203.0.113.1")
            let page = try await stranger.go(path(fixture, client))
            #expect(try await stranger.signIn(page, as: "anna").status == 429)
            // Attempts of the known browser are not counted there.
            let again = try await known.signIn(try await known.go(path(fixture, client)))
            #expect(again.text.contains("May this app have access?"))
            // It is not known for another account, or with another cookie.
            stranger.cookies["tributary-known"] = Data(count: 32).base64URL
            #expect(try await stranger.signIn(page, as: "anna").status == 429)
        }
    }

    @Test func correctPasswordIsNotCounted() async throws {
        var limits = RateLimits()
        limits[.signInByAccount] = try Rate(perSecond: 0.001, burst: 3)
        try await Fixture.with(limits: limits) { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            for _ in 0..<6 {
                let browser = TestBrowser(fixture, at: "192.0.2.7")
                let page = try await browser.signIn(try await browser.go(path(fixture, client)))
                #expect(page.text.contains("May this app have access?"))
            }
        }
    }

    @Test func aKnownBrowserIsKnownForItsAccountAndTime() throws {
        let (key, other) = (try SigningKey.generate(), try SigningKey.generate())
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let cookie = try #require(KnownBrowser([key]).value(for: "Anna", random: SystemRandom.bytes, now: now))
        let browsers = KnownBrowser([other, key])
        let name = try #require(browsers.browser(cookie, username: "anna", now: now))
        #expect(browsers.browser(cookie, username: "ANNA", now: now.addingTimeInterval(86_400)) == name)
        #expect(browsers.browser(cookie, username: "bert", now: now) == nil)
        #expect(KnownBrowser([other]).browser(cookie, username: "anna", now: now) == nil)
        #expect(
            browsers.browser(cookie, username: "anna", now: now.addingTimeInterval(KnownBrowser.lifetime + 1)) == nil)
        let second = KnownBrowser([key]).value(for: "anna", random: SystemRandom.bytes, now: now)
        #expect(second != cookie && browsers.browser(second, username: "anna", now: now) != name)
        for wrong in [nil, "", "x", Data(count: 32).base64URL, String(cookie.dropLast(2)) + "AA"] {
            #expect(browsers.browser(wrong, username: "anna", now: now) == nil)
        }
        // For a change of any bit.
        let bytes = try #require(Data(base64URL: cookie))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(browsers.browser(changed.base64URL, username: "anna", now: now) == nil)
        }
    }

    /// If the checks of a whole prefix are waiting, the next caller is asked to retry later.
    @Test func fullPasswordQueueIsReported() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person()
            let gate = Gate()
            let checker = fixture.routes.sessions.passwords
            let origin = PasswordChecker.Origin(wide: "198.51.100.0", narrow: "198.51.100.1")
            try await withThrowingTaskGroup(of: Void.self) { group in
                @Sendable func hold() async {
                    _ = try? await checker.run(from: origin) {
                        gate.hasBegun = true
                        while !gate.isOpen { sched_yield() }
                        return false
                    }
                }
                group.addTask { await hold() }
                while !gate.hasBegun { await Task.yield() }
                for _ in 0..<PasswordQueue.maximumOfNarrow { group.addTask { await hold() } }
                while checker.waiting < PasswordQueue.maximumOfNarrow { await Task.yield() }
                let browser = TestBrowser(fixture, at: "198.51.100.1")
                let page = try await browser.go(path(fixture, client))
                let answer = try await browser.signIn(page)
                #expect(answer.status == 503 && answer.headers[.retryAfter] == "5")
                #expect(answer.text.contains("sign-in-busy") && answer.headers[.setCookie] == nil)
                gate.open()
                try await group.waitForAll()
                #expect(try await browser.signIn(page).text.contains("May this app have access?"))
            }
        }
    }

    private final class Gate: Sendable {
        private let flag = Atomic(false)
        private let begun = Atomic(false)
        var hasBegun: Bool {
            get { begun.load(ordering: .acquiring) }
            set { begun.store(newValue, ordering: .releasing) }
        }
        var isOpen: Bool { flag.load(ordering: .acquiring) }
        func open() { flag.store(true, ordering: .releasing) }
    }

    // MARK: Identity of the person

    /// The resource of the claim is readable, whichever types the scopes reach.
    @Test func grantHasTheResourceOfItsPerson() async throws {
        try await Fixture.with { fixture in
            let client = try await fixture.client().client
            try await fixture.person("anna", .participant)
            try await fixture.person("dora", .practitioner)
            func own(_ scope: String, as name: String) async throws -> OwnResource? {
                let more = name == "dora" ? [("patient", "anna")] : []
                let json = try await TestBrowser(fixture).tokens(client, scope: scope, as: name, also: more).json
                return try await fixture.access.tokens.grant(bearer: json["access_token"]?.string ?? "")?.ownResource
            }
            let scope = "launch/patient patient/Observation.rs"
            #expect(try await own(scope + " openid fhirUser", as: "anna") == OwnResource(type: "Patient", id: "anna"))
            #expect(
                try await own(scope + " openid fhirUser", as: "dora") == OwnResource(type: "Practitioner", id: "d1"))
            for less in ["", " openid", " fhirUser"] {
                #expect(try await own(scope + less, as: "dora") == nil, "\(less)")
            }
        }
    }
}
