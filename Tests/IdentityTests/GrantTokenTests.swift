import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import AccessPolicy
@testable import Identity

@Suite(.timeLimit(.minutes(10)))
struct GrantTokenTests {
    @Test func tokenHasItsGrantUntilItExpiresOrIsRevoked() async throws {
        try await withAccess { access, database, clock async throws in
            let scopes = try AccessScopes("patient/Observation.rs conf/R sens/ETH")
            let token = try await access.tokens.createToken(
                scopes: scopes, patients: .only(["anna", "bert"]), lifetime: 60, by: site)
            let grant = try #require(try await access.tokens.grant(bearer: token))
            let part = try #require(grant.onlyPart)
            #expect(part.patients == .only(["anna", "bert"]) && part.scopes == scopes && grant.role == .service)
            #expect(part.confidentiality == .restricted && part.end == clock.now.addingTimeInterval(60))
            // It is not a token of the study team.
            #expect(try await access.tokens.authenticate(bearer: token) == nil)
            #expect(try await access.tokens.grant(bearer: token + "x") == nil)
            #expect(try await !database.contents(["staff_token", "token_patient", "audit"]).contains(token))
            clock.advance(60)
            #expect(try await access.tokens.grant(bearer: token) == nil)

            let other = try await access.tokens.createToken(
                scopes: AccessScopes("system/*.rs"), patients: .all, lifetime: 60, by: site)
            let id = try #require(try await access.tokens.grant(bearer: other)?.client)
            #expect(try await access.tokens.grant(bearer: other)?.onlyPart?.patients == .all)
            #expect(try await access.tokens.revokeStaffToken(id: id, by: site))
            #expect(try await access.tokens.grant(bearer: other) == nil)
        }
    }

    @Test func tokenOfTheStudyTeamHasTheGrantOfItsRole() async throws {
        try await withAccess { access, _, _ async throws in
            let token = try await access.tokens.createStaffToken()
            let staff = try #require(try await access.tokens.authenticate(bearer: token))
            #expect(try await access.tokens.grant(bearer: token) == AccessGrant(staff))
        }
    }

    @Test func tokenWithoutAValidScopeOrPatientIsRefused() async throws {
        try await withAccess { access, _, _ async throws in
            for text in ["", "conf/V sens/*", "openid", "patient/Observation.sr", "system/*.rs patient/Nothing"] {
                let error = await #expect(throws: AccessError.self, "\(text)") {
                    _ = try await access.tokens.createToken(
                        scopes: AccessScopes(text), patients: .only(["anna"]), lifetime: 60, by: site)
                }
                #expect(error?.code == "scope-unknown", "\(text)")
            }
            await #expect(throws: AccessGrantError.patientMissing) {
                _ = try await access.tokens.createToken(
                    scopes: AccessScopes("patient/*.rs"), patients: .all, lifetime: 60, by: site)
            }
            let error = await #expect(throws: AccessError.self) {
                _ = try await access.tokens.createToken(
                    scopes: AccessScopes("system/*.rs"), patients: .all, lifetime: 60, by: Actor(id: "s", role: .staff))
            }
            #expect(error?.code == "role-not-permitted")
            #expect(try await access.tokens.staffTokens().isEmpty)
        }
    }

    @Test func tokenOfAForgottenParticipantReachesNoRecords() async throws {
        try await withAccess { access, database, _ async throws in
            let token = try await access.tokens.createToken(
                scopes: AccessScopes("patient/*.rs"), patients: .only(["anna"]), lifetime: 60, by: site)
            let forgotten = try await database.write {
                try AccountStore.forget("anna", in: $0)
            }
            #expect(forgotten.tokens.count == 1)
            #expect(try await access.tokens.grant(bearer: token)?.onlyPart?.patients == .only([]))
            #expect(try await !database.contents(["token_patient", "staff_token"]).contains("anna"))
        }
    }

    @Test func aTokenAndItsPatientsAreFoundByIndexes() async throws {
        try await withAccess { _, database, _ async throws in
            try await database.write { transaction in
                let byDigest = try QueryPlan(TokenStore.grantSQL, ["d", "t"], in: transaction)
                let patients = try QueryPlan(TokenStore.patientsSQL, ["i"], in: transaction)
                let ofPatient = try QueryPlan(
                    "SELECT token_id FROM token_patient WHERE participant = ?", ["p"], in: transaction)
                #expect(!byDigest.readsAll && !patients.readsAll && !ofPatient.readsAll)
            }
        }
    }
}
