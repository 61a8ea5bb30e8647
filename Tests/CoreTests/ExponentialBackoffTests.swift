import Core
import Testing

@Suite struct ExponentialBackoffTests {
    @Test func delaysDoubleUpToTheMaximumAndBeginAgain() {
        var backoff = ExponentialBackoff(first: Duration.milliseconds(200), longest: .seconds(1))
        let delays = (0..<5).map { _ in backoff.nextDelay() }
        #expect(delays == [.milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1)])
        backoff.reset()
        #expect(backoff.nextDelay() == .milliseconds(200) && backoff.current == .milliseconds(400))
    }

    @Test func delayAfterFailuresIsThatOfAsManyCalls() {
        for longest in [0.5, 3, 300, 3_600] {
            let backoff = ExponentialBackoff(first: 0.5, longest: longest)
            var repeated = backoff
            for failures in 1...80 {
                #expect(backoff.delay(afterFailures: failures) == repeated.nextDelay())
            }
        }
        let backoff = ExponentialBackoff(first: 60.0, longest: 30)
        #expect(backoff.delay(afterFailures: 0) == 30 && backoff.delay(afterFailures: 9) == 30)
    }

    @Test func wholeNumbersDoNotOverflow() {
        let backoff = ExponentialBackoff<Int32>(first: 100, longest: 30_000)
        #expect(backoff.delay(afterFailures: .max) == 30_000)
    }
}
