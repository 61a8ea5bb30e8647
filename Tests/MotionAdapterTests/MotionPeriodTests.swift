import FHIR
import FHIRValidation
import Foundation
import MotionAdapter
import Testing

/// The Observations of a period.
@Suite struct MotionPeriodTests {
    private let start = Date(timeIntervalSince1970: 1_767_222_000)  // 2026-01-01T00:00:00+01:00
    private let zone = TimeZone(secondsFromGMT: 3_600) ?? .gmt

    private func period(_ intervals: [(Double, Double, MotionInterpretation)]) -> MotionPeriod {
        MotionPeriod(
            intervals.map {
                MotionInterval(
                    start: start.addingTimeInterval($0.0), end: start.addingTimeInterval($0.1), interpretation: $0.2)
            }, from: start, to: start.addingTimeInterval(86_400))
    }

    @Test func minutesAreThoseWithinThePeriodRoundedDown() {
        let day = period([
            (-3_600, 600, .sleeping), (600, 719, .walking), (1_000, 1_130, .walking), (86_000, 90_000, .driving),
        ])
        #expect(day.minutes(.sleeping) == 10 && day.minutes(.walking) == 4 && day.minutes(.driving) == 6)
        #expect(day.minutes(.running) == 0 && day.seconds[.running] == nil)
    }

    @Test func observationsAreValidAndHaveC3PROsCodes() throws {
        let day = period([(0, 36_000, .sleeping), (36_000, 36_059, .running), (36_059, 37_919, .walking)])
        let observations = day.observations(subject: "p1", in: zone)
        #expect(
            observations.map { $0.code?.coding.first?.code } == [
                "motion-coprocessor.sleeping", "motion-coprocessor.walking",
            ])
        let walking = try #require(observations.last)
        #expect(walking.code?.coding.first?.system == "urn:tributary:c3-pro-activity")
        #expect(walking.json.at("valueQuantity", "value")?.number?.text == "31")
        #expect(walking.json.at("valueQuantity", "code") == "min")
        #expect(walking.json.at("valueQuantity", "system") == "http://unitsofmeasure.org")
        #expect(walking.json.at("effectivePeriod", "start")?.string?.hasPrefix("2026-01-01T00:00:00") == true)
        #expect(walking.json.at("effectivePeriod", "end")?.string?.hasSuffix("+01:00") == true)
        #expect(walking.subject?.reference == "Patient/p1")
        for observation in observations {
            let report = FHIRValidator().validate(observation.json.data())
            #expect(report.errors.isEmpty, "\(report.errors.map(\.message))")
        }
    }

    @Test func idsAreThoseOfParticipantPeriodAndActivity() {
        let day = period([(0, 600, .walking), (600, 1_200, .running)])
        let ids = day.observations(subject: "p1", in: zone).map(\.id)
        #expect(
            Set(ids).count == 2
                && ids
                    == period([(0, 900, .walking), (900, 1_800, .running)])
                    .observations(subject: "p1", in: .gmt).map(\.id),
            "more minutes replace fewer ones")
        #expect(Set(day.observations(subject: "p2", in: zone).map(\.id)).isDisjoint(with: ids))
        let next = MotionPeriod(
            [MotionInterval(start: start, end: start.addingTimeInterval(200_000), interpretation: .walking)],
            from: start.addingTimeInterval(86_400), to: start.addingTimeInterval(172_800))
        #expect(Set(next.observations(subject: "p1", in: zone).map(\.id)).isDisjoint(with: ids))
    }

    @Test func datesThatFHIRDoesNotHaveGiveNothing() {
        for bad in [Double.infinity, -.infinity, .nan, 1e300, -1e300] {
            let date = Date(timeIntervalSince1970: bad)
            let intervals = [
                MotionInterval(start: date, end: start, interpretation: .walking),
                MotionInterval(start: start, end: date, interpretation: .running),
            ]
            #expect(MotionPeriod(intervals, from: date, to: start).observations(subject: "p", in: zone).isEmpty)
            #expect(MotionPeriod(intervals, from: start, to: date).observations(subject: "p", in: zone).isEmpty)
            _ = MotionPeriod(intervals, from: start, to: start.addingTimeInterval(60)).observations(
                subject: "p", in: zone)
            _ = MotionRules.intervals([MotionActivity(start: date, kinds: .walking)], until: start)
        }
    }
}
