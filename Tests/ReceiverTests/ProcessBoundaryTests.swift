import Foundation
import StorageTestSupport
import Testing

@testable import Receiver

/// The receiver opens only the queue's store: this limits what it can know and what it stores.
@Suite(.timeLimit(.minutes(10)))
struct ProcessBoundaryTests {
    @Test func staffTokensAreUnknownWithoutTheRecordsStore() async throws {
        try await Study.with { study in
            let answer = try await study.send("GET", "/fhir/Questionnaire/sleep", token: staffToken)
            #expect(answer.status == 401 && answer.outcomeCode == "token-invalid")
        }
    }

    @Test func staffReadOnlyPublishedContentWithTheRecordsStore() async throws {
        try await Study.with(changing(\.authenticateStaff, knowsStaff)) { study in
            let path = "/c3pro/fhir/Questionnaire/sleep"
            #expect(try await study.send("GET", path, token: staffToken).status == 200)
            #expect(try await study.send("GET", path, token: staffToken + "x").status == 401)
            for (method, path) in [("GET", "/deliveries"), ("POST", "/encfhir"), ("PUT", "/fhir/Patient/p")] {
                let answer = try await study.send(method, path, token: staffToken)
                #expect(answer.status == 401 && answer.code == "token-invalid", "\(path)")
            }
        }
    }

    @Test(.enabled(if: TestEngine.chosen == .sqlite, "it looks into the file"))
    func storeContainsNoSecretsAndNoNamesInPlainText() async throws {
        try await Study.with(changing(\.acceptPlainFHIR, true)) { study in
            let receipt = try Made.receipt()
            let device = try await study.device(receipt)
            let plain = Data(#"{"resourceType":"Patient","id":"planted-id","birthDate":"1990-02-02"}"#.utf8)
            #expect(
                try await study.send("PUT", "/fhir/Patient/planted-id", token: device.token, body: plain).status == 200)
            #expect(
                try await study.send(
                    "PUT", "/encfhir/Patient/planted-id", token: device.token, body: envelope(payload: "planted-clear")
                ).status == 200)
            _ = try await study.send("POST", "/encfhir", token: "planted-token", body: plain)
            _ = try await study.counted()
            var stored = Data()
            for suffix in ["", "-wal"] {
                stored += (try? Data(contentsOf: URL(fileURLWithPath: study.path + suffix))) ?? Data()
            }
            // The search finds content that is present.
            #expect(stored.range(of: Data(device.id.utf8)) != nil)
            for secret in ["planted", "Planted Name", "1990-02-02", device.secret, device.token, antispamWord] {
                #expect(stored.range(of: Data(secret.utf8)) == nil, "\(secret)")
            }
            #expect(stored.range(of: receipt) == nil)
        }
    }
}
