import Core
import Testing

@testable import Accounts
@testable import Identity
@testable import ServerHTTP

/// Sign-up and sign-in (CMHealth's `CMHUser`).
@Suite struct SignUpTests {
    @Test func aNewPersonIsSignedInWithTheProfileOfTheSignUp() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("Ann", profile: ["givenName": "Ann", "height": ["1.50"]])
            let me = try await fixture.ask(.get, "me", as: ann.token)
            #expect(
                me.json == [
                    "account": .string(ann.id), "email": "Ann@example.org", "verified": false, "groups": ["main"],
                    "sharing": true,
                ])
            let profile = try await fixture.ask(.get, "me/profile", as: ann.token)
            #expect(profile.text == #"{"givenName":"Ann","height":["1.50"]}"#)
            #expect(try await fixture.codes(to: "Ann@example.org").count == 1)
        }
    }

    @Test func anAddressHasOneAccountInAnyCase() async throws {
        try await AccountFixture.with { fixture in
            _ = try await fixture.signUp("ann")
            let again = try await fixture.ask(
                .post, "accounts", json: ["email": "ANN@Example.org", "password": .string(AccountFixture.password)])
            #expect(again.status == 409)
            #expect(again.cmhealth == 711)
            #expect(try await fixture.signIn("ANN@EXAMPLE.ORG").id.isEmpty == false)
        }
    }

    @Test func ofTwoSignUpsAtTheSameTimeOneCreatesTheAccount() async throws {
        try await AccountFixture.with { fixture in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await fixture.ask(
                            .post, "accounts",
                            json: ["email": "ann@example.org", "password": .string(AccountFixture.password)]
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
            }
            #expect(statuses == [201, 409, 409, 409])
            #expect(try await fixture.mails(to: "ann@example.org").count == 1)
        }
    }

    @Test(arguments: [
        (#"{"email":"ann@example","password":"correct horse"}"#, 422, "email-invalid", 712),
        (#"{"email":"a\r\nRCPT TO:<x>@example.org","password":"correct horse"}"#, 422, "email-invalid", 712),
        (#"{"email":"ann@example.org","password":"short"}"#, 422, "password-invalid", 712),
        (#"{"email":"ann@example.org","password":"correct horse","group":"none"}"#, 422, "group-unknown", 712),
        (
            #"{"email":"ann@example.org","password":"correct horse","profile":{"dateOfBirth":"x"}}"#, 400,
            "profile-invalid", 804
        ),
        (#"{"email":"ann@example.org"}"#, 400, "body-invalid", nil),
        (#"[1]"#, 400, "body-invalid", nil), ("", 400, "body-invalid", nil),
    ])
    func badInputCreatesNothing(_ body: String, status: Int, code: String, cmhealth: Int?) async throws {
        try await AccountFixture.with { fixture in
            let answer = try await fixture.ask(.post, "accounts", body: Array(body.utf8))
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.code == code)
            #expect(answer.cmhealth == cmhealth)
            for table in ["user_account", "person", "mail_message"] {
                #expect(try await fixture.database.read { try $0.query("SELECT 1 AS one FROM \(table)").count } == 0)
            }
            _ = try await fixture.signUp("ann")
        }
    }

    @Test func anUnknownAddressAndAWrongPasswordHaveTheSameAnswer() async throws {
        try await AccountFixture.with { fixture in
            _ = try await fixture.signUp("ann")
            let wrong = try await fixture.ask(
                .post, "sessions", json: ["email": "ann@example.org", "password": "wrong horse"])
            let unknown = try await fixture.ask(
                .post, "sessions", json: ["email": "bob@example.org", "password": "wrong horse"])
            #expect(wrong.status == 401)
            #expect(wrong.cmhealth == 710)
            #expect(wrong.bytes == unknown.bytes)
        }
    }

    @Test func theWordOfTheStudyIsRequired() async throws {
        try await AccountFixture.with { fixture in
            for path in ["accounts", "sessions", "sessions/refresh", "password-resets", "password-resets/confirm"] {
                let answer = try await fixture.ask(
                    .post, path, json: [:], headers: [.init("X")!: "1"])
                #expect(answer.status == 400)
            }
        }
    }

    @Test func wrongPasswordsAreLimited() async throws {
        try await AccountFixture.with(limits: RateLimits()) { fixture in
            _ = try await fixture.signUp("ann")
            var statuses: [Int] = []
            for _ in 0..<12 {
                let answer = try await fixture.ask(
                    .post, "sessions", json: ["email": "ann@example.org", "password": "wrong horse"])
                statuses.append(answer.status)
            }
            #expect(statuses.prefix(10).allSatisfy { $0 == 401 })
            #expect(statuses.last == 429)
        }
    }

    @Test func theStoredHashIsScryptWithThreeComputations() async throws {
        try await AccountFixture.with { fixture in
            let hash = try await fixture.store.accounts.hash(
                of: "correct horse", checker: PasswordChecker(), from: .init(wide: "", narrow: ""))
            #expect(hash.text.hasPrefix("scrypt$15$8$3$"))
        }
    }
}
