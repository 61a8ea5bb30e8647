import Synchronization
import Testing

@testable import ServerHTTP

@Suite struct LogThrottleTests {
    private final class Clock: Sendable {
        private let value = Mutex(Duration.zero)
        var now: Duration { value.withLock { $0 } }
        func advance(_ more: Duration) { value.withLock { $0 += more } }
    }

    @Test func codeHasOneLineASecondWithTheNumberOfOmittedOnes() {
        let clock = Clock()
        let throttle = LogThrottle(now: { clock.now })
        #expect(throttle.admit("a") == 0)
        for _ in 0..<7 { #expect(throttle.admit("a") == nil) }
        #expect(throttle.admit("b") == 0)
        clock.advance(.milliseconds(999))
        #expect(throttle.admit("a") == nil)
        clock.advance(.milliseconds(1))
        #expect(throttle.admit("a") == 8 && throttle.admit("a") == nil)
        clock.advance(.seconds(1))
        #expect(throttle.admit("b") == 0 && throttle.admit("a") == 1)
    }

    @Test func manyCodesTakeBoundedMemory() {
        let throttle = LogThrottle(now: { .zero })
        for number in 0..<5_000 { #expect(throttle.admit("\(number)") == 0) }
    }
}
