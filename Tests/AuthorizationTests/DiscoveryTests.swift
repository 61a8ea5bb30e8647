import Core
import Foundation
import HTTPTypes
import Testing
import Wire

@testable import Authorization
@testable import ServerHTTP

@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
    @Test func smartConfigurationHasTheMembersThatSMARTRequires() async throws {
        try await AuthorizationFixture.with { fixture in
            let path = "/fhir/.well-known/smart-configuration"
            let answer = try await fixture.ask(
                .get, path, headers: [.accept: "text/html", .origin: "https://a.example"])
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(answer.headers[HTTPField.Name(validated: "access-control-allow-credentials")] == nil)
            let json = answer.json
            let base = AuthorizationFixture.base
            #expect(json["issuer"]?.string == base && json["jwks_uri"]?.string == base + "/oauth2/jwks.json")
            for (name, path) in [
                ("authorization_endpoint", "authorize"), ("token_endpoint", "token"),
                ("introspection_endpoint", "introspect"), ("revocation_endpoint", "revoke"),
            ] {
                #expect(json[name]?.string == base + "/oauth2/" + path, "\(name)")
            }
            func list(_ name: String) -> [String] { (json[name]?.array ?? []).compactMap(\.string) }
            #expect(list("code_challenge_methods_supported") == ["S256"])
            #expect(Set(list("grant_types_supported")).isSuperset(of: ["authorization_code", "client_credentials"]))
            #expect(list("token_endpoint_auth_methods_supported").contains("private_key_jwt"))
            #expect(
                Set(list("token_endpoint_auth_signing_alg_values_supported")) == ["ES256", "ES384", "RS256", "RS384"])
            #expect(list("capabilities").contains("launch-standalone") && !list("capabilities").contains("launch-ehr"))
            #expect(list("response_types_supported") == ["code"] && !list("scopes_supported").isEmpty)
            #expect(try await fixture.ask(.head, path).status == 200)
            #expect(try await fixture.ask(.post, path).status == 405)
            let preflight = try await fixture.ask(.options, path, headers: [.origin: "null"])
            #expect(preflight.status == 204 && preflight.headers[.accessControlAllowMethods] == "GET")
        }
    }

    @Test func openIDConfigurationAndItsKeysBelongTogether() async throws {
        try await AuthorizationFixture.with { fixture in
            let json = try await fixture.ask(.get, "/.well-known/openid-configuration").json
            #expect(json["issuer"]?.string == AuthorizationFixture.base)
            #expect(json["id_token_signing_alg_values_supported"] == ["RS256"])
            #expect(json["subject_types_supported"] == ["public"] && json["response_types_supported"] == ["code"])
            let keys = try await fixture.ask(.get, "/oauth2/jwks.json")
            _ = try SignatureKeySet(reading: Data(keys.text.utf8))
            #expect(keys.json["keys"]?[0]?["kty"]?.string == "RSA" && keys.json["keys"]?[0]?["d"] == nil)
            #expect(keys.json["keys"]?[0]?["kid"]?.string == AuthorizationFixture.key?.keyID)
        }
    }

    @Test func s10URLsArePublicOnesForAnyHostHeader() async throws {
        try await AuthorizationFixture.with(base: "https://study.example/tributary") { fixture in
            for path in ["/fhir/.well-known/smart-configuration", "/.well-known/openid-configuration"] {
                let host = HTTPField.Name(validated: "host")
                let forwarded = HTTPField.Name(validated: "x-forwarded-host")
                let answer = try await fixture.ask(
                    .get, path, headers: [host: "attacker.example", forwarded: "attacker.example"])
                #expect(!answer.text.contains("attacker"))
                #expect(answer.json["token_endpoint"]?.string == "https://study.example/tributary/oauth2/token")
            }
            #expect(fixture.routes.configuration.addresses.cookiePath == "/tributary")
        }
    }

    @Test func olderAppsFindTheServerByOAuthURIs() {
        let found = AuthorizationAddresses(base: "https://study.example").oauthURIs
        #expect(found["url"]?.string == "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris")
        let parts = (found["extension"]?.array ?? []).map { ($0["url"]?.string ?? "", $0["valueUri"]?.string ?? "") }
        #expect(parts.first { $0.0 == "authorize" }?.1 == "https://study.example/oauth2/authorize")
        #expect(parts.first { $0.0 == "token" }?.1 == "https://study.example/oauth2/token")
    }

    @Test func publicURLIsTheConfiguredOneOrTheListeningAddress() {
        let configured = PublicAddress("https://study.example")
        configured.listen(at: "http://127.0.0.1:9")
        #expect(configured.url == "https://study.example")
        let unconfigured = PublicAddress()
        unconfigured.listen(at: "http://127.0.0.1:9")
        #expect(unconfigured.url == "http://127.0.0.1:9")
    }

    @Test func signingKeyIsReadFromItsPEMAndHidesItsSecret() throws {
        let key = try #require(AuthorizationFixture.key)
        let read = try SigningKey(pem: key.pem)
        #expect(read.keyID == key.keyID && !"\(key)".contains("PRIVATE"))
        let jws = try JWS(compact: Data(try read.token(["a": 1]).utf8), accepting: [.rs256])
        let keys = try SignatureKeySet(reading: JSON([.init(key: "keys", value: .array([key.jwk]))]).data())
        try jws.verify(with: try #require(keys.key(for: jws)))
        for pem in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"] {
            #expect(throws: SigningKeyError.self) { try SigningKey(pem: pem) }
        }
    }
}
