import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Identity

/// Whether the basis of a grant was revoked, for work that outlives its request.
@Suite struct RevokingTests {
    private func isRevoked(
        _ grant: AccessGrant, access: AccessStores, database: any SQLDatabase
    ) async throws -> Bool {
        try await database.read { try access.tokens.isRevoked(grant, in: $0) }
    }

    @Test func manuallyIssuedTokenIsRevokedByItsID() async throws {
        try await withAccess { access, database, clock async throws in
            for scopes in [nil, "user/*.rs"] {
                let token: String
                if let scopes {
                    token = try await access.tokens.createToken(
                        scopes: AccessScopes(scopes), patients: .all, lifetime: 60, by: site)
                } else {
                    token = try await access.tokens.createStaffToken(lifetime: 60)
                }
                let grant = try #require(try await access.tokens.grant(bearer: token))
                #expect(try await !isRevoked(grant, access: access, database: database))
                #expect(try AccessGrant(kept: grant.kept) == grant)
                clock.advance(120)
                // It expired.
                #expect(try await access.tokens.grant(bearer: token) == nil)
                #expect(try await !isRevoked(grant, access: access, database: database))
                _ = try await access.tokens.revokeStaffToken(id: grant.actor.id, by: site)
                #expect(try await isRevoked(grant, access: access, database: database))
            }
        }
    }

    @Test func aServiceIsRevokedWithItsTokenOrItsClient() async throws {
        try await withAccess { access, database, clock async throws in
            let client = try await access.clients.createClient(
                ClientTests.client(
                    .keySetURL("https://hospital.example/jwks.json"), scope: "system/*.rs", redirect: []), by: site
            ).client
            func issued() async throws -> (token: String, grant: AccessGrant) {
                let token = try await access.authorizations.issueServiceToken(
                    to: client, scopes: AccessScopes("system/*.rs"), lifetime: 300
                ).accessToken
                return (token, try #require(try await access.tokens.grant(bearer: token)))
            }
            let first = try await issued()
            #expect(try await !isRevoked(first.grant, access: access, database: database))
            clock.advance(600)
            #expect(try await !isRevoked(first.grant, access: access, database: database))
            let second = try await issued()
            try await access.authorizations.revoke(token: second.token, of: client)
            #expect(try await isRevoked(second.grant, access: access, database: database))
            // The client has another token.
            _ = try await issued()
            #expect(try await !isRevoked(second.grant, access: access, database: database))
            _ = try await access.clients.revokeClient(id: client.id, by: site)
            #expect(try await isRevoked(first.grant, access: access, database: database))
        }
    }

    @Test func grantOfAnUnknownClientIsRevoked() async throws {
        try await withAccess { access, database, _ async throws in
            let grant = try AccessGrant(
                client: "nobody", role: .service, patients: .all, scopes: AccessScopes("system/*.rs"))
            #expect(try await isRevoked(grant, access: access, database: database))
        }
    }

    @Test(arguments: [TokenStore.revokedSQL, TokenStore.ownAuthorizationsSQL, TokenStore.authorizationsSQL])
    func tokenQueriesUseAnIndex(sql: String) async throws {
        try await withAccess { _, database, _ async throws in
            let parameters = sql.filter { $0 == "?" }.map { _ in SQLValue("a") }
            let plan = try await database.read { try QueryPlan(sql, parameters, in: $0) }
            // Manually created tokens are few.
            #expect(!plan.readsAll || sql == TokenStore.revokedSQL, "\(plan)")
        }
    }
}
