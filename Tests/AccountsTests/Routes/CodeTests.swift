import Core
import Testing

@testable import Accounts

/// Codes by mail: verification of the address, and reset of the password.
@Suite struct CodeTests {
    private func reset(
        _ code: String, password: String = "another horse", _ fixture: AccountFixture
    ) async throws -> AccountAnswer {
        try await fixture.ask(
            .post, "password-resets/confirm", json: ["code": .string(code), "password": .string(password)])
    }

    @Test func aCodeVerifiesTheAddressOnce() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let code = try #require(try await fixture.codes(to: ann.email).first)
            try await fixture.verify(ann)
            #expect(try await fixture.ask(.get, "me", as: ann.token).json["verified"] == true)
            let again = try await fixture.ask(.post, "me/verification", as: ann.token, json: ["code": .string(code)])
            #expect(again.status == 410)
            #expect(again.code == "code-invalid")
        }
    }

    @Test func aCodeOfAnotherAccountIsRefused() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let bob = try await fixture.signUp("bob")
            let code = try #require(try await fixture.codes(to: ann.email).first)
            #expect(
                try await fixture.ask(.post, "me/verification", as: bob.token, json: ["code": .string(code)]).status
                    == 410)
            // It is neither used by this, nor a code for a password.
            #expect(try await reset(code, fixture).status == 410)
            try await fixture.verify(ann)
        }
    }

    @Test func aResetSetsThePasswordAndEndsAllSessions() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            for email in ["ann@example.org", "nobody@example.org", "no address"] {
                let answer = try await fixture.ask(.post, "password-resets", json: ["email": .string(email)])
                #expect(answer.status == 202)
                #expect(answer.bytes.isEmpty)
            }
            let code = try #require(try await fixture.codes(to: ann.email).last)
            #expect(try await reset(code, password: "short", fixture).status == 422)
            #expect(try await reset(code, fixture).status == 204)
            #expect(try await reset(code, fixture).status == 410)
            #expect(try await fixture.ask(.get, "me", as: ann.token).status == 401)
            let next = try await fixture.signIn("ann@example.org", password: "another horse")
            // The code came to the address.
            #expect(try await fixture.ask(.get, "me", as: next.token).json["verified"] == true)
            #expect(
                try await fixture.mails(to: ann.email).last?.contains("password of your account was changed") == true)
        }
    }

    @Test func aCodeForAPasswordIsValidForAnHour() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            _ = try await fixture.ask(.post, "password-resets", json: ["email": "ann@example.org"])
            let code = try #require(try await fixture.codes(to: ann.email).last)
            fixture.clock.advance(3_601)
            #expect(try await reset(code, fixture).status == 410)
        }
    }

    @Test func requestsByStrangersDoNotFloodAMailbox() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            for _ in 0..<10 {
                #expect(
                    try await fixture.ask(.post, "password-resets", json: ["email": "ann@example.org"]).status == 202)
            }
            #expect(try await fixture.codes(to: ann.email).count == 1 + PeopleStore.maximumCodes)
            fixture.clock.advance(3_601)
            _ = try await fixture.ask(.post, "password-resets", json: ["email": "ann@example.org"])
            #expect(try await fixture.codes(to: ann.email).count == 2 + PeopleStore.maximumCodes)
        }
    }
}
