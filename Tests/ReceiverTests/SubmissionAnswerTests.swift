import Foundation
import ServerHTTP
import Testing
import Wire

@testable import Receiver

/// Recognition of a response of the study, and of its submission, by a phone.
@Suite(.timeLimit(.minutes(10)))
struct SubmissionAnswerTests {
    @Test func storedSubmissionIsAcknowledgedWithItsID() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            // Also for a repetition: the first response may have been lost.
            for path in ["/encfhir", "/c3pro/encfhir/Observation", "/fhirenc"] {
                let answer = try await study.send("POST", path, token: device.token, body: bytes)
                #expect(answer.status == 200)
                #expect(
                    answer.text == #"{"status":"received","submission":"\#(submissionID.uuidString.lowercased())"}"#)
                #expect(answer.header("Content-Type") == "application/json")
                #expect(answer.header("Cache-Control") == "no-store")
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 1)
        }
    }

    @Test func refusalBeforeTheBodyNamesTheIDOfTheHeader() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let header = [StudyPath.submissionHeader: submissionID.uuidString]
            let large = Data(repeating: 65, count: 30_000)
            let cases:
                [(path: String, antispam: String?, token: String?, more: [String: String], body: Data, code: String)] =
                    [
                        ("/encfhir", nil, device.token, [:], Data(), "antispam-invalid"),
                        ("/encfhir", antispamWord, nil, [:], Data(), "token-missing"),
                        ("/encfhir", antispamWord, "wrong", [:], Data(), "token-invalid"),
                        ("/encfhir/Pat1ent", antispamWord, device.token, [:], Data(), "path-invalid"),
                        ("/encfhir", antispamWord, device.token, [:], large, "body-too-large"),
                        (
                            "/encfhir", antispamWord, device.token, ["Content-Encoding": "gzip"], Data("x".utf8),
                            "encoding-not-supported"
                        ),
                        // The body is read, and contains no id.
                        ("/encfhir", antispamWord, device.token, [:], Data("{}".utf8), "envelope-malformed"),
                    ]
            for item in cases {
                func send(_ headers: [String: String]) async throws -> Answer {
                    try await study.send(
                        "POST", item.path, antispam: item.antispam, token: item.token,
                        headers: headers.merging(item.more) { $1 }, body: item.body)
                }
                let answer = try await send(header)
                #expect(answer.problemCode == item.code)
                #expect(answer.submission == submissionID.uuidString.lowercased(), "\(item.code)")
                // Without an id in the header the response has none, and nothing else is repeated.
                #expect(try await send([:]).submission == nil, "\(item.code)")
                let planted = try await send([StudyPath.submissionHeader: "planted-text"])
                #expect(planted.submission == nil && !planted.text.contains("planted"), "\(item.code)")
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 0)
        }
    }

    @Test func envelopesIDHasPriorityOverTheHeader() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let other = [StudyPath.submissionHeader: UUID().uuidString]
            let first = try await study.send(
                "POST", "/encfhir", token: device.token, headers: other, body: envelope(submissionID))
            #expect(first.status == 200 && first.submission == submissionID.uuidString.lowercased())
            let conflict = try await study.send(
                "POST", "/encfhir", token: device.token, headers: other, body: envelope(submissionID))
            #expect(conflict.status == 409 && conflict.submission == submissionID.uuidString.lowercased())
        }
    }

    @Test func c3proEnvelopeIsRefusedWithItsOwnIDIfTheStudyDoesNotAcceptIt() async throws {
        let message = c3proEnvelope()
        let submissionID = try EnvelopeHeader.read(from: message).listedSubmissionID
        try await Study.with(changing(\.acceptC3PRO, false)) { study in
            let device = try await study.device()
            for path in ["/encfhir", "/c3pro/encfhir/QuestionnaireResponse"] {
                let answer = try await study.send("POST", path, token: device.token, body: message)
                #expect(answer.status == 422 && answer.problemCode == "c3pro-not-accepted")
                #expect(answer.submission == submissionID)
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 0)
            // A JWE is still accepted.
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
        }
    }

    @Test func fullBodyBudgetAsksTheSenderToRetry() async throws {
        let bodies = BodyBudget(bytes: 50_000, smallBody: 100)
        try await Study.with(changing(\.bodies, bodies)) { study in
            let device = try await study.device()
            let submissionID = UUID()
            let held = try bodies.reserve(37_000)
            let bytes = try envelope(submissionID, payload: String(repeating: "x", count: 2_000))
            let busy = try await study.send(
                "POST", "/encfhir", token: device.token, headers: [StudyPath.submissionHeader: submissionID.uuidString],
                body: bytes)
            #expect(busy.status == 503 && busy.problemCode == "server-busy" && busy.retryAfter == 2)
            #expect(busy.submission == submissionID.uuidString.lowercased())
            #expect(bodies.bytesInFlight == 37_000)
            held.release()
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: bytes).status == 200)
            // After any response the reservation is released.
            _ = try await study.send("POST", "/encfhir", token: device.token, body: Data("nonsense".utf8))
            _ = try await study.send("POST", "/encfhir", token: device.token, body: Data(count: 30_000))
            #expect(bodies.bytesInFlight == 0)
        }
    }
}
