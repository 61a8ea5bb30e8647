import FHIR
import Foundation
import HealthDataTestSupport
import TestSupport
import Testing

@testable import HealthData
@testable import HealthReport

@Suite struct ReportTests {
    static let phone = HealthSource(product: .iPhone, version: "16.2")

    static func html(_ samples: [HealthSample], since: HealthDay? = nil, until: HealthDay? = nil) -> String {
        var report = HealthReportPage(since: since, until: until)
        for sample in samples {
            report.add(HealthObservation(sample, fingerprint: sample.fingerprint, subject: nil))
        }
        return report.html(importReport: HealthImportReport())
    }

    /// Returns the rows of the table with the caption: the exact numbers if there are any, otherwise the text of the
    /// cells.
    static func rows(_ html: String, _ caption: String) -> [[String]] {
        guard let start = html.range(of: ">\(caption)</caption>"),
            let body = html[start.upperBound...].range(of: "<tbody>"),
            let end = html[body.upperBound...].range(of: "</tbody>")
        else { return [] }
        return html[body.upperBound..<end.lowerBound].split(separator: "<tr>").dropFirst().map { row in
            row.split(separator: "</t").dropLast(2).map { cell in
                if let value = cell.range(of: "<data value=\"") {
                    return String(cell[value.upperBound...].prefix { $0 != "\"" })
                }
                return String(cell.split(separator: ">").last ?? "")
            }
        }
    }

    static func workout(_ minutes: String, at seconds: Int64) throws -> HealthSample {
        let type = HealthType.workout
        let measure = try #require(type.components.first { $0.identifier == WorkoutComponent.duration }?.measure)
        var workout = HealthWorkout(activity: try #require(type.option(named: "HKWorkoutActivityTypeYoga")))
        workout.add(WorkoutComponent.duration, try HealthQuantity(minutes, unit: "min", as: measure))
        let start = HealthInstant(seconds: Samples.start.seconds + seconds, offsetMinutes: 0)
        return HealthSample(type: type, value: .workout(workout), start: start, end: start, source: phone)
    }

    @Test func pageOfAnEmptyExportStatesThatThereAreNoData() {
        let html = Self.html([])
        for words in [
            "There are no steps.", "There are no heart rates.", "There are no nights.", "There are no workouts.",
        ] {
            #expect(html.contains(words))
        }
        #expect(!html.contains("<svg"))
        #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(html.hasSuffix("</html>\n"))
    }

    @Test func oneMomentOfDataMakesAPageWithAPlotAndItsTable() throws {
        let html = Self.html([try Samples.heartRate()])
        #expect(html.components(separatedBy: "<svg role=\"img\"").count == 3, "the heart rate and the sources")
        #expect(
            Self.rows(html, "Heart rate in beats a minute, by day of the person&#39;s clock")
                == [["2016-11-14", "1", "72.0", "72", "72.0"]])
        #expect(Self.rows(html, "Observations by day and source") == [["2016-11-14", "1"]])
    }

    @Test func policyOfThePageAllowsOnlyItsStyleSheet() throws {
        let html = Self.html([])
        #expect(html.contains("<style>\(ReportStyle.sheet)</style>"))
        #expect(html.contains("content=\"\(HTML.escaped(ReportStyle.policy))\""))
        #expect(ReportStyle.policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!html.contains("style=\""), "a style of an element would be blocked")
        #expect(!html.contains("<script"))
    }

    @Test func textIsEscapedInAttributesAndContent() {
        var html = HTML()
        html.element("p", attributes: ["title": "\"><script>'"], "a < b && c > \"d\" \u{0}\u{7}\u{85} é \u{1F600}")
        #expect(
            html.text == "<p title=\"&quot;&gt;&lt;script&gt;&#39;\">a &lt; b &amp;&amp; c &gt; &quot;d&quot; "
                + "\u{FFFD}\u{FFFD}\u{FFFD} é \u{1F600}</p>")
    }

    @Test func stepsOfPhoneAndWatchCountOnceAndOnlyRequestedDaysAreShown() throws {
        let samples = [
            try SourcePriorityTests.sample("900", from: 0, to: 3600, Self.phone),
            try SourcePriorityTests.sample("1000", from: 0, to: 3600, SourcePriorityTests.watch),
            // From 23:00 to 01:00: half of it belongs to each day.
            try SourcePriorityTests.sample("50", from: -3600, to: 3600, SourcePriorityTests.app),
            try SourcePriorityTests.sample("7", from: 86_400, to: 86_460, Self.phone),
            // Implausible, so it is left out and counted.
            try SourcePriorityTests.sample("1000000", from: 0, to: 60, SourcePriorityTests.watch),
        ]
        let caption = "Steps by day of the person&#39;s clock"
        let all = Self.html(samples)
        #expect(
            Self.rows(all, caption) == [
                ["2023-02-10", "25", "25"], ["2023-02-11", "1000", "1925"], ["2023-02-12", "7", "7"],
            ])
        #expect(all.contains("Left out: 1 sample with an unlikely number."))
        let day = try #require(HealthDay("2023-02-11"))
        let one = Self.html(samples, since: day, until: day)
        #expect(Self.rows(one, caption) == [["2023-02-11", "1000", "1925"]])
        #expect(one.contains("Only the days from 2023-02-11 up to 2023-02-11 are shown."))
        #expect(Self.rows(one, "Left out of the plots").contains(["Outside of the days asked for", "2"]))
    }

    @Test func implausibleWorkoutFiguresAreLeftOutOfTheSums() throws {
        let samples = try ["30", "45.5", "1e12"].enumerated().map { try Self.workout($1, at: Int64($0)) }
        let html = Self.html(samples)
        #expect(Self.rows(html, "Workouts by activity") == [["Yoga", "3", "75.5", "–", "–"]])
        #expect(Self.rows(html, "Left out of the plots") == [["Workouts: an unlikely figure", "1"]])
    }

    @Test func pageDoesNotDependOnTheOrderOfSamples() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        var samples: [HealthSample] = []
        for index in 0..<60 {
            let start = Int64.random(in: 0...400_000, using: &random)
            samples.append(try Samples.heartRate(String(Int.random(in: 40...180, using: &random)), at: start))
            samples.append(
                try SourcePriorityTests.sample(
                    String(Int.random(in: 0...900, using: &random)), from: start, to: start + 900,
                    [SourcePriorityTests.watch, Self.phone][index % 2]))
            samples.append(try Samples.sleep(.core, from: Int64(index) * 1800, to: Int64(index) * 1800 + 1200))
            samples.append(try Self.workout("\(Double.random(in: 0...100, using: &random))", at: start))
        }
        #expect(Self.html(samples) == Self.html(samples.shuffled(using: &random)), "seed \(random.seed)")
    }

    @Test func medianOfMergedDaysIsThatOfAllValues() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for _ in 0..<200 {
            let values = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                Double(Int.random(in: 300...2400, using: &random)) / 10
            }
            var days = HeartRateDays()
            for (index, value) in values.enumerated() { days.add(value, on: HealthDay(number: index % 3)) }
            var all = HeartRateDays.Range()
            for day in days.all { all.add(day.range) }
            let rounded = values.map { Int($0.rounded()) }.sorted()
            #expect(all.median == rounded[(rounded.count - 1) / 2], "seed \(random.seed)")
            #expect(all.lowest == values.min(), "seed \(random.seed)")
            #expect(all.highest == values.max(), "seed \(random.seed)")
            #expect(all.count == values.count, "seed \(random.seed)")
        }
    }

    @Test func plotHasALimitedNumberOfMarksAndMissesNoPeriod() throws {
        for (count, period) in [(1, ReportPeriod.day), (184, .day), (185, .week), (3650, .month), (73_000, .year)] {
            for first in [0, 19_000, -20_000] {
                let days = HealthDay(number: first)...HealthDay(number: first + count - 1)
                #expect(ReportPeriod(of: days) == period)
                let starts = period.starts(of: days)
                #expect(starts.count <= 220)
                #expect(starts == starts.sorted() && Set(starts).count == starts.count)
                #expect(Set(starts) == Set((first..<(first + count)).map { period.start(of: HealthDay(number: $0)) }))
            }
        }
    }

    @Test func daysFollowTheCalendarAndInvalidDaysAreRefused() {
        #expect(HealthDay("2023-02-11")?.weekday == 5, "a Saturday")
        #expect(HealthDay("1969-12-31")?.number == -1)
        #expect(HealthDay("1900-03-01")?.text == "1900-03-01")
        for text in ["2023-02-29", "2023-13-01", "2023-2-1", "2023-02-00", "+023-02-01", "", "2023-02-11T00:00:00Z"] {
            #expect(HealthDay(text) == nil, "\(text)")
        }
        #expect(HealthDay(HealthInstant(seconds: -1, offsetMinutes: 0)).text == "1969-12-31")
    }

    @Test func numbersAreShownAsPeopleReadThem() {
        #expect(ReportNumber.grouped(1_234_567) == "1,234,567")
        #expect(ReportNumber.grouped(999) == "999")
        #expect(ReportNumber.grouped(-1234) == "-1,234")
        #expect(ReportNumber.tenth(72.45) == "72.5")
        #expect(ReportNumber.tenth(1999.96) == "2,000")
        #expect(ReportNumber.tenth(-0.5) == "-0.5")
        #expect(ReportNumber.hours(25_259) == "7 h 01 min")
        #expect(ReportNumber.percent(1.0 / 3) == "33.333%")
        #expect([0.03, 1, 7, 26, 8150, 99_999].map { ReportNumber.ceiling($0) } == [0.04, 1, 8, 40, 10_000, 100_000])
        #expect(ReportNumber.grouped(.nan) == "0")
        #expect(ReportNumber.grouped(1e300) == "9,000,000,000,000,000")
    }
}
