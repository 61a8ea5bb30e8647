import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import ServerHTTP
import Storage
import Testing
import Wire

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct RouteTests {
    @Test func registeredRoutesAreThoseOfTheTable() async throws {
        func compare(_ table: RouteTable) {
            let registered = table.paths.map { "\($0.method.rawValue) \($0.path)" }.sorted()
            let expected = ExpectedRoute.table.filter { $0.proof != .deviceOrStaffToken }
                .map { "\($0.method) \(RouterPath($0.path))" }.sorted()
            #expect(registered == expected && Set(expected).count == expected.count)
        }
        try await Study.with(inspect: compare) { _ in }
        #expect(Set(ExpectedRoute.table.map(\.proof)) == Set(ExpectedRoute.Proof.allCases))
        for route in ExpectedRoute.table where !route.path.hasPrefix("/c3pro") {
            #expect(ExpectedRoute.table.contains { $0.path == "/c3pro" + route.path && $0.proof == route.proof })
        }
    }

    private static func path(_ route: ExpectedRoute) -> String {
        route.path.replacingOccurrences(of: ":type", with: "Patient").replacingOccurrences(of: ":id", with: "sleep")
    }

    /// Every route of the table with every kind of wrong credentials.
    @Test(arguments: ExpectedRoute.table)
    func everyRouteRefusesWrongProofs(route: ExpectedRoute) async throws {
        try await Study.with(changing(\.authenticateStaff, knowsStaff)) { study in
            let device = try await study.device()
            let staff = staffToken
            let body = try envelope()
            func status(_ antispam: String?, token: String?, authorization: String? = nil) async throws -> (
                Int, String?
            ) {
                let answer = try await study.send(
                    route.method, Self.path(route), antispam: antispam, token: token,
                    headers: authorization.map { ["Authorization": $0] } ?? [:],
                    body: route.method == "GET" ? nil : body)
                if answer.status == 401 { #expect(answer.header("WWW-Authenticate") != nil) }
                return (answer.status, answer.code)
            }
            switch route.proof {
            case .none:
                #expect(try await status(nil, token: nil).0 == 200)
                #expect(try await status("wrong", token: "wrong").0 == 200)
            case .antispamAndReceipt:
                for word in [nil, "", "wrong"] {
                    #expect(try await status(word, token: device.token) == (401, "unauthorized_client"))
                }
                #expect(try await status(antispamWord, token: device.token) == (400, "invalid_request"))
            case .clientSecret:
                #expect(try await status(antispamWord, token: device.token).0 == 400)
            case .antispamAndDeviceToken:
                for word in [nil, "", "wrong"] {
                    #expect(try await status(word, token: device.token) == (401, "antispam-invalid"))
                }
                #expect(try await status(antispamWord, token: nil) == (401, "token-missing"))
                #expect(try await status(antispamWord, token: "") == (401, "token-invalid"))
                #expect(try await status(antispamWord, token: "wrong") == (401, "token-invalid"))
                #expect(
                    try await status(antispamWord, token: nil, authorization: "Basic \(device.token)") == (
                        401, "token-invalid"
                    ))
                #expect(
                    try await status(antispamWord, token: nil, authorization: device.token) == (401, "token-invalid"))
                #expect(try await status(antispamWord, token: staff) == (401, "token-invalid"))
                #expect(try await status(antispamWord, token: device.secret) == (401, "token-invalid"))
                #expect(try await study.queue.status(now: study.clock.now).depth == 0)
                // The Patient of C3-PRO's apps is accepted in plain text, and this body is not one; other plain
                // resources are refused.
                let expected = !route.path.contains("/fhir/") ? 200 : route.method == "PUT" ? 400 : 403
                #expect(try await status(antispamWord, token: device.token).0 == expected)
                #expect(
                    try await status(antispamWord, token: nil, authorization: "bearer  \(device.token)").0 == expected)
            case .deviceToken:
                #expect(try await status(nil, token: nil) == (401, "token-missing"))
                #expect(try await status(nil, token: "wrong") == (401, "token-invalid"))
                #expect(try await status(nil, token: staff) == (401, "token-invalid"))
                #expect(try await status(nil, token: device.token).0 == 200)
            case .deviceOrStaffToken:
                #expect(try await status(nil, token: nil) == (401, "token-missing"))
                #expect(try await status(nil, token: "wrong") == (401, "token-invalid"))
                #expect(try await status(nil, token: staff).0 == 200)
                #expect(try await status(nil, token: device.token).0 == 200)
            }
        }
    }

    @Test func overASocketALargeBodyIsRefusedBeforeItIsRead() async throws {
        try await Study.with(live: true) { study in
            let large = Data(repeating: 65, count: 4_000_000)
            #expect(try await study.send("POST", "/encfhir", antispam: "wrong", body: large).status == 401)
            let device = try await study.device()
            let submissionID = UUID()
            let refused = try await study.send(
                "POST", "/encfhir", token: device.token, headers: [StudyPath.submissionHeader: submissionID.uuidString],
                body: large)
            #expect(refused.status == 413 && refused.submission == submissionID.uuidString.lowercased())
            // The connection and the next valid request work.
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
            #expect(try await study.send("HEAD", "/health").status == 405)
        }
    }

    @Test func otherMethodsAreRefused() async throws {
        try await Study.with { study in
            let device = try await study.device()
            for route in ExpectedRoute.table {
                let allowed = Set(ExpectedRoute.table.filter { Self.path($0) == Self.path(route) }.map(\.method))
                for method in Set(["GET", "HEAD", "DELETE", "PATCH", "POST", "PUT", "OPTIONS"]).subtracting(allowed) {
                    // The paths of published content match /fhir/:type and /fhir/:type/:id too.
                    if Self.path(route).contains("/fhir/"), ["PUT", "GET", "POST"].contains(method) { continue }
                    let answer = try await study.send(method, Self.path(route), token: device.token)
                    #expect(answer.status == 405, "\(method) \(Self.path(route))")
                    #expect(answer.header("Allow")?.isEmpty == false)
                }
            }
            #expect(try await study.send("GET", "/nowhere").status == 404)
            #expect(try await study.send("GET", "/encfhir").header("Allow") == "POST, PUT")
        }
    }

    @Test func fhirRoutesOfAnotherModuleCanBeAdded() async throws {
        let theirs = RouteTable.theirs(["/fhir/metadata", "/fhir/:type", "/fhir/:type/:id", "/fhir/:type/:id/_history"])
        try await Study.with(clients: [theirs]) { study in
            let device = try await study.device()
            for path in ["metadata", "Observation", "Observation/1", "Questionnaire/sleep/_history"] {
                #expect(try await study.send("GET", "/fhir/" + path).text == "theirs", "\(path)")
            }
            let ours = try await study.send("GET", "/fhir/Questionnaire/sleep", token: device.token)
            #expect(ours.text.contains("Questionnaire") && ours.status == 200)
            #expect(try await study.send("PUT", "/fhir/Questionnaire/sleep", token: device.token).status == 403)
            #expect(try await study.send("POST", "/fhir/Questionnaire", token: device.token).status == 403)
            #expect(try await study.send("DELETE", "/fhir/Observation/1", token: device.token).status == 405)
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ReadingTests {
    @Test func thePublishedKeysAreReadByADevice() async throws {
        try await Study.with { study in
            let answer = try await study.send("GET", "/.well-known/jwks.json", antispam: nil)
            #expect(answer.header("Content-Type") == "application/jwk-set+json")
            #expect(try PublicKey.read(from: answer.body) == Made.keys.map(\.publicKey))
            #expect(try await study.send("GET", "/health", antispam: nil).text == #"{"status":"ok"}"#)
        }
    }

    @Test(arguments: ["", "{}", #"{"keys":[]}"#, "nonsense"])
    func missingKeysAreReported(keys: String) async throws {
        try await Study.with(changing(\.publicKeys, { Data(keys.utf8) })) { study in
            let answer = try await study.send("GET", "/.well-known/jwks.json", antispam: nil)
            #expect(answer.status == 503 && answer.problemCode == "keys-unavailable")
        }
    }

    @Test func aPrivateKeyIsNeverPublished() async throws {
        // The private key of RFC 7517 appendix A.2.
        let keys = #"""
            {"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}]}
            """#
        try await Study.with(changing(\.publicKeys, { Data(keys.utf8) })) { study in
            let answer = try await study.send("GET", "/.well-known/jwks.json", antispam: nil)
            #expect(answer.text.contains("MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"))
            #expect(!answer.text.contains("870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"))
        }
    }

    @Test func logsCarryNoSecretsAndNoData() async throws {
        try await Study.with(changing(\.acceptPlainFHIR, true)) { study in
            let receipt = try Made.receipt()
            let device = try await study.device(receipt)
            let plain = Data(#"{"resourceType":"Patient","id":"planted-id","birthDate":"1990-02-02"}"#.utf8)
            _ = try await study.send("PUT", "/fhir/Patient/planted-id", token: device.token, body: plain)
            _ = try await study.send("POST", "/encfhir", antispam: "planted-guess", body: Data("planted-body".utf8))
            _ = try await study.send("POST", "/encfhir", token: "planted-token", body: plain)
            _ = try await study.send("POST", "/encfhir?planted-query=1", token: device.token, body: plain)
            _ = try await study.send("GET", "/deliveries?after=planted", token: device.token)
            _ = try await study.send("GET", "/fhir/Questionnaire/planted-id", token: device.token)
            _ = try await study.send("DELETE", "/encfhir/Patient/planted-id", token: device.token)
            _ = try await study.token(device.id, "planted-secret")
            let all = study.log.lines.joined(separator: "\n")
            #expect(study.log.lines.count == 10 && all.contains(device.id) && all.contains("token-invalid"))
            for secret in [
                "planted", device.secret, device.token, antispamWord, "1990", "Planted Name",
                String(receipt.base64EncodedString().prefix(40)),
            ] {
                #expect(!all.contains(secret), "\(secret)")
            }
        }
    }
}
