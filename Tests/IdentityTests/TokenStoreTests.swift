import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import Testing

@testable import Identity

@Suite(.timeLimit(.minutes(10)))
struct TokenStoreTests {
    @Test func staffTokensWorkUntilTheyExpireOrAreRevoked() async throws {
        try await withAccess { access, _, clock async throws in
            let lasting = try await access.tokens.createStaffToken(name: "Team")
            let brief = try await access.tokens.createStaffToken(lifetime: 60)
            let actor = try #require(try await access.tokens.authenticate(bearer: brief))
            #expect(actor.role == .staff && actor.id != brief)
            let listed = try await access.tokens.staffTokens()
            #expect(Set(listed.map(\.name)) == ["Team", nil] && listed.allSatisfy { $0.revokedAt == nil })
            #expect(listed.first { $0.id == actor.id }?.expiresAt == clock.now.addingTimeInterval(60))
            clock.advance(60)
            #expect(try await access.tokens.authenticate(bearer: brief) == nil)
            let team = try #require(try await access.tokens.authenticate(bearer: lasting))
            #expect(try await !access.tokens.revokeStaffToken(id: "nobody", by: site))
            #expect(try await access.tokens.revokeStaffToken(id: team.id, by: site))
            #expect(try await access.tokens.authenticate(bearer: lasting) == nil)
            let at = clock.now
            clock.advance(1)
            #expect(try await access.tokens.revokeStaffToken(id: team.id, by: site))
            #expect(try await access.tokens.staffTokens().first { $0.id == team.id }?.revokedAt == at)
            for token in ["", "a\u{0}b", SecretDigest(of: lasting).hex] {
                #expect(try await access.tokens.authenticate(bearer: token) == nil)
            }
        }
    }

    @Test func onlyTheSiteManagesTokensAndEachActIsAudited() async throws {
        try await withAccess { access, _, _ async throws in
            let token = try await access.tokens.createStaffToken(by: site)
            let staff = try #require(try await access.tokens.authenticate(bearer: token))
            let making = await #expect(throws: AccessError.self) {
                _ = try await access.tokens.createStaffToken(by: staff)
            }
            let ending = await #expect(throws: AccessError.self) {
                _ = try await access.tokens.revokeStaffToken(id: staff.id, by: staff)
            }
            #expect(making?.code == "role-not-permitted" && ending?.code == "role-not-permitted")
            #expect(try await access.tokens.staffTokens().count == 1)
            #expect(try await access.tokens.authenticate(bearer: token) == staff)
            #expect(try await access.tokens.revokeStaffToken(id: staff.id, by: site))
            let rows = try await access.audit.entries()
            #expect(rows.map(\.actor) == ["account", "account"])
            #expect(rows.allSatisfy { $0.action == "manage-tokens" && $0.resourceID == staff.id && $0.isAllowed })
        }
    }

    @Test func noSecretIsStored() async throws {
        try await withAccess { access, database, _ async throws in
            let staff = try await access.tokens.createStaffToken()
            let stored = try await database.contents(["staff_token", "audit"])
            #expect(stored.contains(SecretDigest(of: staff).hex))
            #expect(!stored.contains(staff))
        }
    }

    @Test func digestsMatchOnlyTheirSecret() {
        let digest = SecretDigest(of: "abc")
        #expect(digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(digest.matches("abc") && !digest.matches("abd") && !digest.matches(""))
        #expect(SecretDigest(hex: digest.hex) == digest)
        #expect(
            SecretDigest(hex: "BA" + digest.hex.dropFirst(2)) == nil && SecretDigest(hex: "ba") == nil)
    }
}
