import FHIR
import Foundation
import HTTPTypes
import HummingbirdTesting
import ServerHTTP
import Storage
import Synchronization
import Testing

@Suite struct RecordsRateTests {
    private final class Clock: Sendable {
        private let seconds = Mutex(0.0)
        var now: Duration { .seconds(seconds.withLock { $0 }) }
        func advance(_ more: Double) { seconds.withLock { $0 += more } }
    }

    private func fixture(_ rateClass: RateClass, rate: Rate, clock: Clock) async throws -> RecordsFixture {
        var limits = RateLimits()
        limits[rateClass] = rate
        return try await RecordsFixture(limiter: RateLimiter(limits: limits, now: { clock.now }))
    }

    /// Returns the status, `Retry-After` and body.
    private func ask(
        _ fixture: RecordsFixture, _ path: String, token: String?
    ) async throws -> (status: Int, retryAfter: String?, json: JSON) {
        var fields: HTTPFields = [:]
        if let token { fields[.authorization] = "Bearer \(token)" }
        return try await fixture.application.test(.router) { [fields] client in
            try await client.execute(uri: path, method: .get, headers: fields) { answer in
                (
                    Int(answer.status.code), answer.headers[.retryAfter],
                    try JSON(Array(answer.body.readableBytesView))
                )
            }
        }
    }

    @Test func readsOfAnAddressAreLimited() async throws {
        let clock = Clock()
        let fixture = try await fixture(.readByAddress, rate: try Rate(perSecond: 0.25, burst: 3), clock: clock)
        try await fixture.put(observation("a"))
        for path in ["/fhir/Observation", "/fhir/Observation/a", "/fhir/Observation?code=x"] {
            #expect(try await ask(fixture, path, token: fixture.token).status == 200)
        }
        for path in ["/fhir/Observation", "/fhir/Observation/a", "/fhir/Observation?code=x"] {
            let refused = try await ask(fixture, path, token: fixture.token)
            #expect(refused.status == 429 && refused.retryAfter == "4")
            #expect(refused.json["resourceType"] == "OperationOutcome")
            #expect(refused.json["issue"]?[0]?["code"] == "throttled")
            #expect(refused.json["issue"]?[0]?["details"]?["text"] == "rate-limited")
        }
        // Refused reads are not audited as shown.
        #expect(try await fixture.access.audit.entries().filter { $0.role == "staff" }.count == 3)
        clock.advance(4)
        #expect(try await ask(fixture, "/fhir/Observation/a", token: fixture.token).status == 200)
        try await fixture.close()
    }

    /// A public document is charged by its bytes.
    @Test func documentsAreChargedByTheirBytes() async throws {
        let clock = Clock()
        let fixture = try await fixture(.readByAddress, rate: try Rate(perSecond: 10, burst: 40), clock: clock)
        let first = try await ask(fixture, "/openapi.json", token: nil)
        #expect(first.status == 200)
        let second = try await ask(fixture, "/fhir/metadata", token: nil)
        #expect(second.status == 429 && (Int(second.retryAfter ?? "") ?? 0) > 1)
        clock.advance(3600)
        #expect(try await ask(fixture, "/fhir/metadata", token: nil).status == 200)
        try await fixture.close()
    }

    @Test func aFloodWithoutATokenIsCountedAndNotWritten() async throws {
        let clock = Clock()
        let fixture = try await fixture(
            .unauthenticatedByAddress, rate: try Rate(perSecond: 1, burst: 100), clock: clock)
        try await fixture.put(observation("a"))
        let before = try await fixture.access.audit.entries().count
        var statuses: [Int: Int] = [:]
        for number in 0..<150 {
            let answer = try await ask(
                fixture, number % 2 == 0 ? "/fhir/Observation/a" : "/fhir/Patient", token: number % 3 == 0 ? nil : "x")
            statuses[answer.status, default: 0] += 1
        }
        #expect(statuses == [401: 100, 429: 50])
        #expect(fixture.refused.all == Array(repeating: "not-authenticated", count: 100))
        #expect(try await fixture.access.audit.entries().count == before)
        clock.advance(1)
        #expect(try await ask(fixture, "/fhir/Observation/a", token: fixture.token).status == 200)
        #expect(fixture.refused.all.count == 100)
        try await fixture.close()
    }

    @Test func strangerWithUnsupportedRequestsIsCountedAndRateLimited() async throws {
        let clock = Clock()
        let fixture = try await fixture(.unauthenticatedByAddress, rate: try Rate(perSecond: 1, burst: 3), clock: clock)
        var statuses: [Int] = []
        for _ in 0..<5 {
            statuses.append(try await ask(fixture, "/fhir/Patient?_format=turtle", token: nil).status)
        }
        #expect(statuses == [406, 406, 406, 429, 429])
        #expect(fixture.refused.all == Array(repeating: "format-unknown", count: 3))
        // An authenticated caller is refused without a limit, and counted.
        for _ in 0..<5 {
            #expect(try await ask(fixture, "/fhir/Observation/none", token: fixture.token).status == 404)
        }
        #expect(fixture.refused.all.filter { $0 == "record-unknown" }.count == 5)
        try await fixture.close()
    }
}
