import AccessTestSupport
import Core
import Foundation
import HTTPTypes
import Testing

@testable import Permissions
@testable import Wire

/// Tokens of csis at the standard token endpoint, and what they show.
@Suite(.timeLimit(.minutes(10)))
struct CsiTokenTests {
    @Test func appGetsATokenForThePermissionsInForce() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna", "bert", "carl"])
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna", "bert"])
            let answer = try await fixture.request()
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store", "\(answer.text)")
            #expect(answer.json["token_type"]?.string == "Bearer" && answer.json["expires_in"]?.integer == 300)
            #expect(answer.json["scope"]?.string == "user/*.rs conf/N")
            #expect(answer.json["refresh_token"] == nil)
            let token = try #require(answer.json["access_token"]?.string)
            let found = try await fixture.ask("/fhir/Observation?_sort=_id", token: token)
            #expect(found.ids.sorted() == ["o-anna", "o-bert"], "\(found.text)")
            #expect(try await fixture.ask("/fhir/Patient/carl", token: token).status == 404)
            #expect(try await fixture.ask("/fhir/Patient/bert", token: token).status == 200)
            // Reading only.
            let written = try await fixture.ask(
                .put, "/fhir/Observation/o-anna", token: token, body: TokenFixture.observation("o-anna", of: "anna"))
            #expect(written.status == 403)
        }
    }

    @Test func refusedRequestHasTheErrorOfOAuth() async throws {
        try await TokenFixture.with { fixture async throws in
            let none = try await fixture.request()
            #expect(none.status == 400 && none.error == "invalid_scope")
            try await fixture.rows.permit(
                fixture.app.guid.text, patients: ["anna"], terms: .with { $0.types = "Patient" })
            for scope in ["system/*.rs", "user/Observation.rs", "openid", "offline_access launch"] {
                let answer = try await fixture.request(scope)
                #expect(answer.status == 400 && answer.error == "invalid_scope", "\(scope)")
            }
            let one = try await fixture.request("patient/Patient.read btg launch/patient")
            #expect(one.json["scope"]?.string == "patient/Patient.read" && one.json["patient"]?.string == "anna")
            let introspected = try await fixture.request("patient/*.rs", by: fixture.other)
            #expect(introspected.error == "invalid_scope")
        }
    }

    /// J01 to J14, as far as they depend on the client being a csi.
    @Test func assertionsOfOthersAndOfOtherFormsAreRefused() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"])
            let url = TokenFixture.base + "/oauth2/token"
            func form(
                _ csi: CsiGuid, key: P256SigningKey, url: String = url, id: String = "an-id-of-one-use",
                seconds: Double = 0
            ) throws -> String {
                try CsiTokenRequest.form(
                    csi: csi, tokenURL: url, now: fixture.clock.now.addingTimeInterval(seconds), tokenID: id, key: key)
            }
            func refuses(_ form: String, _ what: String) async throws {
                let answer = try await fixture.post("/oauth2/token", form: form)
                #expect(answer.status == 401 && answer.error == "invalid_client", "\(what): \(answer.text)")
            }
            let (app, other) = (fixture.app, fixture.other)
            try await refuses(form(app.guid, key: other.key), "key of another csi")
            try await refuses(form(try #require(CsiGuid(PermissionRows.guid("z"))), key: app.key), "unknown csi")
            try await refuses(form(try #require(CsiGuid(PermissionRows.guid("w"))), key: app.key), "csi without a key")
            try await refuses(form(app.guid, key: app.key, url: TokenFixture.base + "/vaca/auth"), "audience")
            try await refuses(form(app.guid, key: app.key, seconds: -300), "over")
            try await refuses(form(app.guid, key: app.key, seconds: 100), "future")
            try await refuses(form(app.guid, key: app.key, id: "x"), "short id")
            // A DER signature, and the document's assertion.
            let right = try form(app.guid, key: app.key)
            let legacy = try LegacyAuthRequest.form(
                csi: app.guid, audience: url, deviceID: "device-id", scope: "user/*.rs", now: fixture.clock.now,
                key: app.key)
            let assertion = try #require(legacy.split(separator: "&assertion=").last)
            let start = try #require(right.range(of: "client_assertion=")).upperBound
            try await refuses(
                right[..<start] + PercentEncoding.encodeForm(String(assertion)), "the document's assertion")
            // None of these requests used up the id; the right one does.
            #expect(try await fixture.post("/oauth2/token", form: right).status == 200)
            try await refuses(right, "second use")
            #expect(try await fixture.post("/oauth2/token", form: form(other.guid, key: other.key)).status == 400)
            // An ended csi.
            try await fixture.rows.end(csi: app.guid.text, at: fixture.clock.now)
            try await refuses(form(app.guid, key: app.key, id: "another-id-of-one-use"), "ended csi")
        }
    }

    /// A new key does not end a token, and the former key does not count any more.
    @Test func newKeyEndsNoToken() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna"])
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"])
            let token = try await fixture.token()
            let keySet = fixture.other.keySet.replacingOccurrences(
                of: fixture.other.guid.text, with: fixture.app.guid.text)
            _ = try await fixture.database.write {
                try $0.execute(
                    "UPDATE registered_client SET key_set = ? WHERE id = ?",
                    [.text(keySet), .text(fixture.app.guid.text)])
            }
            #expect(try await fixture.ask("/fhir/Patient/anna", token: token).status == 200)
            #expect(try await fixture.request().error == "invalid_client")
        }
    }

    /// P01 and P02 at the API: the end of a permission counts at the next request, also for a page that is continued.
    @Test func endedPermissionShowsNothingMore() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna", "bert"])
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"])
            try await fixture.rows.permit(
                fixture.app.guid.text, patients: ["bert"],
                terms: .with {
                    $0.start = 10
                    $0.end = 60
                })
            let early = try await fixture.token()
            #expect(try await fixture.ask("/fhir/Patient/bert", token: early).status == 404)
            fixture.clock.advance(10)
            #expect(try await fixture.ask("/fhir/Patient/bert", token: early).status == 404, "the token is older")
            let token = try await fixture.token()
            let page = try await fixture.ask("/fhir/Observation?_count=1", token: token)
            let link = page.json["link"]?.array?.first { $0["relation"]?.string == "next" }
            let next = try #require(link?["url"]?.string).replacingOccurrences(of: TokenFixture.base, with: "")
            #expect(try await fixture.ask(next, token: token).ids.count == 1)
            fixture.clock.advance(50)
            #expect(try await fixture.ask("/fhir/Patient/bert", token: token).status == 404, "at the exact second")
            #expect(try await fixture.ask("/fhir/Observation", token: token).ids == ["o-anna"])
            #expect(try await fixture.ask(next, token: token).ids.filter { $0 == "o-bert" } == [])
            try await fixture.rows.end("permission-anna", at: fixture.clock.now)
            for path in ["/fhir/Patient/anna", "/fhir/Observation", next, "/fhir/Patient/anna/_history"] {
                #expect(try await fixture.ask(path, token: token).status == 401, "\(path)")
            }
            #expect(try await fixture.request().error == "invalid_scope")
        }
    }
}
