import AccessPolicy
import AccessTestSupport
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import Accounts

/// Roles, and the access that they give.
@Suite struct TeamTests {
    /// Readable data of a patient by role.
    static let readable: [TeamRole: Set<String>] = [
        .careTeam: ["profile", "photo"], .observer: ["profile", "photo"], .studyTeam: ["consents", "results"],
    ]

    /// Returns the path of a route below `/v1/`.
    private static func path(_ pattern: String, patient: String) -> String {
        String(
            pattern.replacing("{id}", with: patient).replacing("{digest}", with: String(repeating: "0", count: 64))
                .dropFirst("/v1/".count))
    }

    @Test func eachRouteGivesEachRoleItsDataOfItsOwnGroupOnly() async throws {
        try await AccountFixture.with { fixture in
            let own = try await fixture.signUp("own", group: "main")
            let other = try await fixture.signUp("other", group: "other")
            let plain = try await fixture.signUp("plain")
            var members: [(TeamRole, String, AccountFixture.SignedIn)] = []
            for role in TeamRole.allCases {
                for group in ["main", "*"] {
                    let name = "\(role.rawValue)-\(group == "*" ? "all" : group)"
                    members.append((role, group, try await fixture.member(name, role, of: group)))
                }
            }
            var checked = 0
            for route in fixture.routes.table.paths where route.method != .head {
                let pattern = route.path.description
                guard pattern.contains("patients") else {
                    // All other routes serve the caller's own account: no path names another one.
                    #expect(!pattern.contains(":account"))
                    continue
                }
                for (role, group, member) in members {
                    for patient in [own, other] {
                        let path = Self.path(pattern, patient: patient.id)
                        let answer = try await fixture.ask(
                            route.method, path, as: member.token)
                        let name = path.split(separator: "/").dropFirst(2).first.map(String.init)
                        let isOwn = group == "*" || patient.id == own.id
                        let mayRead =
                            isOwn && (name.map { Self.readable[role]?.contains($0) == true } ?? true)
                        if name == nil {
                            #expect(answer.status == 200, "\(path) \(role) \(group)")
                        } else if name == "blobs" {
                            #expect(answer.status == 404)
                        } else {
                            #expect(
                                [200, 204].contains(answer.status) == mayRead,
                                "\(path) \(role) \(group) \(answer.status)")
                            #expect(mayRead || answer.status == 404)
                        }
                        checked += 1
                    }
                }
                let stranger = try await fixture.ask(
                    route.method, Self.path(pattern, patient: own.id), as: plain.token)
                #expect(stranger.status == 403)
                #expect(stranger.cmhealth == 806)
            }
            #expect(checked == 6 * 6 * 2)
        }
    }

    @Test func aGrantTakesEffectWhenTheAddressIsVerified() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let dora = try await fixture.signUp("dora")
            _ = try await fixture.store.grant(.careTeam, to: dora.id, group: "main", until: nil, by: site)
            for path in ["patients", "patients/\(ann.id)/profile"] {
                let answer = try await fixture.ask(.get, path, as: dora.token)
                #expect(answer.status == 403)
                #expect(answer.code == "not-verified")
            }
            try await fixture.verify(dora)
            #expect(try await fixture.ask(.get, "patients/\(ann.id)/profile", as: dora.token).status == 200)
        }
    }

    @Test func accessEndsWithTheGrantWithSharingAndWithTheRole() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let dora = try await fixture.member("dora", .careTeam, of: "main", until: fixture.clock.now + 60)
            let path = "patients/\(ann.id)/profile"
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 200)
            _ = try await fixture.ask(.put, "me/sharing", as: ann.token, json: ["sharing": false])
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 404)
            _ = try await fixture.ask(.put, "me/sharing", as: ann.token, json: ["sharing": true])
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 200)
            fixture.clock.advance(60)
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 403)
            let grant = try await fixture.store.grant(.observer, to: dora.id, group: "*", until: nil, by: site)
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 200)
            try await fixture.store.revokeGrant(grant, by: site)
            #expect(try await fixture.ask(.get, path, as: dora.token).status == 403)
        }
    }

    @Test func anAccountHolderSeesWhoMayReadAndWhoHasRead() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let bob = try await fixture.signUp("bob", group: "other")
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            fixture.clock.advance(1)
            let theo = try await fixture.member("theo", .studyTeam, of: "*")
            _ = try await fixture.ask(.get, "patients/\(ann.id)/profile", as: dora.token)
            _ = try await fixture.ask(.get, "patients/\(bob.id)/profile", as: dora.token)
            _ = try await fixture.ask(.get, "patients/\(ann.id)/results", as: theo.token)
            _ = try await fixture.ask(.get, "patients", as: theo.token)
            let access = try await fixture.ask(.get, "me/access", as: ann.token)
            #expect(access.json["mayRead"]?.array?.map { $0["account"]?.string } == [dora.id, theo.id])
            #expect(access.json["mayRead"]?.array?.map { $0["role"]?.string } == ["care-team", "study-team"])
            let read = try #require(access.json["read"]?.array)
            #expect(read.map { $0["what"]?.string } == ["list", "results", "profile"])
            #expect(read.map { $0["account"]?.string } == [theo.id, theo.id, dora.id])
            let other = try await fixture.ask(.get, "me/access", as: bob.token)
            #expect(other.json["mayRead"]?.array?.map { $0["account"]?.string } == [theo.id])
            // A refused read is not a read.
            #expect(other.json["read"]?.array?.map { $0["what"]?.string } == ["list"])
        }
    }

    @Test func badGrantsAreErrors() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            for (account, group, until, code) in [
                ("none", "main", nil, "account-unknown"), (ann.id, "none", nil, "group-unknown"),
                (ann.id, "main", fixture.clock.now, "grant-ended"),
            ] as [(String, String, Date?, String)] {
                let error = await #expect(throws: AccessError.self) {
                    _ = try await fixture.store.grant(.observer, to: account, group: group, until: until, by: site)
                }
                #expect(error?.code == code)
            }
            await #expect(throws: AccessError.self) { try await fixture.store.revokeGrant("none", by: site) }
            await #expect(throws: AccessError.self) {
                _ = try await fixture.store.grant(
                    .observer, to: ann.id, group: "main", until: nil, by: Actor(id: ann.id, role: .accountHolder))
            }
        }
    }
}
