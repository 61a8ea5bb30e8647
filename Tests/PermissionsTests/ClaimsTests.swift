import AccessTestSupport
import Core
import Foundation
import Testing
import Wire

@testable import Permissions

@Suite(.timeLimit(.minutes(10)))
struct ClaimsTests {
    private static let claims = PublicClaims(
        dateOfBirth: "1980-01-01", firstName: "Anna", lastName: "Miller", gender: "f")
    private static let rules = CsiCalls.Rules(acceptsVersion1: true, acceptsClaims: true)

    private func read(
        _ csi: TestCsi, by caller: TestCsi, version: CsiSignatureVersion = .v2, in fixture: CsiFixture
    ) async throws -> CsiReply {
        try await fixture.call(.fetchClaims(of: csi.guid), as: caller, version: version)
    }

    @Test func aCsiReadsItsOwnClaims() async throws {
        try await CsiFixture.with(rules: Self.rules) { fixture in
            let csi = try await fixture.app(claims: Self.claims)
            let reply = try await read(csi, by: csi, in: fixture)
            #expect(ClaimsAnswer(json: reply.json) == ClaimsAnswer(claims: Self.claims, applicationClass: "Steps"))
        }
    }

    @Test func aPermissionInForceShowsTheClaimsOfBothSides() async throws {
        try await CsiFixture.with(rules: Self.rules) { fixture in
            let wallet = try await fixture.wallet(device: "phone-1", claims: Self.claims)
            let app = try await fixture.app(device: "phone-2", claims: PublicClaims(firstName: "Dora"))
            let permission = try await fixture.permit(wallet, app, seconds: (10, 20))
            func statuses() async throws -> [Int] {
                [
                    try await read(wallet, by: app, in: fixture).status,
                    try await read(app, by: wallet, in: fixture).status,
                ]
            }
            #expect(try await statuses() == [404, 404])
            fixture.clock.advance(10)
            #expect(try await statuses() == [200, 200])
            fixture.clock.advance(10)
            #expect(try await statuses() == [404, 404])
            try await fixture.permit(wallet, app)
            #expect(try await statuses() == [200, 200])
            // A new wallet of the Patient has the side of the former one.
            let next = try await fixture.wallet(device: "phone-3", claims: Self.claims)
            #expect(try await read(app, by: next, in: fixture).status == 200)
            #expect(try await read(next, by: app, in: fixture).status == 200)
            try await fixture.database.write {
                _ = try $0.execute("UPDATE access_permission SET ended_at = '2026' WHERE id <> ?", [.init(permission)])
            }
            #expect(try await read(app, by: next, in: fixture).status == 404)
            #expect(try await read(next, by: app, in: fixture).status == 404)
        }
    }

    @Test func a18StrangersGetOneAnswer() async throws {
        try await CsiFixture.with(rules: Self.rules) { fixture in
            let wallet = try await fixture.wallet(device: "phone-1", claims: Self.claims)
            let (app, other) = (try await fixture.app(device: "phone-2"), try await fixture.app(device: "phone-3"))
            try await fixture.permit(wallet, other)
            let unknown = TestCsi(guid: try await fixture.guid(), key: app.key, device: "")
            var answers: Set<String> = []
            for csi in [wallet, other, unknown] {
                for version in CsiSignatureVersion.allCases {
                    let reply = try await read(csi, by: app, version: version, in: fixture)
                    answers.insert("\(reply.status) \(reply.error ?? "") \(reply.json["message"]?.string ?? "")")
                }
            }
            #expect(answers.count == 1 && answers.first?.hasPrefix("404 no_such_csi") == true)
            // A permission of a third one, or one that the app passed on, shows nothing of the wallet.
            try await fixture.permit(other, app, parent: "p0")
            #expect(try await read(wallet, by: app, in: fixture).status == 404)
            #expect(try await read(other, by: app, in: fixture).status == 200)
        }
    }

    @Test func version1ShowsTheClaimsOfTheOwnDevice() async throws {
        try await CsiFixture.with(rules: Self.rules) { fixture in
            let wallet = try await fixture.wallet(device: "phone-1", claims: Self.claims)
            let app = try await fixture.app(device: "phone-1", claims: PublicClaims(firstName: "Dora"))
            #expect(try await read(wallet, by: app, in: fixture).status == 404)
            let reply = try await read(wallet, by: app, version: .v1, in: fixture)
            #expect(ClaimsAnswer(json: reply.json)?.claims == Self.claims)
            // The wallet reads the name of an app on its device, without the claims.
            let named = try await read(app, by: wallet, in: fixture)
            #expect(ClaimsAnswer(json: named.json) == ClaimsAnswer(claims: PublicClaims(), applicationClass: "Steps"))
        }
    }
}
