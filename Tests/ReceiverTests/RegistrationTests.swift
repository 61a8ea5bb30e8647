import Foundation
import Testing
import Wire

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct RegistrationTests {
    @Test func receiptIsExchangedForCredentialsAndAToken() async throws {
        try await Study.with { study in
            let answer = try await study.register(Made.receipt())
            #expect(answer.status == 201)
            #expect(answer.header("Cache-Control") == "no-store" && answer.header("Pragma") == "no-cache")
            let credentials = try #require(RegistrationResponse(reading: answer.body))
            #expect(credentials.grantTypes == ["client_credentials"] && credentials.clientSecretExpiresAt == 0)
            #expect(credentials.clientIDIssuedAt == 1_767_225_600)
            let issued = try await study.token(credentials.clientID, credentials.clientSecret)
            #expect(issued.status == 200)
            #expect(issued.header("Cache-Control") == "no-store" && issued.header("Pragma") == "no-cache")
            let token = try #require(TokenResponse(reading: issued.body))
            #expect(token.tokenType == "bearer" && token.expiresIn == 1800 && token.accessToken.count == 43)
            #expect(try await study.send("GET", "/deliveries", token: token.accessToken).status == 200)
            study.clock.advance(1801)
            let expired = try await study.send("GET", "/deliveries", token: token.accessToken)
            #expect(expired.status == 401 && expired.problemCode == "token-invalid")
        }
    }

    @Test func antispamWordIsCheckedFirst() async throws {
        try await Study.with { study in
            for word in [nil, "", "wrong", antispamWord + "x"] {
                let answer = try await study.register(Made.receipt(), antispam: word)
                #expect(answer.status == 401 && answer.oauthError == "unauthorized_client")
                let nonsense = try await study.send(
                    "POST", "/register", antispam: word, body: Data(repeating: 65, count: 50_000))
                #expect(nonsense.status == 401 && nonsense.oauthError == "unauthorized_client")
            }
            #expect(try await study.count("client") == 0)
        }
    }

    @Test func badRegistrationsHaveTheirError() async throws {
        try await Study.with { study in
            let otherRoot = try AppReceipt.makeDevelopmentRoot()
            let foreign = try AppReceipt.makeDevelopment(bundleIdentifier: bundle, root: otherRoot)
            let cases: [(body: String, status: Int, error: String, log: String)] = [
                // The log has one line for each code in a second: cases of one code follow each other.
                ("", 400, "invalid_request", "json-invalid"),
                (String(repeating: "[", count: 15_000), 400, "invalid_request", "json-invalid"),
                ("[]", 400, "invalid_request", "json-invalid"),
                (#"{"receipt-data":"#, 400, "invalid_request", "json-invalid"),
                ("{}", 400, "invalid_request", "receipt-missing"),
                (#"{"receipt-data":7}"#, 400, "invalid_request", "receipt-missing"),
                (#"{"receipt-data":""}"#, 401, "invalid_client", "receipt-malformed"),
                (#"{"receipt-data":"NO-APP-RECEIPT"}"#, 401, "invalid_client", "receipt-malformed"),
                (#"{"receipt-data":"AAAA"}"#, 401, "invalid_client", "receipt-malformed"),
                (
                    #"{"receipt-data":"\#(foreign.base64EncodedString())"}"#, 401, "invalid_client",
                    "receipt-untrusted"
                ),
                (
                    #"{"receipt-data":"\#(try Made.receipt("org.other").base64EncodedString())"}"#, 401,
                    "invalid_client", "receipt-other-app"
                ),
                (
                    #"{"receipt-data":"\#(String(repeating: "A", count: 30_000))"}"#, 413, "invalid_request",
                    "body-too-large"
                ),
            ]
            for item in cases {
                let answer = try await study.send("POST", "/register", body: Data(item.body.utf8))
                #expect(answer.status == item.status && answer.oauthError == item.error, "\(item.log)")
                #expect(answer.json["error_description"] is String)
                #expect(study.log.lines.last?.contains(item.log) == true, "\(item.log)")
            }
            #expect(try await study.count("client") == 0)
        }
    }

    @Test func base64WithLineBreaksIsRead() async throws {
        try await Study.with { study in
            let lines = try Made.receipt().base64EncodedString(options: [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ])
            let body = try JSONSerialization.data(withJSONObject: ["receipt-data": lines, "sandbox": true])
            #expect(try await study.send("POST", "/c3pro/register", body: body).status == 201)
        }
    }

    @Test func theSameReceiptReplacesItsClientAndKeepsTheDevice() async throws {
        try await Study.with { study in
            let receipt = try Made.receipt()
            let first = try await study.device(receipt)
            // The enrolment to which the records store binds a participant.
            let enrolment = try #require(try await study.access.authenticate(bearer: first.token)?.enrolmentID)
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            #expect(try await study.send("POST", "/encfhir", token: first.token, body: bytes).status == 200)
            let second = try await study.device(receipt)
            #expect(second.id != first.id)
            #expect(try await study.send("GET", "/deliveries", token: first.token).status == 401)
            #expect(try await study.token(first.id, first.secret).oauthError == "invalid_client")
            #expect(try await study.access.authenticate(bearer: second.token)?.enrolmentID == enrolment)
            // It reads the outcomes of its earlier submissions, and a repeated submission is stored once.
            #expect(
                try await study.send("GET", "/deliveries", token: second.token).text.contains(
                    submissionID.uuidString.lowercased()))
            #expect(try await study.send("POST", "/encfhir", token: second.token, body: bytes).status == 200)
            #expect(try await study.queue.status(now: study.clock.now).depth == 1)
            #expect(try await study.count("enrolment") == 1)
        }
    }

    @Test func revokedDeviceCannotRegisterAgain() async throws {
        try await Study.with { study in
            let receipt = try Made.receipt()
            let device = try await study.device(receipt)
            let enrolment = try #require(try await study.access.authenticate(bearer: device.token)?.enrolmentID)
            // Also while the receiver still has the token in its cache.
            let known = try envelope()
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: known).status == 200)
            #expect(try await study.access.revoke(enrolment: enrolment))
            for body in [known, try envelope()] {
                let refused = try await study.send("POST", "/encfhir", token: device.token, body: body)
                #expect(refused.status == 401 && refused.text.contains("token-invalid"))
            }
            #expect(try await study.count("submission") == 1)
            #expect(try await study.token(device.id, device.secret).oauthError == "invalid_client")
            let again = try await study.register(receipt)
            #expect(again.status == 403 && again.oauthError == "unauthorized_client")
            #expect(study.log.lines.last?.contains("enrolment-revoked") == true)
            // Another device has its own enrolment.
            #expect(try await study.register(Made.receipt()).status == 201)
        }
    }

    @Test func tokensAreIssuedForEveryRequestFormOfC3PROsApps() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let basic = "Basic " + Data("\(device.id):\(device.secret)".utf8).base64EncodedString()
            let encoded = device.id.replacingOccurrences(of: "-", with: "%2D")
            let encodedBasic = "bAsIc  " + Data("\(encoded):\(device.secret)".utf8).base64EncodedString()
            let inBody = "grant_type=client_credentials&client_id=\(encoded)&client_secret=\(device.secret)"
            let ways: [(path: String, authorization: String?, body: String)] = [
                ("/oauth", basic, "grant_type=client_credentials"),
                ("/oauth/token", basic, "grant_type=client%5Fcredentials&scope=a+b"),
                ("/oauth?grant_type=client_credentials", basic, ""),
                ("/c3pro/oauth?grant_type=client_credentials", encodedBasic, ""),
                ("/c3pro/oauth/token", nil, inBody),
                ("/oauth", basic, "grant_type=client_credentials&client_id=\(device.id)"),
            ]
            for way in ways {
                let answer = try await study.send(
                    "POST", way.path, antispam: nil, headers: way.authorization.map { ["Authorization": $0] } ?? [:],
                    body: Data(way.body.utf8))
                #expect(answer.status == 200, "\(way.path)")
            }
        }
    }

    @Test func badTokenRequestsHaveTheirError() async throws {
        try await Study.with { study in
            let device = try await study.device()
            func basic(_ text: String) -> [String: String] {
                ["Authorization": "Basic " + Data(text.utf8).base64EncodedString()]
            }
            let good = basic("\(device.id):\(device.secret)")
            let grant = "grant_type=client_credentials"
            let cases: [(headers: [String: String], body: String, status: Int, error: String)] = [
                (good, "", 400, "invalid_request"),
                (good, "grant_type=", 400, "invalid_request"),
                (good, "\(grant)&\(grant)", 400, "invalid_request"),
                (good, "grant_type=%ZZ", 400, "invalid_request"),
                (good, "grant_type=password", 400, "unsupported_grant_type"),
                (good, "\(grant)&client_secret=\(device.secret)", 400, "invalid_request"),
                (good, "\(grant)&client_id=other", 400, "invalid_request"),
                (good, String(repeating: "a", count: 17_000), 413, "invalid_request"),
                ([:], grant, 401, "invalid_client"),
                ([:], "\(grant)&client_id=\(device.id)", 401, "invalid_client"),
                ([:], "\(grant)&client_id=\(device.id)&client_secret=wrong", 401, "invalid_client"),
                (basic("\(device.id):wrong"), grant, 401, "invalid_client"),
                (basic("nobody:\(device.secret)"), grant, 401, "invalid_client"),
                (basic("a\u{0}b:x"), grant, 401, "invalid_client"),
                (basic("nocolon"), grant, 401, "invalid_client"),
                (["Authorization": "Basic %%%"], grant, 401, "invalid_client"),
                (["Authorization": "Bearer \(device.token)"], grant, 401, "invalid_client"),
            ]
            for item in cases {
                let answer = try await study.send(
                    "POST", "/oauth", antispam: nil, headers: item.headers, body: Data(item.body.utf8))
                #expect(answer.status == item.status && answer.oauthError == item.error, "\(item.body)")
                #expect((answer.header("WWW-Authenticate") == "Basic") == (item.status == 401))
                #expect(answer.header("Cache-Control") == "no-store")
            }
            // A secret in the query would be written to every log on the way.
            let inQuery = try await study.send(
                "POST", "/oauth?\(grant)&client_id=\(device.id)&client_secret=\(device.secret)", antispam: nil)
            #expect(inQuery.oauthError == "invalid_client")
        }
    }
}
