import Foundation
import TestSupport
import Testing

@testable import Accounts

@Suite struct MailScheduleTests {
    private let created = Date(timeIntervalSince1970: 1_800_000_000)
    private let problem = MailProblem("mail-deferred", reply: 451)

    private func decision(_ outcome: MailOutcome, attempts: Int = 0, after seconds: Double = 0) -> MailDecision {
        MailSchedule().decision(
            after: outcome, attempts: attempts, created: created, now: created.addingTimeInterval(seconds))
    }

    @Test func anAcceptedOrRefusedMailLeavesTheQueue() {
        #expect(decision(.accepted, attempts: 7, after: 9e9) == .remove(.sent))
        #expect(decision(.refused(problem)) == .remove(.refused))
    }

    @Test func delaysDoubleUpToAMaximum() {
        let delays = (0..<12).map { attempts -> Double in
            guard case .retry(let due, let failures) = decision(.deferred(problem), attempts: attempts) else {
                return -1
            }
            #expect(failures == attempts + 1)
            return due.timeIntervalSince(created)
        }
        #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    }

    @Test func theLastAttemptIsAtTheEndOfTwoDays() {
        let end = 2 * 86_400.0
        for outcome in [MailOutcome.deferred(problem), .unavailable(problem)] {
            #expect(
                decision(outcome, attempts: 40, after: end - 1)
                    == .retry(at: created.addingTimeInterval(end), attempts: 41))
            #expect(decision(outcome, attempts: 41, after: end) == .remove(.givenUp))
            // A mail that waited while no server ran has one attempt.
            #expect(decision(outcome, attempts: 0, after: 3 * end) == .remove(.givenUp))
        }
        #expect(decision(.accepted, after: 3 * end) == .remove(.sent))
    }

    @Test func aCancelledAttemptDoesNotCount() {
        #expect(decision(.cancelled, attempts: 3, after: 5) == .retry(at: created.addingTimeInterval(5), attempts: 3))
    }

    @Test func everyMailThatNoOneAcceptsIsGivenUpWithinTwoDays() {
        var random = Seeded.fresh()
        for _ in 0..<100 {
            var (now, attempts, steps) = (0.0, 0, 0)
            loop: while true {
                steps += 1
                let outcome = Bool.random(using: &random) ? MailOutcome.deferred(problem) : .unavailable(problem)
                switch decision(outcome, attempts: attempts, after: now) {
                case .retry(let due, let failures):
                    #expect(due.timeIntervalSince(created) > now && failures == attempts + 1)
                    attempts = failures
                    now = due.timeIntervalSince(created) + Double.random(in: 0...60, using: &random)
                case .remove(let end):
                    #expect(end == .givenUp && now >= 2 * 86_400 && now <= 2 * 86_400 + 60)
                    break loop
                }
            }
            #expect((100...300).contains(steps))
        }
    }
}
