import Foundation
import ServerHTTP
import Storage
import StorageTestSupport
import Submissions
import Testing
import Wire

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct RateTests {
    private static func with(
        _ rates: [RateClass: (perSecond: Double, burst: Int)],
        _ body: @escaping @Sendable (Study) async throws -> Void
    ) async throws {
        let clock = TestClock()
        try await Study.with(changing(\.limiter, try limiter(rates, clock)), clock: clock, body)
    }

    @Test func registrationsOfAnAddressAreLimited() async throws {
        try await Self.with([.registrationByAddress: (0.1, 2)]) { study in
            for _ in 0..<2 { #expect(try await study.register(Made.receipt()).status == 201) }
            let third = try await study.register(Made.receipt())
            #expect(third.status == 429 && third.retryAfter == 10 && third.oauthError == "temporarily_unavailable")
            // Its log line is below the default log level of a study.
            let line = try #require(study.log.lines.last)
            #expect(line.contains("rate-limited") && line.hasPrefix("info "))
            study.clock.advance(10)
            #expect(try await study.register(Made.receipt()).status == 201)
            #expect(try await study.count("client") == 3)
        }
    }

    @Test func registrationsWithAReceiptAreLimited() async throws {
        try await Self.with([.registrationByReceipt: (0.1, 2)]) { study in
            let receipt = try Made.receipt()
            for _ in 0..<2 { #expect(try await study.register(receipt).status == 201) }
            let third = try await study.register(receipt)
            #expect(third.status == 429 && third.retryAfter == 10)
            // The enrolment that it would have replaced stays, and other devices are not affected.
            #expect(try await study.register(Made.receipt()).status == 201)
            #expect(try await study.count("client") == 3)
        }
    }

    @Test func tokensOfAClientAreLimited() async throws {
        try await Self.with([.tokenByClient: (0.5, 2)]) { study in
            let device = try await study.device()
            let other = try await study.device()
            #expect(try await study.token(device.id, device.secret).status == 200)
            let third = try await study.token(device.id, device.secret)
            #expect(third.status == 429 && third.retryAfter == 2 && third.oauthError == "temporarily_unavailable")
            // Guesses of a secret count for its client.
            #expect(try await study.token(device.id, "guess").status == 429)
            #expect(try await study.token(other.id, other.secret).status == 200)
        }
    }

    @Test func guessingSecretsDoesNotBlockOthersOfTheSameAddress() async throws {
        try await Self.with([.tokenByAddress: (1, 3)]) { study in
            let device = try await study.device()
            for _ in 0..<3 { #expect(try await study.token("nobody", "guess").status == 401) }
            let fourth = try await study.token("nobody", "guess")
            #expect(fourth.status == 429 && fourth.retryAfter == 1)
            #expect(try await study.token(device.id, device.secret).status == 200)
        }
    }

    @Test func senderOfMalformedRequestsIsRateLimited() async throws {
        try await Self.with([.tokenByAddress: (1, 3)]) { study in
            let device = try await study.device()
            for _ in 0..<3 {
                let answer = try await study.send("POST", "/oauth", antispam: nil, body: Data())
                #expect(answer.status == 400 && answer.oauthError == "invalid_request")
            }
            #expect(try await study.send("POST", "/oauth", antispam: nil, body: Data()).status == 429)
            #expect(try await study.token(device.id, device.secret).status == 200)
        }
    }

    /// The limiter stores the client id that a stranger sends: it must not be as long as a body.
    @Test func invalidClientIDIsNotStoredByTheLimiter() async throws {
        let limiter = RateLimiter()
        try await Study.with(changing(\.limiter, limiter)) { study in
            #expect(try await study.token("nobody", "guess").status == 401)
            let known = limiter.keys
            for number in 0..<20 {
                let answer = try await study.token("\(number)" + String(repeating: "a", count: 5_000), "guess")
                #expect(answer.status == 401 && answer.oauthError == "invalid_client")
            }
            #expect(limiter.keys == known)
        }
    }

    @Test func submissionsOfADeviceAreLimited() async throws {
        try await Self.with([.submissionByClient: (0.5, 2)]) { study in
            let device = try await study.device()
            let other = try await study.device()
            for _ in 0..<2 {
                #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
            }
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            let third = try await study.send(
                "POST", "/encfhir", token: device.token, headers: [StudyPath.submissionHeader: submissionID.uuidString],
                body: bytes)
            #expect(third.status == 429 && third.problemCode == "rate-limited" && third.retryAfter == 2)
            #expect(third.submission == submissionID.uuidString.lowercased())
            #expect(try await study.queue.status(now: study.clock.now).depth == 2)
            // Of twenty phones with one address one does not block another.
            #expect(try await study.send("POST", "/encfhir", token: other.token, body: envelope()).status == 200)
            study.clock.advance(2)
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: bytes).status == 200)
        }
    }

    @Test func readsOfADeviceAndOfAnAddressAreLimited() async throws {
        try await Self.with([.readByAddress: (1, 3)]) { study in
            let device = try await study.device()
            for path in ["/deliveries", "/fhir/Questionnaire/sleep", "/deliveries"] {
                #expect(try await study.send("GET", path, token: device.token).status == 200)
            }
            let refused = try await study.send("GET", "/deliveries", token: device.token)
            #expect(refused.status == 429 && refused.problemCode == "rate-limited" && refused.retryAfter == 1)
            let inFHIR = try await study.send("GET", "/fhir/Questionnaire/sleep", token: device.token)
            #expect(inFHIR.status == 429 && inFHIR.outcomeCode == "rate-limited" && inFHIR.retryAfter == 1)
            #expect(inFHIR.text.contains(#""code":"throttled""#))
            for _ in 0..<3 { #expect(try await study.send("GET", "/health").status == 200) }
            #expect(try await study.send("GET", "/.well-known/jwks.json").status == 429)
            // Of the devices with one address none blocks another.
            let other = try await study.device()
            #expect(try await study.send("GET", "/deliveries", token: other.token).status == 200)
            // Submissions are not reads.
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
        }
    }

    @Test func addressesAreLimitedSeparately() async throws {
        try await Self.with([.unauthenticatedByAddress: (1, 5)]) { study in
            func ask(_ address: String) async throws -> Int {
                try await study.post("/encfhir", from: address, body: unreadable)
            }
            // A subscriber has a whole IPv6 network.
            let asked = [
                ("192.0.2.1", [401, 401, 401, 401, 401, 429]), ("192.0.2.2", [401]),
                ("2001:db8::1", [401, 401]), ("2001:db8::2", [401, 401, 401]), ("2001:db8::ffff", [429]),
                ("2001:db8:0:1::1", [401]),
            ]
            for (address, statuses) in asked {
                for status in statuses {
                    let answer = try await ask(address)
                    #expect(answer == status, "\(address)")
                }
            }
        }
    }

    @Test func unauthenticatedFloodIsCountedAndNotWritten() async throws {
        try await Self.with([.unauthenticatedByAddress: (20, 300)]) { study in
            let before = try await Self.rows(of: study)
            var statuses: [Int: Int] = [:]
            for number in 0..<600 {
                let answer =
                    switch number % 4 {
                    case 0: try await study.send("POST", "/encfhir", antispam: "wrong")
                    case 1: try await study.send("POST", "/encfhir", token: "wrong")
                    case 2: try await study.send("GET", "/fhir/Questionnaire/sleep")
                    default: try await study.send("GET", "/deliveries", token: "wrong")
                    }
                statuses[answer.status, default: 0] += 1
                if answer.status == 429 { #expect(answer.retryAfter == 1) }
            }
            #expect(statuses == [401: 300, 429: 300])
            let counted = try await study.counted()
            #expect(counted == ["antispam-invalid": 75, "token-invalid": 150, "token-missing": 75])
            // One row for each code in a minute, and no other rows.
            #expect(try await Self.rows(of: study) == before + 3)
            study.clock.advance(60)
            #expect(try await study.send("GET", "/deliveries", token: "wrong").status == 401)
            #expect(try await study.counted()["token-invalid"] == 151)
            #expect(try await Self.rows(of: study) == before + 4)
        }
    }

    /// Returns the number of rows of all tables.
    private static func rows(of study: Study) async throws -> Int {
        let tables = try await study.database.read { try $0.tableNames() }
        var sum = 0
        for table in tables { sum += try await study.count(table) }
        return sum
    }

    @Test func heldSubmissionsOfADeviceAreLimited() async throws {
        let size = try envelope().count
        let limits = ReceiverConfiguration.Limits(maximumBodyBytes: 20_000, heldBytesPerDevice: size * 9 / 5)
        try await Study.with(changing(\.limits, limits)) { study in
            let device = try await study.device()
            let other = try await study.device()
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
            // Submissions that are only received do not count: the consumer will process them.
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
            try await study.settle([
                SubmissionOutcome(status: .held, reasonCode: "consent-required"), SubmissionOutcome(status: .stored),
            ])
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            let refused = try await study.send("POST", "/encfhir/Observation", token: device.token, body: bytes)
            #expect(refused.status == 429 && refused.problemCode == "device-quota" && refused.retryAfter == 3600)
            #expect(refused.submission == submissionID.uuidString.lowercased())
            #expect(try await study.count("submission") == 2)
            // Another device has its own limit; and submissions that may end the hold are accepted.
            #expect(try await study.send("POST", "/encfhir", token: other.token, body: envelope()).status == 200)
            for type in ["Contract", "Consent"] {
                let consent = try await study.send("POST", "/encfhir/\(type)", token: device.token, body: envelope())
                #expect(consent.status == 200, "\(type)")
            }
            // Once nothing is held, the refused submission is accepted.
            let enrolmentID = try #require(try await study.access.authenticate(bearer: device.token)?.enrolmentID)
            #expect(try await study.queue.release(.deviceQueue(enrolmentID), at: study.clock.now) == 1)
            #expect(
                try await study.send("POST", "/encfhir/Observation", token: device.token, body: bytes).status == 200)
        }
    }
}
