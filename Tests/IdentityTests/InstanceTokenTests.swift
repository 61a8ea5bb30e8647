import AccessTestSupport
import Audit
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import AccessPolicy
@testable import Identity

/// Tokens of csis, which carry the permissions that people gave.
@Suite(.timeLimit(.minutes(10)))
struct InstanceTokenTests {
    private static let app = PermissionRows.guid("a")

    /// Stores with an app on the device of Anna's wallet.
    private struct Fixture: Sendable {
        let access: AccessStores
        let database: any SQLDatabase
        let clock: TestClock
        let rows: PermissionRows
        let client: RegisteredClient

        func issue(_ scopes: String? = nil) async throws -> IssuedTokens {
            let asked = try scopes.map { try AccessScopes($0) }
            return try #require(
                try await access.authorizations.issueInstanceToken(to: client, asking: asked, lifetime: 300))
        }

        func refusal(_ scopes: String? = nil) async throws -> String? {
            do {
                _ = try await issue(scopes)
                return nil
            } catch let refusal as InstanceAccessRefusal { return refusal.code }
        }

        func grant(_ tokens: IssuedTokens) async throws -> AccessGrant? {
            try await access.tokens.grant(bearer: tokens.accessToken)
        }

        func count(_ table: String) async throws -> Int64 {
            try await database.read {
                try $0.first("SELECT count(*) AS number FROM \(table)")?.integer("number") ?? 0
            }
        }
    }

    private func with(_ body: (Fixture) async throws -> Void) async throws {
        try await withAccess { access, database, clock async throws in
            let rows = PermissionRows(database, now: clock.now)
            try await rows.csi(PermissionRows.guid("w"), device: "d", patient: "anna")
            try await rows.csi(Self.app, device: "d")
            let client = try #require(try await access.clients.client(id: Self.app))
            try await body(
                Fixture(access: access, database: database, clock: clock, rows: rows, client: client))
        }
    }

    @Test func tokenCarriesThePermissionsInForceAndListsTheirScopes() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(
                Self.app, patients: ["anna", "bert"],
                terms: .with {
                    $0.types = "Patient,Observation"
                    $0.confidentiality = "V"
                    $0.sensitivities = "ETH SOC"
                })
            try await fixture.rows.permit(Self.app, patients: ["carl"], terms: .with { $0.start = 10 })
            try await fixture.rows.permit(PermissionRows.guid("b"), patients: ["dora"])
            let tokens = try await fixture.issue()
            #expect(tokens.scopes.text == "user/Observation.rs user/Patient.rs conf/V sens/ETH sens/SOC")
            #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(300) && tokens.refreshToken == nil)
            let grant = try #require(try await fixture.grant(tokens))
            let part = try #require(grant.onlyPart, "equal terms are one part")
            #expect(part.patients == .only(["anna", "bert"]) && part.scopes.text == tokens.scopes.text)
            #expect(part.start == nil && part.end == tokens.expiresAt && part.patientInContext == nil)
            #expect(grant.client == Self.app && grant.person == nil && grant.role == .service)
            #expect(grant.permissionIDs == ["permission-anna", "permission-bert"])
            #expect(try AccessGrant(kept: grant.kept) == grant)
        }
    }

    @Test func differentTermsAreDifferentParts() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna"], terms: .with { $0.types = "Patient" })
            try await fixture.rows.permit(
                Self.app, patients: ["bert"],
                terms: .with {
                    $0.access = "write"
                    $0.end = 100
                })
            let grant = try #require(try await fixture.grant(try await fixture.issue()))
            let ends = [fixture.clock.now.addingTimeInterval(300), fixture.clock.now.addingTimeInterval(100)]
            #expect(grant.parts.map(\.end) == ends)
            #expect(grant.parts.map(\.scopes.text) == ["user/Patient.rs conf/N", "user/*.crus conf/N"])
            #expect(grant.parts[1].scopes.withheldTypes == PermissionLimits.withheldTypes)
            #expect(try AccessGrant(kept: grant.kept) == grant)
        }
    }

    @Test func requestedScopesNarrowThosePermitted() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(
                Self.app, patients: ["anna"],
                terms: .with {
                    $0.access = "write"
                    $0.confidentiality = "V"
                    $0.sensitivities = "ETH SOC"
                })
            let expected: [(String, String?)] = [
                ("patient/Patient.read sens/ETH sens/SOC conf/V", "patient/Patient.read sens/ETH sens/SOC conf/V"),
                ("patient/Patient.read", "patient/Patient.read"), ("user/*.read", "user/*.read"),
                ("user/Patient.cruds conf/R btg", "user/Patient.crus conf/R"),
                ("patient/*.rs sens/* openid launch offline_access system/*.rs", "patient/*.rs sens/ETH sens/SOC"),
                ("user/Patient.rs sens/HIV conf/U", "user/Patient.rs conf/U"),
                ("user/Consent.rs", nil), ("user/AuditEvent.rs", nil), ("user/Patient.d", nil), ("system/*.rs", nil),
                ("openid fhirUser", nil), ("launch/patient offline_access", nil), ("conf/V sens/ETH", nil),
                ("btg", nil), ("nothing at all", nil),
            ]
            for (asked, given) in expected {
                guard let given else {
                    #expect(try await fixture.refusal(asked) == "permission-missing", "\(asked)")
                    continue
                }
                let tokens = try await fixture.issue(asked)
                #expect(tokens.scopes.text == given, "\(asked)")
                let grant = try #require(try await fixture.grant(tokens))
                #expect(grant.onlyPart?.patients == .only(["anna"]) && grant.onlyPart?.scopes.text == given)
            }
        }
    }

    @Test func scopesForOnePatientMeanTheWalletOfTheDeviceOrTheOnlyGrantor() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["bert"])
            // The device has Anna's wallet, and Anna gave nothing.
            #expect(try await fixture.refusal("patient/*.rs") == "permission-missing")
            try await fixture.rows.permit(Self.app, patients: ["anna"])
            let own = try await fixture.issue("patient/*.rs")
            #expect(own.authorization.patient == "anna")
            #expect(try await fixture.grant(own)?.onlyPart?.patients == .only(["anna"]))
            let all = try await fixture.issue("user/*.rs")
            #expect(try await fixture.grant(all)?.onlyPart?.patients == .only(["anna", "bert"]))
            #expect(all.authorization.patient == nil)
            let both = try #require(try await fixture.grant(try await fixture.issue("patient/*.rs user/Patient.rs")))
            #expect(both.parts.map(\.patients) == [.only(["anna"]), .only(["bert"])])
            #expect(both.parts.map(\.scopes.text) == ["patient/*.rs user/Patient.rs", "user/Patient.rs"])
            // Without a wallet on the device there must be one grantor.
            try await fixture.rows.csi(PermissionRows.guid("b"), device: "other")
            let client = try #require(try await fixture.access.clients.client(id: PermissionRows.guid("b")))
            let lone = Fixture(
                access: fixture.access, database: fixture.database, clock: fixture.clock, rows: fixture.rows,
                client: client)
            #expect(try await lone.refusal("patient/*.rs") == "permission-missing")
            try await fixture.rows.permit(client.id, patients: ["bert"], prefix: "lone-")
            let only = try await lone.issue("patient/*.rs")
            #expect(try await lone.grant(only)?.onlyPart?.patients == .only(["bert"]))
            try await fixture.rows.permit(client.id, patients: ["anna"], prefix: "lone-")
            #expect(try await lone.refusal("patient/*.rs") == "patient-unclear")
            #expect(try await lone.refusal("patient/*.rs user/*.rs") == "patient-unclear")
            #expect(try await lone.refusal("user/*.rs") == nil)
        }
    }

    /// P01.
    @Test func permissionCountsFromItsStartAndNotAtItsEnd() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(
                Self.app, patients: ["anna"],
                terms: .with {
                    $0.start = 100
                    $0.end = 200
                })
            fixture.clock.advance(99)
            #expect(try await fixture.refusal() == "permission-missing")
            fixture.clock.advance(1)
            let tokens = try await fixture.issue()
            #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(100))
            #expect(try await fixture.grant(tokens)?.hasEnded(at: fixture.clock.now) == false)
            fixture.clock.advance(99)
            #expect(try await fixture.grant(tokens) != nil)
            fixture.clock.advance(1)
            #expect(try await fixture.grant(tokens) == nil)
            #expect(try await fixture.refusal() == "permission-missing")
        }
    }

    /// P01: the token outlives one of its permissions.
    @Test func partOfAPermissionEndsBeforeItsToken() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna"], terms: .with { $0.end = 60 })
            try await fixture.rows.permit(Self.app, patients: ["bert"])
            let tokens = try await fixture.issue()
            let bearer = try #require(try await fixture.access.tokens.recentBearer(of: tokens.accessToken))
            fixture.clock.advance(60)
            for known in [bearer, try await fixture.access.tokens.recentBearer(of: tokens.accessToken)] {
                let known = try #require(known)
                let grant = try #require(
                    try await fixture.database.read { try fixture.access.tokens.grant(of: known, in: $0) })
                #expect(grant.patients(at: fixture.clock.now) == .only(["bert"]))
            }
            #expect(tokens.expiresAt == fixture.rows.now.addingTimeInterval(300))
        }
    }

    /// P02.
    @Test func endOfAPermissionCountsAtTheNextRequest() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna", "bert"])
            let tokens = try await fixture.issue("user/*.rs")
            let bearer = try #require(try await fixture.access.tokens.recentBearer(of: tokens.accessToken))
            let exported = bearer.grant
            func isRevoked(_ grant: AccessGrant) async throws -> Bool {
                try await fixture.database.read { try fixture.access.tokens.isRevoked(grant, in: $0) }
            }
            #expect(try await !isRevoked(exported))
            try await fixture.rows.end("permission-anna", at: fixture.clock.now)
            #expect(try await fixture.grant(tokens)?.patients(at: fixture.clock.now) == .only(["bert"]))
            let current = try await fixture.database.read { try fixture.access.tokens.grant(of: bearer, in: $0) }
            #expect(current?.patients(at: fixture.clock.now) == .only(["bert"]))
            #expect(try await isRevoked(exported))
            #expect(try await !isRevoked(try #require(current)))
            let information = try await fixture.access.authorizations.information(
                of: tokens.accessToken, client: fixture.client)
            #expect(information?.scopes.text == "user/*.rs")
            try await fixture.rows.end("permission-bert", at: fixture.clock.now)
            #expect(try await fixture.grant(tokens) == nil)
            #expect(
                try await fixture.access.authorizations.information(of: tokens.accessToken, client: fixture.client)
                    == nil)
            #expect(try await fixture.database.read { try fixture.access.tokens.grant(of: bearer, in: $0) } == nil)
        }
    }

    @Test func exportIsRevokedAtTheEndOfAPeriodAndNotAtThatOfTheToken() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna"], terms: .with { $0.end = 600 })
            let grant = try #require(try await fixture.grant(try await fixture.issue()))
            func isRevoked() async throws -> Bool {
                try await fixture.database.read { try fixture.access.tokens.isRevoked(grant, in: $0) }
            }
            fixture.clock.advance(599)
            #expect(try await !isRevoked())
            fixture.clock.advance(1)
            #expect(try await isRevoked())
        }
    }

    @Test func endOfACsiEndsItsTokens() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna"])
            let tokens = try await fixture.issue()
            let grant = try #require(try await fixture.grant(tokens))
            try await fixture.rows.end(csi: Self.app, at: fixture.clock.now)
            #expect(try await fixture.grant(tokens) == nil)
            #expect(try await fixture.database.read { try fixture.access.tokens.isRevoked(grant, in: $0) })
            #expect(
                try await fixture.access.authorizations.issueInstanceToken(
                    to: fixture.client, asking: nil, lifetime: 300) == nil)
        }
    }

    /// A thousand permissions are read once, and again after a change.
    @Test func unchangedPermissionsAreNotReadAgain() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: (0..<1000).map { "p\($0)" })
            let tokens = try await fixture.issue()
            let bearer = try #require(try await fixture.access.tokens.recentBearer(of: tokens.accessToken))
            #expect(bearer.permissionChanges == 0 && bearer.grant.parts.count == 1)
            // Rows that vanish without a change are not noticed: the rows were not read.
            _ = try await fixture.database.write { try $0.execute("DELETE FROM token_permission") }
            let again = try await fixture.database.read { try fixture.access.tokens.grant(of: bearer, in: $0) }
            #expect(again == bearer.grant)
            #expect(try await fixture.grant(tokens) == bearer.grant)
            _ = try await fixture.database.write {
                try $0.execute("UPDATE access_authorization SET permission_changes = permission_changes + 1")
            }
            #expect(try await fixture.grant(tokens) == nil)
        }
    }

    @Test func tokensOfACsiAreLimitedAndRemovedWithTheirRows() async throws {
        try await with { fixture async throws in
            try await fixture.rows.permit(Self.app, patients: ["anna", "bert"])
            let first = try await fixture.issue()
            for _ in 0..<AuthorizationStore.maximumInstanceAuthorizations { _ = try await fixture.issue() }
            let limit = Int64(AuthorizationStore.maximumInstanceAuthorizations)
            #expect(try await fixture.count("access_authorization") == limit)
            #expect(try await fixture.count("token_permission") == 2 * limit)
            #expect(try await fixture.grant(first) == nil)
            fixture.clock.advance(300)
            _ = try await fixture.issue("user/Patient.rs")
            #expect(try await fixture.count("access_authorization") == 1)
            #expect(try await fixture.count("token_permission") == 2)
            try await fixture.database.write { try AuthorizationStore.endAuthorizations(in: $0) }
            #expect(try await fixture.count("token_permission") == 0)
        }
    }

    @Test func tooManyKindsOfPermissionsAreRefused() async throws {
        try await with { fixture async throws in
            for number in 0...AccessGrant.maximumForms {
                let types = (0..<7).filter { number >> $0 & 1 == 1 }.map { "Type\("ABCDEFG".map(String.init)[$0])" }
                let text = (types + ["Patient"]).joined(separator: ",")
                try await fixture.rows.permit(
                    Self.app, patients: ["p\(number)"], terms: .with { $0.types = text })
            }
            #expect(try await fixture.refusal() == "grant-parts-too-many")
            #expect(try await fixture.refusal("user/Patient.rs") == nil)
        }
    }

    @Test func eachRequestForATokenIsOnRecord() async throws {
        try await with { fixture async throws in
            #expect(try await fixture.refusal() == "permission-missing")
            try await fixture.rows.permit(Self.app, patients: ["anna"])
            _ = try await fixture.issue()
            let rows = try await fixture.database.read {
                try $0.query("SELECT actor_id, action, reason FROM audit ORDER BY number").map {
                    "\(try $0.text("actor_id")) \(try $0.text("action")) \(try $0.text("reason"))"
                }
            }
            let request = "\(Self.app) authorize-app"
            #expect(rows == ["\(request) permission-missing", "\(request) permitted"])
        }
    }

    @Test func otherClientsAreNoCsis() async throws {
        try await with { fixture async throws in
            let other = try await fixture.access.clients.createClient(
                ClientTests.client(.none, scope: "patient/*.rs"), by: site
            ).client
            #expect(
                try await fixture.access.authorizations.issueInstanceToken(to: other, asking: nil, lifetime: 300) == nil
            )
        }
    }

    @Test func storeWithoutPermissionsIsNotAskedForThem() async throws {
        try await withTemporaryDatabase([.baseline(of: "people", AccessSchema.ofPeopleStore)]) {
            database async throws in
            let clock = TestClock()
            let access = AccessStores(database: database, clock: { clock.now })
            try await database.write { try AuthorizationStore.registerAppClient(at: clock.now, in: $0) }
            let account = try await access.accounts.account("person", .accountHolder)
            let new = access.authorizations.newTokens()
            let tokens = try await database.write {
                try access.authorizations.beginAppSession(of: account, with: new, lifetime: 60, end: 600, in: $0)
            }
            let token = tokens.accessToken
            func session() async throws -> AppSession? {
                try await database.read { try access.authorizations.appSession(accessToken: token, in: $0) }
            }
            #expect(try await session() != nil)
            clock.advance(600)
            let later = access.authorizations.newTokens()
            _ = try await database.write {
                try access.authorizations.beginAppSession(of: account, with: later, lifetime: 60, end: 600, in: $0)
            }
            try await database.write {
                try AccountStore.end(account: account.id, in: $0)
                try AuthorizationStore.endAuthorizations(in: $0)
            }
            #expect(try await session() == nil)
        }
    }

    @Test func permissionsAreFoundByIndexes() async throws {
        try await withAccess { _, database, _ async throws in
            try await database.write { transaction in
                let plans = [
                    try QueryPlan(CarriedPermission.inForceSQL, ["c", "t", "t", 1], in: transaction),
                    try QueryPlan(CarriedPermission.inForceOfPatientSQL, ["c", "t", "t", "p", 1], in: transaction),
                    try QueryPlan(CarriedPermission.carriedSQL, ["a", "t"], in: transaction),
                    try QueryPlan(CarriedPermission.walletSQL, ["c"], in: transaction),
                    try QueryPlan(CarriedPermission.instanceSQL, ["c"], in: transaction),
                    try QueryPlan(AuthorizationStore.inForceSQL(ids: 2), ["a", "b", "t"], in: transaction),
                ]
                for plan in plans {
                    #expect(!plan.readsAll, "\(plan)")
                    #expect(!plan.sorts || TestEngine.chosen == .postgresql, "\(plan)")
                }
            }
        }
    }
}
