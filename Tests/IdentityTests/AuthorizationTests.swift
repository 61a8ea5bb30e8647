import AccessTestSupport
import Core
import Crypto
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import AccessPolicy
@testable import Identity

/// A participant, a client, and an authorization between them.
private struct Agreement: Sendable {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let redirect = "https://app.example/callback"

    let access: AccessStores
    let clock: TestClock
    let client: RegisteredClient
    let session: UserSession

    init(_ access: AccessStores, _ clock: TestClock, role: Role = .participant) async throws {
        self.access = access
        self.clock = clock
        client = try await access.clients.createClient(
            ClientTests.client(.none, scope: "patient/*.rs user/*.rs openid offline_access online_access"), by: site
        ).client
        _ = try await access.accounts.account("person", role)
        let secret = try #require(try await access.accounts.signIn("person"))
        session = try #require(try await access.accounts.session(secret))
    }

    func code(
        _ scopes: String = "patient/Observation.rs offline_access", patient: String? = "anna",
        lifetime: TimeInterval = 86_400
    ) async throws -> String {
        let challenge = Data(SHA256.hash(data: Data(Self.verifier.utf8))).base64URL
        return try await access.authorizations.authorize(
            .init(
                client: client, session: session, scopes: AccessScopes(scopes), patient: patient,
                expiresAt: clock.now.addingTimeInterval(lifetime), redirectURI: Self.redirect, challenge: challenge,
                nonce: "n-1"))
    }

    func redeem(
        _ code: String, client other: RegisteredClient? = nil, redirect: String = redirect, verifier: String = verifier
    ) async throws -> IssuedTokens {
        try await access.authorizations.redeem(
            code: code, client: other ?? client, redirectURI: redirect, verifier: verifier, lifetime: 3_600)
    }

    func refusal(_ body: @Sendable () async throws -> IssuedTokens) async throws -> RedemptionRefusal? {
        do {
            _ = try await body()
            return nil
        } catch let refusal as RedemptionRefusal {
            return refusal
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct AuthorizationTests {
    private func withAgreement(
        _ role: Role = .participant, _ body: (Agreement, any SQLDatabase) async throws -> Void
    ) async throws {
        try await withAccess { access, database, clock async throws in
            try await body(try await Agreement(access, clock, role: role), database)
        }
    }

    @Test func codeIsRedeemedForTokensOfTheApprovedGrant() async throws {
        try await withAgreement { agreement, database async throws in
            let tokens = try await agreement.redeem(try await agreement.code())
            let grant = try #require(try await agreement.access.tokens.grant(bearer: tokens.accessToken))
            #expect(grant.client == agreement.client.id && grant.person == agreement.session.account.id)
            #expect(grant.role == .participant && grant.patientInContext == "anna")
            let part = try #require(grant.onlyPart)
            #expect(part.patients == .only(["anna"]) && part.scopes.text == "patient/Observation.rs offline_access")
            #expect(part.end == agreement.clock.now.addingTimeInterval(3_600))
            #expect(tokens.nonce == "n-1" && tokens.refreshToken != nil && tokens.account == agreement.session.account)
            #expect(try await agreement.access.tokens.authenticate(bearer: tokens.accessToken) == nil)
            let kept = try await database.contents(["bearer_token", "refresh_token", "authorization_code", "audit"])
            #expect(!kept.contains(tokens.accessToken) && !kept.contains(tokens.refreshToken ?? ""))
            agreement.clock.advance(3_600)
            #expect(try await agreement.access.tokens.grant(bearer: tokens.accessToken) == nil)
        }
    }

    @Test func o01SecondUseOfACodeRevokesItsTokens() async throws {
        try await withAgreement { agreement, _ async throws in
            let code = try await agreement.code()
            let tokens = try await agreement.redeem(code)
            let refused1 = try await agreement.refusal { try await agreement.redeem(code) }
            #expect(refused1 == .reused)
            #expect(try await agreement.access.tokens.grant(bearer: tokens.accessToken) == nil)
            let refresh = try #require(tokens.refreshToken)
            let refused = try await agreement.refusal {
                try await agreement.access.authorizations.refresh(
                    refresh, client: agreement.client, asking: nil, lifetime: 60)
            }
            #expect(refused == .unknown)
        }
    }

    @Test func o02ACodeIsForItsClientItsAddressItsVerifierAndAMinute() async throws {
        try await withAgreement { agreement, _ async throws in
            let code = try await agreement.code()
            let other = try await agreement.access.clients.createClient(ClientTests.client(.none), by: site).client
            let refused2 = try await agreement.refusal { try await agreement.redeem(code, client: other) }
            #expect(refused2 == .unknown)
            for redirect in ["", "https://app.example/callback/", "https://app.example/", "https://evil.example/"] {
                let refused = try await agreement.refusal { try await agreement.redeem(code, redirect: redirect) }
                #expect(refused == .otherRequest, "\(redirect)")
            }
            for verifier in ["", "x", Agreement.verifier + "x", String(repeating: "a", count: 43)] {
                let refused = try await agreement.refusal { try await agreement.redeem(code, verifier: verifier) }
                #expect(refused == .otherRequest, "\(verifier)")
            }
            let refused3 = try await agreement.refusal { try await agreement.redeem("unknown") }
            #expect(refused3 == .unknown)
            // None of these attempts used it up.
            _ = try await agreement.redeem(code)
            let late = try await agreement.code()
            agreement.clock.advance(AuthorizationStore.codeLifetime)
            let refused4 = try await agreement.refusal { try await agreement.redeem(late) }
            #expect(refused4 == .unknown)
        }
    }

    @Test func s15ConcurrentRedemptionsOfACodeIssueTokensOnceAndRevokeThem() async throws {
        try await withAgreement { agreement, _ async throws in
            let code = try await agreement.code()
            let tokens = await withTaskGroup(of: IssuedTokens?.self) { group in
                for _ in 0..<20 { group.addTask { try? await agreement.redeem(code) } }
                return await group.reduce(into: [IssuedTokens]()) { all, one in if let one { all.append(one) } }
            }
            #expect(tokens.count == 1)
            let issued = try #require(tokens.first)
            #expect(try await agreement.access.tokens.grant(bearer: issued.accessToken) == nil)
        }
    }

    @Test func o06ARefreshTokenCountsOnceAndASecondUseEndsTheFamily() async throws {
        try await withAgreement { agreement, _ async throws in
            let first = try await agreement.redeem(try await agreement.code())
            let refresh = try #require(first.refreshToken)
            @Sendable func next(_ token: String) async throws -> IssuedTokens {
                try await agreement.access.authorizations.refresh(
                    token, client: agreement.client, asking: nil, lifetime: 60)
            }
            let second = try await next(refresh)
            #expect(second.refreshToken != refresh && second.scopes == first.scopes && second.nonce == nil)
            #expect(try await agreement.access.tokens.grant(bearer: second.accessToken) != nil)
            let other = try await agreement.access.clients.createClient(ClientTests.client(.none), by: site).client
            let newest = try #require(second.refreshToken)
            let foreign = try await agreement.refusal {
                try await agreement.access.authorizations.refresh(newest, client: other, asking: nil, lifetime: 60)
            }
            #expect(foreign == .unknown)
            let refused5 = try await agreement.refusal { try await next(refresh) }
            #expect(refused5 == .reused)
            for token in [first.accessToken, second.accessToken] {
                #expect(try await agreement.access.tokens.grant(bearer: token) == nil)
            }
            let refused6 = try await agreement.refusal { try await next(newest) }
            #expect(refused6 == .unknown)
        }
    }

    @Test func o04ARefreshNarrowsAndNeverWidens() async throws {
        try await withAgreement { agreement, _ async throws in
            let first = try await agreement.redeem(try await agreement.code("patient/Observation.rs offline_access"))
            @Sendable func next(_ token: String?, _ scopes: String) async throws -> IssuedTokens {
                try await agreement.access.authorizations.refresh(
                    try #require(token), client: agreement.client, asking: AccessScopes(scopes), lifetime: 60)
            }
            let wide = try await next(first.refreshToken, "patient/*.cruds system/*.rs conf/V sens/*")
            #expect(wide.scopes.text == "patient/Observation.rs conf/N")
            let refused = try await agreement.refusal { try await next(wide.refreshToken, "patient/Condition.rs") }
            #expect(refused == .scope)
            let less = try await next(wide.refreshToken, "patient/Observation.r")
            #expect(less.scopes.text == "patient/Observation.r")
            // The original scopes of the approval are still available.
            #expect(
                try await next(less.refreshToken, "patient/Observation.rs").scopes.text == "patient/Observation.rs")
        }
    }

    @Test func onlineAccessEndsWithTheSession() async throws {
        try await withAgreement { agreement, database async throws in
            let online = try await agreement.redeem(try await agreement.code("patient/*.rs online_access"))
            let offline = try await agreement.redeem(try await agreement.code("patient/*.rs offline_access"))
            let neither = try await agreement.redeem(try await agreement.code("patient/*.rs"))
            #expect(neither.refreshToken == nil)
            try await database.write { _ = try $0.execute("DELETE FROM user_session") }
            @Sendable func next(_ token: String?) async throws -> IssuedTokens {
                try await agreement.access.authorizations.refresh(
                    try #require(token), client: agreement.client, asking: nil, lifetime: 60)
            }
            let refused7 = try await agreement.refusal { try await next(online.refreshToken) }
            #expect(refused7 == .unknown)
            _ = try await next(offline.refreshToken)
        }
    }

    @Test func participantsApprovalReachesOnlyThemForAnyScope() async throws {
        try await withAgreement { agreement, _ async throws in
            let tokens = try await agreement.redeem(try await agreement.code("user/*.rs", patient: nil))
            #expect(
                try await agreement.access.tokens.grant(bearer: tokens.accessToken)?.onlyPart?.patients
                    == .only(["anna"]))
            await #expect(throws: AccessGrantError.patientMissing) {
                _ = try await agreement.code("patient/*.rs", patient: "bert")
            }
        }
        try await withAgreement(.practitioner) { agreement, _ async throws in
            let tokens = try await agreement.redeem(try await agreement.code("patient/*.rs user/*.rs", patient: "bert"))
            let grant = try #require(try await agreement.access.tokens.grant(bearer: tokens.accessToken))
            #expect(grant.onlyPart?.patients == .all && grant.patientInContext == "bert" && grant.role == .practitioner)
            await #expect(throws: AccessGrantError.patientMissing) {
                _ = try await agreement.code("patient/*.rs", patient: nil)
            }
        }
    }

    @Test func aRevokedClientAnEndedAccountAndAForgottenParticipantEndTheirTokens() async throws {
        try await withAgreement { agreement, _ async throws in
            let tokens = try await agreement.redeem(try await agreement.code())
            _ = try await agreement.access.clients.revokeClient(id: agreement.client.id, by: site)
            #expect(try await agreement.access.tokens.grant(bearer: tokens.accessToken) == nil)
            let error = await #expect(throws: AccessError.self) { _ = try await agreement.code() }
            #expect(error?.code == "client-revoked")
        }
        try await withAgreement { agreement, _ async throws in
            let tokens = try await agreement.redeem(try await agreement.code())
            try await agreement.access.accounts.disableAccount(username: "person", by: site)
            #expect(try await agreement.access.tokens.grant(bearer: tokens.accessToken) == nil)
        }
        try await withAgreement { agreement, database async throws in
            let tokens = try await agreement.redeem(try await agreement.code())
            let forgotten = try await database.write {
                try AccountStore.forget("anna", in: $0)
            }
            #expect(forgotten.accounts.count == 1 && forgotten.authorizations.count == 1)
            #expect(try await agreement.access.tokens.grant(bearer: tokens.accessToken) == nil)
            let tables = ["user_account", "user_session", "access_authorization", "bearer_token", "refresh_token"]
            #expect(try await !database.contents(tables).contains("anna"))
            #expect(try await agreement.access.accounts.signIn("person") == nil)
        }
    }

    @Test func o07OtherClientsCanNeitherInspectNorRevokeAToken() async throws {
        try await withAgreement { agreement, _ async throws in
            let access = agreement.access
            let tokens = try await agreement.redeem(try await agreement.code())
            let other = try await access.clients.createClient(ClientTests.client(.secret), by: site).client
            let refresh = try #require(tokens.refreshToken)
            for token in [tokens.accessToken, refresh] {
                #expect(try await access.authorizations.information(of: token, client: other) == nil)
                let own = try #require(try await access.authorizations.information(of: token, client: agreement.client))
                #expect(own.authorization.patient == "anna" && own.account == agreement.session.account)
                try await access.authorizations.revoke(token: token, of: other)
            }
            #expect(try await access.tokens.grant(bearer: tokens.accessToken) != nil)
            #expect(try await access.authorizations.information(of: "unknown", client: agreement.client) == nil)
            // An access token is revoked alone, a refresh token with all its tokens.
            try await access.authorizations.revoke(token: tokens.accessToken, of: agreement.client)
            #expect(try await access.tokens.grant(bearer: tokens.accessToken) == nil)
            let next = try await access.authorizations.refresh(
                refresh, client: agreement.client, asking: nil, lifetime: 60)
            #expect(
                try await access.authorizations.information(
                    of: try #require(tokens.refreshToken), client: agreement.client) == nil)
            try await access.authorizations.revoke(token: try #require(next.refreshToken), of: agreement.client)
            #expect(try await access.tokens.grant(bearer: next.accessToken) == nil)
            #expect(try await access.authorizations.information(of: next.accessToken, client: agreement.client) == nil)
        }
    }

    @Test func j10AnAssertionCountsOnceForItsClientUntilItEnds() async throws {
        try await withAccess { access, database, clock async throws in
            let end = clock.now.addingTimeInterval(300)
            #expect(try await access.authorizations.use(assertion: "j", of: "one", expiresAt: end))
            #expect(try await !access.authorizations.use(assertion: "j", of: "one", expiresAt: end))
            #expect(try await access.authorizations.use(assertion: "j", of: "two", expiresAt: end))
            clock.advance(300)
            #expect(
                try await access.authorizations.use(
                    assertion: "k", of: "one", expiresAt: clock.now.addingTimeInterval(1)))
            let rows = try await database.read { try $0.query("SELECT 1 AS one FROM client_assertion_use").count }
            #expect(rows == 1, "what is refused by its time is not kept")
        }
    }

    @Test func serviceHasOnlySystemScopesAndALimitedNumberOfTokens() async throws {
        try await withAccess { access, database, clock async throws in
            let client = try await access.clients.createClient(
                ClientTests.client(.keySet(ClientTests.keys), scope: "system/*.rs", redirect: []), by: site
            ).client
            let tokens = try await access.authorizations.issueServiceToken(
                to: client, scopes: AccessScopes("system/Patient.rs"), lifetime: 300)
            let grant = try #require(try await access.tokens.grant(bearer: tokens.accessToken))
            #expect(grant.role == .service && grant.onlyPart?.patients == .all && grant.person == nil)
            #expect(grant.client == client.id && tokens.refreshToken == nil)
            await #expect(throws: AccessGrantError.patientMissing) {
                _ = try await access.authorizations.issueServiceToken(
                    to: client, scopes: AccessScopes("patient/*.rs"), lifetime: 300)
            }
            clock.advance(300)
            #expect(try await access.tokens.grant(bearer: tokens.accessToken) == nil)
            _ = try await access.authorizations.issueServiceToken(
                to: client, scopes: AccessScopes("system/*.rs"), lifetime: 300)
            for table in ["bearer_token", "access_authorization"] {
                let rows = try await database.read { try $0.query("SELECT 1 AS one FROM \(table)").count }
                #expect(rows == 1, "\(table): what has ended goes")
            }
        }
    }

    @Test func rowsOfOnePersonAndClientAreBounded() async throws {
        try await withAgreement { agreement, database async throws in
            var last = try await agreement.redeem(try await agreement.code())
            for _ in 0..<(AuthorizationStore.maximumRefreshTokens + 5) {
                last = try await agreement.access.authorizations.refresh(
                    try #require(last.refreshToken), client: agreement.client, asking: nil, lifetime: 60)
            }
            func rows(_ table: String) async throws -> Int {
                try await database.read { try $0.query("SELECT 1 AS one FROM \(table)").count }
            }
            #expect(try await rows("refresh_token") == AuthorizationStore.maximumRefreshTokens)
            #expect(try await rows("bearer_token") == AuthorizationStore.maximumAccessTokens)
            for _ in 0..<(AuthorizationStore.maximumAuthorizations + 3) { _ = try await agreement.code() }
            #expect(try await rows("access_authorization") == AuthorizationStore.maximumAuthorizations)
            #expect(try await agreement.access.tokens.grant(bearer: last.accessToken) == nil, "the oldest ends")
        }
    }

    @Test func tokensAndCodesAreFoundByIndexes() async throws {
        try await withAccess { _, database, _ async throws in
            try await database.write { transaction in
                let byDigest = [
                    AuthorizationStore.codeSQL, AuthorizationStore.refreshSQL, AuthorizationStore.accessSQL,
                ]
                var plans = try byDigest.map { try QueryPlan($0, ["d"], in: transaction) }
                plans.append(try QueryPlan(AuthorizationStore.accessGrantSQL, ["d", "t", "t"], in: transaction))
                plans.append(try QueryPlan(AuthorizationStore.surplusSQL, ["c", "a", 50], in: transaction))
                plans.append(try QueryPlan(AuthorizationStore.surplusOfServiceSQL, ["c", 500], in: transaction))
                plans.append(try QueryPlan(AuthorizationStore.endedSQL, ["t"], in: transaction))
                for sql in [
                    "SELECT 1 FROM access_authorization WHERE participant = ?",
                    "SELECT 1 FROM access_authorization WHERE account_id = ?",
                    "SELECT 1 FROM bearer_token WHERE expires_at <= ?",
                    "SELECT 1 FROM client_assertion_use WHERE expires_at <= ?",
                    "SELECT number FROM refresh_token WHERE authorization_id = ? ORDER BY number DESC LIMIT 1",
                    "SELECT number FROM bearer_token WHERE authorization_id = ? ORDER BY number DESC LIMIT 1",
                ] {
                    plans.append(try QueryPlan(sql, ["x"], in: transaction))
                }
                for plan in plans {
                    #expect(!plan.readsAll, "\(plan)")
                    // For a few rows a server may sort.
                    #expect(!plan.sorts || TestEngine.chosen == .postgresql, "\(plan)")
                }
            }
        }
    }
}
