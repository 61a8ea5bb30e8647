import AccessPolicy
import AccessTestSupport
import Core
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Identity

@Suite(.timeLimit(.minutes(10)))
struct ClientTests {
    static let keys = Data(
        (#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
            + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#).utf8)

    static func client(
        _ proof: RegisteredClient.Proof, scope: String = "patient/*.rs launch/patient",
        redirect: [String] = ["https://app.example/callback"], name: String = "An app"
    ) throws -> NewClient {
        NewClient(name: name, proof: proof, redirectURIs: redirect, scopes: try AccessScopes(scope))
    }

    @Test func clientIsStoredAsRegisteredWithADigestOfItsSecret() async throws {
        try await withAccess { access, database, _ async throws in
            let redirects = ["https://app.example/z", "https://app.example/a", "http://127.0.0.1:9/cb"]
            let made = try await access.clients.createClient(Self.client(.secret, redirect: redirects), by: site)
            let secret = try #require(made.secret)
            #expect(try await access.clients.client(id: made.client.id) == made.client)
            #expect(made.client.redirectURIs == redirects && made.client.proof == .secret)
            #expect(
                try await access.clients.authenticateRegisteredClient(id: made.client.id, secret: secret) == made.client
            )
            #expect(
                try await access.clients.authenticateRegisteredClient(id: made.client.id, secret: secret + "x") == nil)
            #expect(try await access.clients.authenticateRegisteredClient(id: "nobody", secret: secret) == nil)
            #expect(try await !database.contents(["registered_client", "audit"]).contains(secret))

            let open = try await access.clients.createClient(Self.client(.none), by: site)
            #expect(open.secret == nil)
            #expect(try await access.clients.authenticateRegisteredClient(id: open.client.id, secret: "") == nil)
            let keyed = try await access.clients.createClient(
                Self.client(.keySet(Self.keys), scope: "system/*.rs", redirect: []), by: site)
            #expect(keyed.client.proof == .keySet(Self.keys))
            let url = "https://client.example/jwks.json"
            let fetched = try await access.clients.createClient(Self.client(.keySetURL(url)), by: site)
            #expect(fetched.client.keySetURL == url)
            #expect(try await access.clients.all().count == 4)
        }
    }

    @Test func revokedClientIsNotFound() async throws {
        try await withAccess { access, _, _ async throws in
            let made = try await access.clients.createClient(Self.client(.secret), by: site)
            #expect(try await access.clients.isOriginOfClient("https://app.example"))
            #expect(try await access.clients.revokeClient(id: made.client.id, by: site))
            #expect(try await access.clients.client(id: made.client.id) == nil)
            #expect(
                try await access.clients.authenticateRegisteredClient(id: made.client.id, secret: made.secret ?? "")
                    == nil)
            #expect(try await !access.clients.isOriginOfClient("https://app.example"))
            #expect(try await access.clients.all().first?.revokedAt != nil)
            #expect(try await !access.clients.revokeClient(id: "nobody", by: site))
        }
    }

    @Test func unusableOrUnsafeClientsAreNotRegistered() async throws {
        try await withAccess { access, _, _ async throws in
            let refused: [(NewClient, String)] = [
                (try Self.client(.none, redirect: []), "redirect-uri-missing"),
                (try Self.client(.secret, scope: "system/*.rs", redirect: []), "redirect-uri-missing"),
                (try Self.client(.keySet(Self.keys), redirect: []), "redirect-uri-missing"),
                (try Self.client(.none, redirect: ["javascript:alert(1)"]), "redirect-uri-invalid"),
                (try Self.client(.none, redirect: ["https://a.example/#x"]), "redirect-uri-invalid"),
                (
                    try Self.client(.none, redirect: ["https://a.example/", "https://a.example/"]),
                    "redirect-uri-invalid"
                ),
                (
                    try Self.client(.none, redirect: (0..<21).map { "https://a.example/\($0)" }),
                    "redirect-uri-invalid"
                ),
                (try Self.client(.none, scope: "patient/*.sr"), "scope-unknown"),
                (try Self.client(.none, scope: "conf/V sens/*"), "scope-unknown"),
                (try Self.client(.none, name: ""), "client-name-invalid"),
                (try Self.client(.none, name: "Your bank\u{202E}"), "client-name-invalid"),
                (try Self.client(.none, name: String(repeating: "n", count: 201)), "client-name-invalid"),
                (try Self.client(.keySetURL("http://127.0.0.1/keys")), "key-set-url-invalid"),
                (try Self.client(.keySetURL("https://good@evil.example/")), "key-set-url-invalid"),
                (try Self.client(.keySet(Data("{}".utf8))), "key-malformed"),
            ]
            for (client, code) in refused {
                do {
                    _ = try await access.clients.createClient(client, by: site)
                    Issue.record("\(code): it was registered")
                } catch {
                    #expect((error as? any CodedError)?.code == code)
                }
            }
            let staff = await #expect(throws: AccessError.self) {
                _ = try await access.clients.createClient(Self.client(.none), by: Actor(id: "s", role: .staff))
            }
            #expect(staff?.code == "role-not-permitted")
            #expect(try await access.clients.all().isEmpty)
            let local = try Self.client(.keySetURL("http://127.0.0.1:9/keys"))
            #expect(
                try await access.clients.createClient(local, allowingLoopback: true, by: site).client.keySetURL != nil)
        }
    }

    @Test func clientsAreFoundByIndexes() async throws {
        try await withAccess { _, database, _ async throws in
            try await database.write { transaction in
                for sql in [ClientStore.clientSQL, ClientStore.redirectSQL, ClientStore.originSQL] {
                    let plan = try QueryPlan(sql, ["x"], in: transaction)
                    #expect(!plan.readsAll, "\(plan)")
                }
            }
        }
    }
}
