import AccessPolicy
import AccessTestSupport
import Core
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Identity

extension AccountStore {
    /// Creates an account with a password that is cheap to check.
    func account(
        _ username: String, _ role: Role = .participant, patient: String? = "anna", practitioner: String? = nil,
        password: String? = "correct horse"
    ) async throws -> UserAccount {
        try await createAccount(
            username: username, role: role, patient: role == .participant ? patient : nil, practitioner: practitioner,
            password: password, cost: .least, by: site
        ).account
    }

    func signIn(
        _ username: String, _ password: String = "correct horse", cost: PasswordHash.Cost = .least
    ) async throws -> String? {
        try await signIn(
            username: username, password: password, lifetime: 3_600, checker: PasswordChecker(),
            from: PasswordChecker.Origin(wide: "w", narrow: "n"), cost: cost)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct AccountTests {
    @Test func aPersonSignsInByNameAndPasswordUntilTheSessionEnds() async throws {
        try await withAccess { access, database, clock async throws in
            let account = try await access.accounts.account("Anna.B")
            #expect(account.username == "anna.b" && account.resource == "Patient/anna" && account.role == .participant)
            let secret = try #require(try await access.accounts.signIn("ANNA.b"))
            let session = try #require(try await access.accounts.session(secret))
            #expect(session.account == account && session.createdAt == clock.now)
            #expect(try await access.accounts.session(secret + "x") == nil)
            let kept = try await database.contents(["user_account", "user_session", "audit"])
            #expect(!kept.contains(secret) && !kept.contains("correct horse"))
            clock.advance(3_600)
            #expect(try await access.accounts.session(secret) == nil)
            let again = try #require(try await access.accounts.signIn("anna.b"))
            try await access.accounts.signOut(again)
            #expect(try await access.accounts.session(again) == nil)
        }
    }

    @Test func wrongNameOrPasswordIsRefused() async throws {
        try await withAccess { access, _, _ async throws in
            _ = try await access.accounts.account("anna")
            for (name, password) in [
                ("anna", "wrong horse"), ("anna", ""), ("anna", "correct horse "), ("bert", "correct horse"), ("", ""),
                ("anna' OR '1'='1", "correct horse"), ("anna\u{0}", "correct horse"),
                ("anna", String(repeating: "p", count: 1 << 20)),
            ] {
                #expect(try await access.accounts.signIn(name, password) == nil, "\(name)")
            }
        }
    }

    @Test func theSamePasswordTypedWithOtherCodePointsIsTheSame() async throws {
        try await withAccess { access, _, _ async throws in
            _ = try await access.accounts.account("anna", password: "Zu\u{308}rich-See")
            #expect(try await access.accounts.signIn("anna", "Z\u{fc}rich-See") != nil)
        }
    }

    @Test func aPasswordThatIsMadeIsLongAndSignsIn() async throws {
        try await withAccess { access, _, _ async throws in
            let made = try await access.accounts.createAccount(
                username: "dora", role: .practitioner, practitioner: "d1", cost: .least, by: site)
            let password = try #require(made.password)
            #expect(password.count == 23 && made.account.resource == "Practitioner/d1")
            #expect(try await access.accounts.signIn("dora", password) != nil)
            #expect(try await access.accounts.all() == [made.account])
        }
    }

    @Test func passwordChangeOrADisabledAccountEndsTheSessions() async throws {
        try await withAccess { access, _, _ async throws in
            _ = try await access.accounts.account("anna")
            let session = try #require(try await access.accounts.signIn("anna"))
            let password = try #require(
                try await access.accounts.changePassword(username: "Anna", cost: .least, by: site))
            #expect(try await access.accounts.session(session) == nil)
            #expect(try await access.accounts.signIn("anna") == nil)
            let later = try #require(try await access.accounts.signIn("anna", password))
            try await access.accounts.disableAccount(username: "anna", by: site)
            #expect(try await access.accounts.session(later) == nil)
            #expect(try await access.accounts.signIn("anna", password) == nil)
            #expect(try await access.accounts.all().first?.disabledAt != nil)
            let error = await #expect(throws: AccessError.self) {
                try await access.accounts.disableAccount(username: "nobody", by: site)
            }
            #expect(error?.code == "account-unknown")
        }
    }

    @Test func invalidAccountIsRefused() async throws {
        try await withAccess { access, _, _ async throws in
            _ = try await access.accounts.account("anna")
            func refusal(
                _ username: String = "bert", _ role: Role = .participant, patient: String? = "bert",
                practitioner: String? = nil, password: String? = "correct horse", by actor: Actor = site
            ) async -> String? {
                do {
                    _ = try await access.accounts.createAccount(
                        username: username, role: role, patient: patient, practitioner: practitioner,
                        password: password, cost: .least, by: actor)
                    return nil
                } catch {
                    return (error as? any CodedError)?.code
                }
            }
            #expect(await refusal("ANNA") == "username-taken")
            for name in ["", "a b", "änna", "аnna", "a\u{0}", "a/b", String(repeating: "a", count: 65)] {
                #expect(await refusal(name) == "username-invalid", "\(name)")
            }
            #expect(await refusal(patient: nil) == "account-invalid")
            #expect(await refusal(patient: "a/b") == "account-invalid")
            #expect(await refusal(practitioner: "d") == "account-invalid")
            for role in Role.allCases where role != .participant {
                #expect(await refusal("bert", role) == "account-invalid", "a patient for \(role)")
            }
            for role in [Role.device, .site, .service] {
                #expect(await refusal("bert", role, patient: nil) == "account-invalid", "\(role)")
            }
            #expect(await refusal(password: "seven77") == "password-invalid")
            #expect(await refusal(password: String(repeating: "p", count: 257)) == "password-invalid")
            #expect(await refusal(by: Actor(id: "s", role: .staff)) == "role-not-permitted")
            #expect(try await access.accounts.all().map(\.username) == ["anna"])
        }
    }

    @Test func personHasUpToTwentySessionsAndTheOldestEnds() async throws {
        try await withAccess { access, database, clock async throws in
            _ = try await access.accounts.account("anna")
            var secrets: [String] = []
            for _ in 0..<22 {
                secrets.append(try #require(try await access.accounts.signIn("anna")))
                clock.advance(1)
            }
            #expect(try await access.accounts.session(secrets[1]) == nil)
            #expect(try await access.accounts.session(secrets[2]) != nil)
            let count = try await database.read { try $0.query("SELECT 1 AS one FROM user_session").count }
            #expect(count == 20)
        }
    }

    @Test func storedPasswordHashIsReadStrictly() throws {
        let hash = try PasswordHash(of: "correct horse", salt: Data([1, 2, 3]), cost: .least)
        #expect(PasswordHash(text: hash.text) == hash && hash.text.hasPrefix("scrypt$4$8$1$AQID$"))
        #expect(hash.matches("correct horse", spending: .least) && !hash.matches("wrong", spending: .least))
        let zeros = Data(count: 32).base64URL
        for text in [
            "", "scrypt$4$AQID$", "scrypt$40$AQID$\(zeros)", "plain$4$AQID$AQID", "plain$4$8$1$AQID$\(zeros)",
            "scrypt$4$8$AQID$\(zeros)", "scrypt$4$8$1$AQID$", "scrypt$4$8$0$AQID$\(zeros)",
            "scrypt$4$8$17$AQID$\(zeros)", "scrypt$4$16$1$AQID$\(zeros)", "scrypt$18$8$1$AQID$\(zeros)",
            "scrypt$+4$8$1$AQID$\(zeros)", "scrypt$04$8$1$AQID$\(zeros)", "scrypt$4$8$1$AQID$\(zeros)$",
            "scrypt$4$8$1$AQID$\(zeros)=",
        ] {
            #expect(PasswordHash(text: text) == nil, "\(text)")
        }
        #expect(try #require(PasswordHash.unmatchable(.standard)).text.hasPrefix("scrypt$15$8$3$"))
    }

    /// The hashes are made by Python's `hashlib.scrypt`.
    @Test(arguments: [
        ("scrypt$4$MDEyMzQ1Njc4OWFiY2RlZg$OAkZqUBelG6VIYdTJfYSENL5OmZRxMa3GwXn5oFliTg", true),
        ("scrypt$4$8$2$MDEyMzQ1Njc4OWFiY2RlZg$JYH3qqqHOmC1SgODc5iBofe43ODbjU4oo0Dz1jY_A94", true),
        ("scrypt$15$8$3$MDEyMzQ1Njc4OWFiY2RlZg$G4W5nQ2B6hYm0OghZ5oPEuCjIl8I-Sp-hh15UA5iu-g", false),
        ("scrypt$15$MDEyMzQ1Njc4OWFiY2RlZg$puHF8wsl4P5tR3JANsCleZiOQes-05KY2PoHbUEpMGQ", true),
    ])
    func aHashOfAnotherImplementationIsChecked(text: String, isOlder: Bool) throws {
        let hash = try #require(PasswordHash(text: text))
        #expect(hash.matches("correct horse", spending: .least) && !hash.matches("correct horsf", spending: .least))
        #expect(hash.isOlder(than: .standard) == isOlder)
    }

    @Test func theCheckOfAnOlderHashDoesTheWorkOfANewOne() {
        let standard = PasswordHash.Cost.standard
        for (exponent, parallelism) in [(15, 1), (15, 2), (4, 1), (14, 1), (14, 5), (16, 1)] {
            let old = PasswordHash.Cost(exponent: exponent, parallelism: parallelism)
            #expect(old.work + (old.remainder(to: standard)?.work ?? 0) == standard.work)
        }
        #expect(standard.remainder(to: standard) == nil)
        #expect(PasswordHash.Cost(exponent: 17, parallelism: 1).remainder(to: standard) == nil)
    }

    @Test func aSignInReplacesAnOlderHash() async throws {
        try await withAccess { access, database, _ async throws in
            let account = try await access.accounts.account("anna")
            let other = try await access.accounts.account("bea", patient: "bea")
            func stored(_ account: UserAccount) async throws -> String? {
                try await database.read {
                    try $0.first("SELECT password FROM user_account WHERE id = ?", [SQLValue(account.id)])?
                        .textIfPresent("password")
                }
            }
            let unchanged = try await stored(other)
            for old in [
                "scrypt$4$MDEyMzQ1Njc4OWFiY2RlZg$OAkZqUBelG6VIYdTJfYSENL5OmZRxMa3GwXn5oFliTg",
                "scrypt$4$8$2$MDEyMzQ1Njc4OWFiY2RlZg$JYH3qqqHOmC1SgODc5iBofe43ODbjU4oo0Dz1jY_A94",
            ] {
                try await database.write {
                    _ = try $0.execute(
                        "UPDATE user_account SET password = ? WHERE id = ?", [SQLValue(old), SQLValue(account.id)])
                }
                let cost = PasswordHash.Cost(exponent: 5, parallelism: 3)
                #expect(try await access.accounts.signIn("anna", "wrong horse", cost: cost) == nil)
                #expect(try await stored(account) == old)
                #expect(try await access.accounts.signIn("anna", cost: cost) != nil)
                let renewed = try #require(try await stored(account))
                #expect(renewed.hasPrefix("scrypt$5$8$3$"))
                // A new hash is not replaced again, also not by one of less work.
                #expect(try await access.accounts.signIn("anna", cost: cost) != nil)
                #expect(try await access.accounts.signIn("anna") != nil)
                #expect(try await stored(account) == renewed)
            }
            #expect(try await stored(other) == unchanged)
        }
    }

    @Test func eachStoreHasItsRuleOfUsernames() async throws {
        try await withAccess { access, _, _ async throws in
            let rule = UsernameRule(maximumBytes: 254, message: "No address.") { text in
                text.contains("@") ? text.lowercased() : nil
            }
            let store = AccountStore(audit: access.audit, usernames: rule)
            let long = String(repeating: "É", count: 121) + "@Example.org"
            #expect(try await store.account(long, patient: "bea").username == long.lowercased())
            #expect(try await store.signIn(long.lowercased()) != nil)
            #expect(try await access.accounts.signIn(long) == nil)
            for name in ["anna", "", "É" + long, String(repeating: "İ", count: 100) + "@x.yz"] {
                let error = await #expect(throws: AccessError.self) { _ = try await store.account(name) }
                #expect(error?.code == "username-invalid" && error?.message == "No address.")
            }
            await #expect(throws: AccessError.self) { _ = try await access.accounts.account(long) }
        }
    }

    @Test func accountsAndSessionsAreFoundByIndexes() async throws {
        try await withAccess { _, database, _ async throws in
            try await database.write { transaction in
                let plans = [
                    try QueryPlan(AccountStore.accountSQL, ["a"], in: transaction),
                    try QueryPlan(AccountStore.sessionSQL, ["a", "t"], in: transaction),
                    try QueryPlan(AccountStore.surplusSessionsSQL, ["a"], in: transaction),
                    try QueryPlan("SELECT 1 FROM user_session WHERE expires_at <= ?", ["t"], in: transaction),
                    try QueryPlan("SELECT id FROM user_account WHERE participant = ?", ["p"], in: transaction),
                ]
                for plan in plans {
                    #expect(!plan.readsAll, "\(plan)")
                    // For a few rows a server may sort.
                    #expect(!plan.sorts || TestEngine.chosen == .postgresql, "\(plan)")
                }
            }
        }
    }
}
