import Foundation
import MotionAdapter
import TestSupport
import Testing

/// C3-PRO's rules of interpretation.
@Suite struct MotionRulesTests {
    private let midnight = Date(timeIntervalSince1970: 1_700_000_000)

    private func at(_ seconds: Double) -> Date { midnight.addingTimeInterval(seconds) }

    private func report(_ seconds: Double, _ kinds: MotionActivity.Kinds) -> MotionActivity {
        MotionActivity(start: at(seconds), kinds: kinds)
    }

    /// Returns the intervals as `interpretation start-end`, in seconds since midnight.
    private func intervals(_ reports: [MotionActivity], until end: Double) -> [String] {
        MotionRules.intervals(reports, until: at(end)).map {
            "\($0.interpretation) \(Int($0.start.timeIntervalSince(midnight)))-\(Int($0.end.timeIntervalSince(midnight)))"
        }
    }

    @Test func unknownReportsContinueTheActivityBefore() {
        #expect(
            intervals([report(0, []), report(10, .walking), report(100, []), report(200, .walking)], until: 300)
                == ["walking 10-300"])
        #expect(intervals([report(0, [])], until: 100) == [])
        #expect(intervals([], until: 100) == [])
    }

    @Test func stopsOfARideAreDrivingAndAShortRideIsStationary() {
        #expect(
            intervals(
                [report(0, .automotive), report(200, [.automotive, .stationary]), report(260, .automotive)], until: 400)
                == ["driving 0-400"])
        #expect(
            intervals([report(0, .walking), report(100, .automotive)], until: 399) == [
                "walking 0-100", "stationary 100-399",
            ])
        #expect(intervals([report(0, .automotive)], until: 300) == ["driving 0-300"])
    }

    @Test(arguments: [
        (MotionActivity.Kinds.running, MotionActivity.Kinds.walking, "running"), (.walking, .running, "running"),
        (.walking, .stationary, "walking"), (.stationary, .walking, "walking"),
        (.stationary, .stationary, "stationary"),
    ])
    func shortCyclingIsWhatTheTimeBeforeOrAfterIs(
        before: MotionActivity.Kinds, after: MotionActivity.Kinds, expected: String
    ) {
        let found = MotionRules.intervals(
            [report(0, before), report(600, .cycling), report(719, after)], until: at(1_200))
        #expect(found.first { $0.start <= at(650) && at(650) < $0.end }?.interpretation.rawValue == expected)
        let long = MotionRules.intervals(
            [report(0, before), report(600, .cycling), report(720, after)], until: at(1_200))
        #expect(long.first { $0.start <= at(650) && at(650) < $0.end }?.interpretation == .cycling)
    }

    @Test func threeHoursWithoutMotionAreSleepAlsoWithAShortRideInside() {
        #expect(intervals([report(0, .stationary)], until: 10_799) == ["stationary 0-10799"])
        #expect(intervals([report(0, .stationary)], until: 10_800) == ["sleeping 0-10800"])
        #expect(
            intervals([report(0, .stationary), report(6_000, .automotive), report(6_100, .stationary)], until: 11_000)
                == ["sleeping 0-11000"])
    }

    @Test func severalActivitiesOfAReportCountInC3PROsOrder() {
        #expect(intervals([report(0, [.walking, .running])], until: 60) == ["running 0-60"])
        #expect(intervals([report(0, [.walking, .automotive])], until: 600) == ["walking 0-600"])
    }

    @Test func orderOfReportsDoesNotMatterAndLaterReportsAreIgnored() {
        let reports = [report(0, .walking), report(100, .running), report(200, .walking), report(900, .cycling)]
        let expected = ["walking 0-100", "running 100-200", "walking 200-500"]
        for _ in 0..<10 { #expect(intervals(reports.shuffled(), until: 500) == expected) }
        // The last of two reports at one time counts.
        #expect(intervals([report(0, .walking), report(0, .running)], until: 60) == ["running 0-60"])
    }

    /// Every second from the first known activity on is in exactly one interval, and neighbours differ.
    @Test func intervalsOfRandomReportsHaveNoGaps() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for round in 0..<300 {
            let reports = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                report(
                    Double(Int.random(in: 0...40_000, using: &generator)),
                    MotionActivity.Kinds(rawValue: UInt8.random(in: 0...31, using: &generator)))
            }
            let end = at(Double(Int.random(in: 1...50_000, using: &generator)))
            let found = MotionRules.intervals(reports, until: end)
            let first = reports.filter { !$0.kinds.isEmpty && $0.start < end }.map(\.start).min()
            #expect(
                found.first?.start == first && found.last?.end == first.map { _ in end }, "seed \(seed), round \(round)"
            )
            for (one, next) in zip(found, found.dropFirst()) {
                #expect(one.end == next.start && one.seconds > 0, "seed \(seed), round \(round)")
            }
            let period = MotionPeriod(found, from: midnight, to: end)
            let total = period.seconds.values.reduce(0, +)
            #expect(total == (first.map { end.timeIntervalSince($0) } ?? 0), "seed \(seed), round \(round)")
        }
    }
}
