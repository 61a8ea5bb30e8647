import Foundation
import Storage
import Testing

@testable import Trust

@Suite(.timeLimit(.minutes(10)))
struct AccessControlTests {
    @Test func staffTokensWorkUntilTheyExpireOrAreRevoked() async throws {
        try await withAccess { access, _, clock async throws in
            let lasting = try await access.createStaffToken(name: "Team")
            let brief = try await access.createStaffToken(lifetime: 60)
            let actor = try #require(try await access.authenticate(bearer: brief))
            #expect(actor.role == .staff && actor.id != brief)
            let listed = try await access.staffTokens()
            #expect(Set(listed.map(\.name)) == ["Team", nil] && listed.allSatisfy { $0.revokedAt == nil })
            #expect(listed.first { $0.id == actor.id }?.expiresAt == clock.now.addingTimeInterval(60))
            clock.advance(60)
            #expect(try await access.authenticate(bearer: brief) == nil)
            let team = try #require(try await access.authenticate(bearer: lasting))
            #expect(try await !access.revokeStaffToken(id: "nobody", by: site))
            #expect(try await access.revokeStaffToken(id: team.id, by: site))
            #expect(try await access.authenticate(bearer: lasting) == nil)
            let at = clock.now
            clock.advance(1)
            #expect(try await access.revokeStaffToken(id: team.id, by: site))
            #expect(try await access.staffTokens().first { $0.id == team.id }?.revokedAt == at)
            for token in ["", "a\u{0}b", SecretDigest(of: lasting).hex] {
                #expect(try await access.authenticate(bearer: token) == nil)
            }
        }
    }

    @Test func onlyTheSiteManagesTokensAndEachActIsAudited() async throws {
        try await withAccess { access, _, _ async throws in
            let token = try await access.createStaffToken(by: site)
            let staff = try #require(try await access.authenticate(bearer: token))
            let making = await #expect(throws: TrustError.self) { _ = try await access.createStaffToken(by: staff) }
            let ending = await #expect(throws: TrustError.self) {
                _ = try await access.revokeStaffToken(id: staff.id, by: staff)
            }
            #expect(making?.code == "role-not-permitted" && ending?.code == "role-not-permitted")
            #expect(try await access.staffTokens().count == 1)
            #expect(try await access.authenticate(bearer: token) == staff)
            #expect(try await access.revokeStaffToken(id: staff.id, by: site))
            let rows = try await access.auditEntries()
            #expect(rows.map(\.actor) == ["account", "account"])
            #expect(rows.allSatisfy { $0.action == "manage-tokens" && $0.resourceID == staff.id && $0.isAllowed })
        }
    }

    @Test func everyDecisionLeavesARow() async throws {
        try await withAccess { access, database, clock async throws in
            let device = Actor(id: "d", role: .device, participant: "anna")
            let target = Target(resourceType: "Observation", resourceID: "o", subject: "bert")
            #expect(try await access.decide(device, action: .writeRecord, target: target).reason == "other-participant")
            #expect(try await access.decide(device, action: .submit, target: Target()).allowed)
            // A decision without an action is not audited.
            #expect(!access.decision(nil, action: .readRecord, target: Target()).allowed)
            let rows = try await database.read { try $0.query("SELECT * FROM audit ORDER BY number") }
            #expect(rows.map { $0.textIfPresent("reason") } == ["other-participant", "permitted"])
            #expect(rows.map { $0.integerIfPresent("allowed") } == [0, 1])
            let first = try #require(rows.first)
            #expect(try first.date("at") == clock.now)
            let columns = ["actor_id", "role", "action", "resource_type", "resource_id"]
            #expect(
                columns.map { first.textIfPresent($0) } == ["d", "device", "write-record", "Observation", "o"])
        }
    }

    @Test func decisionInARolledBackTransactionLeavesNoRow() async throws {
        struct Undo: Error {}
        try await withAccess { access, database, _ async throws in
            await #expect(throws: Undo.self) {
                try await database.write { transaction in
                    let target = Target(resourceType: "Patient", resourceID: "anna")
                    _ = try access.decide(site, action: .loadHealth, target: target, in: transaction)
                    throw Undo()
                }
            }
            #expect(try await database.contents(["audit", "participant_pseudonym"]).isEmpty)
        }
    }

    @Test func noSecretIsStored() async throws {
        try await withAccess { access, database, _ async throws in
            let staff = try await access.createStaffToken()
            let code = try await access.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            let stored = try await database.contents(["staff_token", "move_code", "audit"])
            #expect(stored.contains(SecretDigest(of: staff).hex))
            for secret in [staff, code] { #expect(!stored.contains(secret)) }
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
