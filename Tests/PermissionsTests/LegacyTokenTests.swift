import AccessTestSupport
import Core
import Foundation
import HTTPTypes
import Identity
import Storage
import StorageTestSupport
import Testing

@testable import Permissions
@testable import Wire

/// The document's token calls with their quirks.
@Suite(.timeLimit(.minutes(10)))
struct LegacyTokenTests {
    private static let scope = "patient/Patient.read sens/ETH sens/SOC conf/V"
    private static let terms = PermissionRows.Terms.with {
        $0.access = "write"
        $0.types = "Patient"
        $0.confidentiality = "V"
        $0.sensitivities = "ETH SOC"
    }

    private func authForm(
        _ fixture: TokenFixture, scope: String = scope, audience: String = TokenFixture.base + "/vaca/auth",
        seconds: Double = 0, by csi: TokenFixture.CsiIdentity? = nil, key: P256SigningKey? = nil
    ) throws -> String {
        let csi = csi ?? fixture.app
        return try LegacyAuthRequest.form(
            csi: csi.guid, audience: audience, deviceID: "device-1", scope: scope,
            now: fixture.clock.now.addingTimeInterval(seconds), key: key ?? csi.key)
    }

    private func code(_ fixture: TokenFixture, seconds: Double = 0, scope: String = scope) async throws -> String {
        let answer = try await fixture.post("/vaca/auth", form: authForm(fixture, scope: scope, seconds: seconds))
        return try #require(answer.json["code"]?.string, "\(answer.text)")
    }

    private func redeem(
        _ fixture: TokenFixture, _ code: String, as form: LegacyAccessRequest.Form = .document,
        by csi: TokenFixture.CsiIdentity? = nil
    ) async throws -> TokenReply {
        let csi = csi ?? fixture.app
        let text = try LegacyAccessRequest.form(form, csi: csi.guid, code: code, key: csi.key)
        return try await fixture.post("/vaca/access", form: text)
    }

    @Test(arguments: LegacyAccessRequest.Form.allCases)
    func documentsFlowReadsTheOnlyPatient(form: LegacyAccessRequest.Form) async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna", "bert"])
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let answer = try await fixture.post("/vaca/auth", form: authForm(fixture))
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store", "\(answer.text)")
            #expect(answer.json["expires_in"]?.integer == 60 && answer.json["state"]?.string == "device-1")
            #expect(answer.json["scope"]?.string == Self.scope)
            let code = try #require(answer.json["code"]?.string)
            let token = try await redeem(fixture, code, as: form)
            #expect(token.status == 200, "\(token.text)")
            #expect(token.headers[.contentType]?.hasPrefix("text/plain") == true && !token.text.contains(" "))
            for path in [
                "/baseDstu3/Patient/fbcFhirId", "/baseDstu3/Patient/fbcFhirId/",
                "/baseDstu3/Patient/fbcFhirId?_format=json", "/baseDstu3/Patient/fbcFhirId/?_format=json?",
            ] {
                for scheme in ["Bearer", "Bearer "] {
                    let patient = try await fixture.ask(path, headers: [.authorization: scheme + token.text])
                    #expect(patient.status == 200, "\(path) \(patient.text)")
                    #expect(patient.json["id"]?.string == "anna" && patient.json["resourceType"]?.string == "Patient")
                    #expect(patient.headers[.contentType]?.hasPrefix("application/fhir+json") == true)
                    #expect(patient.headers[.eTag] == "W/\"1\"")
                }
            }
            #expect(try await fixture.reasons(of: "read-record") == Array(repeating: "permitted", count: 8))
            // The form without a blank counts on this path only.
            let elsewhere = try await fixture.ask(
                "/fhir/Patient/anna", headers: [.authorization: "Bearer" + token.text])
            #expect(elsewhere.status == 401)
        }
    }

    @Test func patientOfATokenMustBeOne() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna", "bert"])
            let path = "/baseDstu3/Patient/fbcFhirId"
            #expect(try await fixture.ask(path).status == 401)
            #expect(try await fixture.ask(path, token: "unknown").status == 401)
            #expect(try await fixture.ask(path, headers: [.authorization: "Bearer"]).status == 401)
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna", "bert"])
            let several = try await fixture.ask(path, token: try await fixture.token("user/*.rs"))
            #expect(several.status == 403 && several.json["resourceType"]?.string == "OperationOutcome")
            let one = try await fixture.ask(path, token: try await fixture.token("patient/*.rs"))
            #expect(one.json["id"]?.string == "anna")
            // A permission without the type Patient.
            try await fixture.rows.permit(
                fixture.other.guid.text, patients: ["bert"], prefix: "o-", terms: .with { $0.types = "Observation" })
            let hidden = try await fixture.ask(path, token: try await fixture.token(by: fixture.other))
            #expect(hidden.status == 403 && hidden.json["resourceType"]?.string == "OperationOutcome")
            let staff = try await fixture.access.tokens.createStaffToken()
            #expect(try await fixture.ask(path, token: staff).status == 403)
            #expect(try await fixture.ask(.post, path, body: "{}").status == 405)
        }
    }

    @Test func callsAreOffUnlessTheStudyAcceptsThem() async throws {
        try await TokenFixture.with(isLegacy: false) { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            for (path, form) in [("/vaca/auth", try authForm(fixture)), ("/vaca/access", "grant_type=x")] {
                let answer = try await fixture.post(path, form: form)
                #expect(answer.status == 403 && answer.error == "legacy_off", "\(path)")
            }
        }
    }

    @Test func callsAreOffWithoutTLS() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let form = try authForm(fixture)
            var headers: HTTPFields = [.contentType: CsiTokenRequest.mediaType]
            headers[AddressResponder.header] = "192.0.2.7"
            let far = try await fixture.ask(.post, "/vaca/auth", headers: headers, body: form)
            #expect(far.status == 403 && far.error == "legacy_off")
            headers[AddressResponder.header] = "127.0.0.1"
            #expect(try await fixture.ask(.post, "/vaca/auth", headers: headers, body: form).status == 200)
        }
    }

    @Test func getAndOtherBodiesAreRefused() async throws {
        try await TokenFixture.with { fixture async throws in
            for path in ["/vaca/auth", "/vaca/access"] {
                let get = try await fixture.ask(path)
                #expect(get.status == 405 && get.headers[.allow] == "POST")
                let json = try await fixture.ask(
                    .post, path, headers: [.contentType: "application/json"], body: "{}")
                #expect(json.status == 400 && json.error == "invalid_request")
                let large = try await fixture.post(path, form: String(repeating: "a", count: 100_000))
                #expect(large.status == 413)
                for form in ["", "grant_type=password", "grant_type=authorization_code&grant_type=x", "%zz", "a=%ff"] {
                    let answer = try await fixture.post(path, form: form)
                    #expect(answer.status == 400 && answer.error != nil, "\(form)")
                }
            }
        }
    }

    /// J15: the header is not signed; `iss` alone names the key.
    @Test func headerOfAnAssertionIsIgnored() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let header = #"{"alg":"none","kid":"\#(fixture.other.guid.text)","jwk":{}}"#
            let other = Data(header.utf8).base64EncodedString()
            let form = try authForm(fixture)
            let start = try #require(form.range(of: "&assertion=")).upperBound
            let parts = form[start...].split(separator: ".")
            let changed = form[..<start] + "\(other).\(parts[1]).\(parts[2])"
            let answer = try await fixture.post("/vaca/auth", form: String(changed))
            let code = try #require(answer.json["code"]?.string, "\(answer.text)")
            let access = try LegacyAccessRequest.form(csi: fixture.app.guid, code: code, key: fixture.app.key)
            let accessStart = try #require(access.range(of: "&client_assertion=")).upperBound
            let accessParts = access[accessStart...].split(separator: ".")
            let text = access[..<accessStart] + "\(other).\(accessParts[1]).\(accessParts[2])"
            #expect(try await fixture.post("/vaca/access", form: String(text)).status == 200)
        }
    }

    @Test func assertionsOfOthersAreRefused() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            func refuses(_ form: String, _ what: String) async throws {
                let answer = try await fixture.post("/vaca/auth", form: form)
                #expect(answer.status == 401 && answer.error == "invalid_client", "\(what): \(answer.text)")
            }
            try await refuses(authForm(fixture, key: fixture.other.key), "key of another csi")
            try await refuses(authForm(fixture, by: TokenFixture.CsiIdentity("z")), "unknown csi")
            try await refuses(authForm(fixture, audience: TokenFixture.base + "/vaca/access"), "audience")
            try await refuses(authForm(fixture, audience: "http://study.example/vaca/auth"), "scheme")
            try await refuses(authForm(fixture, seconds: 301), "future")
            try await refuses(authForm(fixture, seconds: -601), "over")
            // J14: the assertion of one call at the other, which expects other fields.
            let form = try authForm(fixture).replacingOccurrences(of: "assertion_type", with: "client_assertion_type")
                .replacingOccurrences(of: "&assertion=", with: "&code=c&client_assertion=")
            #expect(try await fixture.post("/vaca/access", form: form).status == 401)
            // None of them used up anything.
            let right = try authForm(fixture)
            #expect(try await fixture.post("/vaca/auth", form: right).status == 200)
            try await refuses(right, "second use")
            try await fixture.rows.end(csi: fixture.app.guid.text, at: fixture.clock.now)
            try await refuses(authForm(fixture, seconds: 1), "ended csi")
        }
    }

    @Test func clocksOfDevicesMayDifferByFiveMinutes() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            for seconds in [-300.0, -1, 300] {
                let code = try await code(fixture, seconds: seconds)
                #expect(try await redeem(fixture, code).status == 200)
            }
        }
    }

    @Test func codeCountsOnceForAMinuteAndItsCsi() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna"])
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let code = try await code(fixture)
            func refuses(_ answer: TokenReply, _ what: String) {
                #expect(answer.status == 400 && answer.error == "invalid_grant", "\(what): \(answer.text)")
            }
            refuses(try await redeem(fixture, code, by: fixture.other), "another csi")
            refuses(try await redeem(fixture, "unknown"), "unknown")
            let token = try await redeem(fixture, code).text
            #expect(try await fixture.ask("/fhir/Patient/anna", token: token).status == 200)
            // A second use ends the token.
            refuses(try await redeem(fixture, code), "second use")
            #expect(try await fixture.ask("/fhir/Patient/anna", token: token).status == 401)
            let late = try await self.code(fixture, seconds: 1)
            fixture.clock.advance(60)
            refuses(try await redeem(fixture, late), "late")
            let stored = try await fixture.database.contents(["csi_token_code", "bearer_token", "audit"])
            #expect(!stored.contains(code) && !stored.contains(token))
        }
    }

    /// S15: one of many concurrent uses gets the token, and the others end it.
    @Test func concurrentUsesOfACodeGiveOneToken() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let code = try await code(fixture)
            let answers = try await withThrowingTaskGroup(of: TokenReply.self) { group in
                for _ in 0..<10 { group.addTask { try await redeem(fixture, code) } }
                return try await group.reduce(into: [TokenReply]()) { $0.append($1) }
            }
            let issued = answers.filter { $0.status == 200 }
            #expect(issued.count == 1)
            #expect(try await fixture.access.tokens.grant(bearer: try #require(issued.first).text) == nil)
        }
    }

    @Test func permissionThatEndsBeforeTheCodeIsUsedGivesNoToken() async throws {
        try await TokenFixture.with { fixture async throws in
            let none = try await fixture.post("/vaca/auth", form: authForm(fixture))
            #expect(none.status == 400 && none.error == "invalid_scope")
            // The refused request is used up all the same.
            let again = try await fixture.post("/vaca/auth", form: authForm(fixture))
            #expect(again.error == "invalid_client", "the signatures differ, the payloads do not")
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            let code = try await code(fixture, seconds: 2)
            try await fixture.rows.end("permission-anna", at: fixture.clock.now)
            let answer = try await redeem(fixture, code)
            #expect(answer.status == 400 && answer.error == "invalid_scope")
            let reasons = try await fixture.reasons(of: "authorize-app")
            #expect(reasons.last == "permission-missing" && reasons.contains("permitted"))
        }
    }

    /// Quirks: `+` as a blank, and a blank instead of the dot before the signature.
    @Test func blanksInAssertionsAreAccepted() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            for second in 0..<8 {
                var form = try authForm(fixture, seconds: Double(second))
                if second.isMultiple(of: 2), let dot = form.lastIndex(of: ".") {
                    form.replaceSubrange(dot...dot, with: " ")
                }
                let answer = try await fixture.post(
                    "/vaca/auth", form: second.isMultiple(of: 4) ? form.replacingOccurrences(of: "+", with: " ") : form)
                #expect(answer.status == 200, "\(answer.text)")
            }
        }
    }

    @Test func oldCodesAreRemoved() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.rows.permit(fixture.app.guid.text, patients: ["anna"], terms: Self.terms)
            for second in 0..<3 { _ = try await code(fixture, seconds: Double(second)) }
            fixture.clock.advance(LegacyTokenStore.codeLifetime + LegacyTokenStore.tokenLifetime)
            _ = try await code(fixture)
            let count = try await fixture.database.read {
                try $0.first("SELECT count(*) AS number FROM csi_token_code")?.integer("number")
            }
            #expect(count == 1)
        }
    }

    @Test func codesAreFoundByIndexes() async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.database.write { transaction in
                for (sql, parameters) in [
                    (LegacyTokenStore.codeSQL, [SQLValue("d")]), (LegacyTokenStore.removalSQL, ["t"]),
                    (CsiInstance.sql, ["g"]),
                ] {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    #expect(!plan.readsAll, "\(plan)")
                    #expect(!plan.sorts || TestEngine.chosen == .postgresql, "\(plan)")
                }
            }
        }
    }
}
