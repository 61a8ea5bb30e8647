import Core
import Testing

@testable import Accounts

/// Sessions of apps: tokens, their rotation and their ends.
@Suite struct SessionTests {
    private func refresh(_ token: String, _ fixture: AccountFixture) async throws -> AccountAnswer {
        try await fixture.ask(.post, "sessions/refresh", json: ["refreshToken": .string(token)])
    }

    @Test func anAccessTokenIsValidForAnHour() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            fixture.clock.advance(3_599)
            #expect(try await fixture.ask(.get, "me", as: ann.token).status == 200)
            fixture.clock.advance(2)
            let late = try await fixture.ask(.get, "me", as: ann.token)
            #expect(late.status == 401)
            #expect(late.cmhealth == 708)
            #expect(late.headers[.wwwAuthenticate] == "Bearer")
        }
    }

    @Test func eachRefreshRotatesTheToken() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let answer = try await refresh(ann.refresh, fixture)
            #expect(answer.status == 200)
            let next = try fixture.signedIn(answer, email: ann.email)
            #expect(next.id == ann.id)
            #expect(next.refresh != ann.refresh)
            #expect(answer.json["expiresIn"] == 3_600)
            #expect(try await fixture.ask(.get, "me", as: next.token).status == 200)
        }
    }

    @Test func theFormerTokenIsValidForAMinuteAfterALostAnswer() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            #expect(try await refresh(ann.refresh, fixture).status == 200)
            fixture.clock.advance(59)
            let again = try fixture.signedIn(try await refresh(ann.refresh, fixture), email: ann.email)
            #expect(try await fixture.ask(.get, "me", as: again.token).status == 200)
            // A second use does not extend the minute.
            fixture.clock.advance(2)
            #expect(try await refresh(ann.refresh, fixture).status == 401)
            #expect(try await fixture.ask(.get, "me", as: again.token).status == 401)
            #expect(try await refresh(again.refresh, fixture).status == 401)
        }
    }

    @Test func aSessionEndsThirtyDaysAfterItsLastRefresh() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            fixture.clock.advance(29 * 86_400)
            let next = try fixture.signedIn(try await refresh(ann.refresh, fixture), email: ann.email)
            fixture.clock.advance(29 * 86_400)
            let last = try fixture.signedIn(try await refresh(next.refresh, fixture), email: ann.email)
            fixture.clock.advance(30 * 86_400)
            #expect(try await refresh(last.refresh, fixture).status == 401)
        }
    }

    @Test func signingOutEndsOneSession() async throws {
        try await AccountFixture.with { fixture in
            let phone = try await fixture.signUp("ann")
            let tablet = try await fixture.signIn("ann@example.org")
            #expect(try await fixture.ask(.delete, "sessions/current", as: phone.token).status == 204)
            #expect(try await fixture.ask(.get, "me", as: phone.token).status == 401)
            #expect(try await refresh(phone.refresh, fixture).status == 401)
            #expect(try await fixture.ask(.get, "me", as: tablet.token).status == 200)
            #expect(try await fixture.ask(.delete, "sessions/current", as: phone.token).status == 401)
        }
    }

    @Test(arguments: ["", "x", "Bearer", "refresh"])
    func otherTextsAreNoTokens(_ text: String) async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let token = text == "refresh" ? ann.refresh : text
            #expect(try await fixture.ask(.get, "me", as: token).status == 401)
            #expect(try await refresh(text == "refresh" ? ann.token : text, fixture).status == 401)
        }
    }
}
