import Synchronization
import Testing

@testable import ServerHTTP

@Suite struct RateLimiterTests {
    /// A clock that is set manually.
    final class Clock: Sendable {
        private let time = Mutex(Duration.zero)
        var now: Duration { time.withLock { $0 } }
        func advance(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    let clock = Clock()

    func limiter(_ perSecond: Double, _ burst: Int, maximumKeys: Int = 1_000) throws -> RateLimiter {
        var limits = RateLimits()
        limits[.tokenByClient] = try Rate(perSecond: perSecond, burst: burst)
        return RateLimiter(limits: limits, maximumKeys: maximumKeys, now: { [clock] in clock.now })
    }

    @Test func aBurstIsAllowedAndThenTheRate() throws {
        let limiter = try limiter(2, 3)
        for _ in 0..<3 { #expect(limiter.check("a", .tokenByClient) == .allowed) }
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 1))
        clock.advance(.milliseconds(500))
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 1))
        clock.advance(.seconds(3_600))
        for _ in 0..<3 { #expect(limiter.check("a", .tokenByClient) == .allowed) }
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 1))
    }

    @Test func retryGivesTheTimeOfTheNextToken() throws {
        let limiter = try limiter(0.1, 1)
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 10))
        clock.advance(.seconds(4))
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 6))
        clock.advance(.seconds(6))
        #expect(limiter.check("a", .tokenByClient) == .allowed)
    }

    @Test func refusedRequestsCostNothing() throws {
        let limiter = try limiter(1, 1)
        for _ in 0..<100 { _ = limiter.check("a", .tokenByClient) }
        clock.advance(.seconds(1))
        #expect(limiter.check("a", .tokenByClient) == .allowed)
    }

    @Test func keysAndClassesAreCountedApart() throws {
        let limiter = try limiter(1, 1)
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        #expect(limiter.check("b", .tokenByClient) == .allowed)
        #expect(limiter.check("a", .submissionByClient) == .allowed)
        #expect(limiter.check("a", .tokenByClient) != .allowed)
    }

    @Test func checkWithoutCostIsNotCounted() throws {
        let limiter = try limiter(1, 1)
        for _ in 0..<10 { #expect(limiter.check("a", .tokenByClient, cost: 0) == .allowed) }
        #expect(limiter.keys == 0)
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        #expect(limiter.check("a", .tokenByClient, cost: 0) == .retry(after: 1))
    }

    @Test func aClockSetBackGivesNothingAndTakesNothing() throws {
        let limiter = try limiter(1, 2)
        clock.advance(.seconds(100))
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        clock.advance(.seconds(-50))
        #expect(limiter.check("a", .tokenByClient) == .allowed)
        #expect(limiter.check("a", .tokenByClient) == .retry(after: 1))
    }

    @Test func numberOfKeysIsLimitedAndARefusedKeyStaysRefused() throws {
        let limiter = try limiter(0.001, 2, maximumKeys: 100)
        for _ in 0..<2 { #expect(limiter.check("busy", .tokenByClient) == .allowed) }
        for index in 0..<10_000 {
            _ = limiter.check("\(index)", .tokenByClient)
            // A key that is in constant use is never the oldest.
            #expect(limiter.check("busy", .tokenByClient) != .allowed)
            #expect(limiter.keys <= 100)
            clock.advance(.milliseconds(1))
        }
    }

    @Test func fullBucketsAreRemovedFirst() throws {
        var limits = RateLimits()
        limits[.tokenByClient] = try Rate(perSecond: 0.001, burst: 1)
        limits[.readByAddress] = try Rate(perSecond: 1_000, burst: 10)
        let limiter = RateLimiter(limits: limits, maximumKeys: 100, now: { [clock] in clock.now })
        #expect(limiter.check("old", .tokenByClient) == .allowed)
        clock.advance(.seconds(1))
        for index in 0..<99 { _ = limiter.check("\(index)", .readByAddress) }
        clock.advance(.seconds(1))
        _ = limiter.check("new", .readByAddress)
        #expect(limiter.keys == 2)
        #expect(limiter.check("old", .tokenByClient) != .allowed)
    }

    @Test func twentyPhonesOfOneAddressEmptyTheirQueuesAtOnce() {
        let limiter = RateLimiter(now: { [clock] in clock.now })
        for phone in 0..<20 {
            #expect(limiter.check("192.0.2.1", .registrationByAddress) == .allowed)
            #expect(limiter.check("192.0.2.1", .tokenByAddress) == .allowed)
            #expect(limiter.check("\(phone)", .tokenByClient) == .allowed)
            for _ in 0..<500 { #expect(limiter.check("\(phone)", .submissionByClient) == .allowed) }
            for _ in 0..<100 { #expect(limiter.check("192.0.2.1", .readByAddress) == .allowed) }
        }
    }

    @Test func ratesAreReadByName() throws {
        let rate = try Rate(perSecond: 7, burst: 9)
        let limits = try RateLimits(replacing: ["submission-by-client": rate])
        #expect(limits[.submissionByClient] == rate)
        #expect(limits[.tokenByClient] == RateLimits()[.tokenByClient])
        #expect { try RateLimits(replacing: ["submissions": rate]) } throws: {
            ($0 as? ServerHTTPError)?.code == "rate-class-unknown"
        }
    }

    @Test(arguments: [(0, 1), (-1, 1), (.nan, 1), (.infinity, 1), (1, 0), (1, 1_000_001)] as [(Double, Int)])
    func ratesOutOfBoundsAreRefused(perSecond: Double, burst: Int) {
        #expect { try Rate(perSecond: perSecond, burst: burst) } throws: {
            ($0 as? ServerHTTPError)?.code == "rate-invalid"
        }
    }

    @Test func aDebtIsPaidBeforeTheNextRequest() throws {
        var limits = RateLimits()
        limits[.readByAddress] = try Rate(perSecond: 1, burst: 10)
        let limiter = RateLimiter(limits: limits, now: { .zero })
        limiter.charge("a", .readByAddress, cost: 9)
        #expect(limiter.check("a", .readByAddress, cost: 0) == .allowed)
        limiter.charge("a", .readByAddress, cost: 4)
        #expect(limiter.check("a", .readByAddress) == .retry(after: 4))
        // The debt is limited.
        limiter.charge("a", .readByAddress, cost: 1_000_000)
        #expect(limiter.check("a", .readByAddress) == .retry(after: 11))
        #expect(limiter.check("b", .readByAddress) == .allowed)
    }

    @Test func returnedTokensAreAvailableAgain() throws {
        var limits = RateLimits()
        limits[.signInByAccount] = try Rate(perSecond: 0.001, burst: 2)
        let limiter = RateLimiter(limits: limits, now: { .zero })
        for _ in 0..<20 {
            #expect(limiter.check("a", .signInByAccount) == .allowed)
            limiter.giveBack("a", .signInByAccount)
        }
        for _ in 0..<2 { #expect(limiter.check("a", .signInByAccount) == .allowed) }
        #expect(limiter.check("a", .signInByAccount) != .allowed)
        // Never more than the burst.
        for _ in 0..<9 { limiter.giveBack("a", .signInByAccount) }
        for _ in 0..<2 { #expect(limiter.check("a", .signInByAccount) == .allowed) }
        #expect(limiter.check("a", .signInByAccount) != .allowed)
    }
}
