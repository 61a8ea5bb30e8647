import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import HealthReport
import TestSupport
import Testing

@testable import SleepNights

@Suite struct SourcePriorityTests {
    /// Midnight of 2023-02-11 in UTC.
    static let midnight: Int64 = 1_676_073_600

    static let steps = HealthType.named("StepCount")

    static func sample(
        _ amount: String, from start: Int64, to end: Int64, _ source: HealthSource, byHand: Bool = false,
        offset: Int16 = 0
    ) throws -> HealthSample {
        let type = try #require(steps)
        let measure = try #require(type.measure)
        var sample = HealthSample(
            type: type, value: .quantity(try HealthQuantity(amount, unit: "count", as: measure)),
            start: HealthInstant(seconds: midnight + start, offsetMinutes: offset),
            end: HealthInstant(seconds: midnight + end, offsetMinutes: offset), source: source)
        if byHand { sample.context.wasUserEntered = true }
        return sample
    }

    static let watch = HealthSource(product: .appleWatch, version: "9.2")
    static let phone = HealthSource(product: .iPhone, version: "16.2")
    static let oldPhone = HealthSource(product: .iPhone, version: "12.4.1")
    static let app = HealthSource(product: .app, version: "3.1")

    static func days(_ samples: [HealthSample]) throws -> [DailyAggregate] {
        let type = try #require(steps)
        var totals = DailyAggregates(of: [type])
        for sample in samples { totals.add(sample) }
        return totals.days(of: type)
    }

    @Test func sourcesRankManualEntryThenWatchThenPhoneThenOthers() {
        let ranks = [
            SourceRank(.app, version: "3.1"), SourceRank(.iPad, version: "16"), SourceRank(.iPhone, version: "12.4.1"),
            SourceRank(.iPhone, version: "16.2"), SourceRank(.appleWatch, version: "9.2"),
            SourceRank(.app, isEnteredByHand: true), SourceRank(.iPhone, version: "9.3"),
        ]
        #expect(
            ranks.sorted().map { "\($0.title) \($0.version)" } == [
                "Entered by hand ", "Apple Watch 9.2", "iPhone 16.2", "iPhone 12.4.1", "iPhone 9.3", "iPad 16",
                "Other apps and devices 3.1",
            ])
        #expect(
            SourceRank(.app, version: "1", isEnteredByHand: true) == SourceRank(.appleWatch, isEnteredByHand: true),
            "what is typed in is one source")
    }

    @Test func watchCountsForAnHourThatThePhoneCountedToo() throws {
        let day = try #require(
            try Self.days([
                try Self.sample("900", from: 0, to: 3600, Self.phone),
                try Self.sample("1000", from: 0, to: 3600, Self.watch),
            ]).first)
        #expect(day.total == 1000)
        #expect(day.plainSum == 1900)
        #expect(day.sources.map(\.source.title) == ["Apple Watch"])
        #expect(day.day.text == "2023-02-11")
    }

    @Test func manualEntryHasPriorityOverTheWatch() throws {
        let days = try Self.days([
            try Self.sample("900", from: 0, to: 3600, Self.watch),
            try Self.sample("20", from: 0, to: 3600, Self.app, byHand: true),
        ])
        #expect(days.map(\.total) == [20])
        #expect(days.first?.sources.map(\.source.title) == ["Entered by hand"])
    }

    @Test func watchCountsAlsoWhereItCountedLess() throws {
        let days = try Self.days([
            try Self.sample("900", from: 0, to: 3600, Self.phone),
            try Self.sample("100", from: 0, to: 3600, Self.watch),
        ])
        #expect(days.map(\.total) == [100])
    }

    @Test func aSampleThatIsCoveredInPartCountsWithTheRestOfItsTime() throws {
        // The watch covers the second quarter of the phone's hour.
        let days = try Self.days([
            try Self.sample("400", from: 0, to: 3600, Self.phone),
            try Self.sample("50", from: 900, to: 1800, Self.watch),
        ])
        #expect(days.first?.total == 350)
        #expect(days.first?.sources.map(\.amount) == [50, 300])
    }

    @Test func overlappingSamplesAddUpForOneSourceOnly() throws {
        let twice = [
            try Self.sample("10", from: 0, to: 60, Self.phone), try Self.sample("20", from: 0, to: 60, Self.phone),
        ]
        #expect(try Self.days(twice).first?.total == 30)
        let phones = [
            try Self.sample("10", from: 0, to: 60, Self.phone), try Self.sample("20", from: 0, to: 60, Self.oldPhone),
        ]
        #expect(try Self.days(phones).first?.total == 10, "the newer one")
    }

    /// Sources of one product and version differ by their name or their model.
    @Test func sourcesOfOneVersionCountOnceInEitherOrder() throws {
        func app(_ name: String, _ product: HealthProduct = .app, hardware: String? = nil) -> HealthSource {
            HealthSource(
                product: product, version: "1.0",
                device: hardware.map { HealthDevice(product: product, hardware: $0) }, name: name.utf8)
        }
        let sources = [
            [app("Alpha Band"), app("Beta Band")], [app("Alpha Band"), app("Beta Band"), app("Gamma Band")],
            [app("Kim’s iPhone", .iPhone), app("Old iPhone", .iPhone)],
            [app("iPhone", .iPhone, hardware: "iPhone14,5"), app("iPhone", .iPhone, hardware: "iPhone17,1")],
            [app("Watch", .appleWatch, hardware: "Watch6,1"), app("Watch", .appleWatch, hardware: "Watch7,5")],
        ]
        for sources in sources {
            let samples = try sources.enumerated().map { index, source in
                try Self.sample(String(1000 + 10 * index), from: 0, to: 3600, source)
            }
            let total = try #require(try Self.days(samples).first?.total)
            #expect(samples.indices.contains { total == Double(1000 + 10 * $0) })
            #expect(try Self.days(samples.reversed()).map(\.total) == [total], "the order makes no difference")
            #expect(
                try Self.days(samples).first?.plainSum == Double((0..<sources.count).reduce(0) { $0 + 1000 + 10 * $1 }))
        }
        // At different times both count.
        let apart = [
            try Self.sample("10", from: 0, to: 60, app("Alpha Band")),
            try Self.sample("20", from: 60, to: 120, app("Beta Band")),
        ]
        #expect(try Self.days(apart).first?.total == 30)
        // Samples of one app add up if they overlap.
        let meals = [
            try Self.sample("10", from: 0, to: 60, app("Alpha Band")),
            try Self.sample("20", from: 0, to: 60, app("Alpha Band")),
        ]
        #expect(try Self.days(meals).first?.total == 30)
    }

    @Test func appsOfOneVersionAreMergedBeyondTheLimit() throws {
        let samples = try (0..<1000).map { index in
            try Self.sample(
                "1", from: Int64(index) * 60, to: Int64(index) * 60 + 60,
                HealthSource(product: .app, name: "App \(index)".utf8))
        }
        #expect(try Self.days(samples).first?.total == 1000)
    }

    @Test func instantCoversOneSecond() throws {
        #expect(try Self.days([try Self.sample("7", from: 60, to: 60, Self.app)]).first?.total == 7)
        let covered = [
            try Self.sample("7", from: 60, to: 60, Self.app), try Self.sample("5", from: 0, to: 120, Self.watch),
        ]
        #expect(try Self.days(covered).first?.total == 5)
        let atTheEnd = [
            try Self.sample("7", from: 120, to: 120, Self.app), try Self.sample("5", from: 0, to: 120, Self.watch),
        ]
        #expect(try Self.days(atTheEnd).first?.total == 12)
    }

    @Test func midnightOfThePersonsClockSplitsASampleByItsTime() throws {
        // From 23:30 to 00:30 in Berlin; a quarter of the steps' time after midnight remains for the phone.
        let days = try Self.days([try Self.sample("600", from: -5400, to: -1800, Self.watch, offset: 60)])
        #expect(days.map(\.day.text) == ["2023-02-10", "2023-02-11"])
        #expect(days.map(\.total) == [300, 300])
        let west = try Self.days([try Self.sample("600", from: -5400, to: -1800, Self.watch, offset: -480)])
        #expect(west.map(\.day.text) == ["2023-02-10"])
        let partly = try Self.days([
            try Self.sample("600", from: -5400, to: -1800, Self.phone, offset: 60),
            try Self.sample("1", from: -3600, to: -2700, Self.watch, offset: 60),
        ])
        #expect(partly.map(\.total) == [300, 151])
    }

    @Test func samplesThatCannotBeSplitByDayAreLeftOutAndCounted() throws {
        let type = try #require(Self.steps)
        var totals = DailyAggregates(of: [type, try #require(HealthType.named("HeartRate"))])
        totals.add(try Self.sample("-5", from: 0, to: 60, Self.watch))
        totals.add(try Self.sample("5", from: 0, to: 32 * 86_400, Self.watch))
        totals.add(try Self.sample("31", from: 0, to: 31 * 86_400, Self.watch))
        totals.add(try Samples.heartRate())
        #expect(totals.leftOut == [.negative: 1, .tooLong: 1])
        let days = totals.days(of: type)
        #expect(days.count == 31)
        #expect(days.allSatisfy { abs($0.total - 1) < 1e-9 })
        #expect(totals.days(of: try #require(HealthType.named("HeartRate"))).isEmpty, "rates do not add up")
    }

    @Test func randomSamplesAgreeWithACountBySecondsInAnyOrder() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for _ in 0..<15 {
            var samples: [HealthSample] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let start = Int64.random(in: -1200...1200, using: &random)
                let source = [Self.watch, Self.phone, Self.oldPhone, Self.app][Int.random(in: 0..<4, using: &random)]
                samples.append(
                    try Self.sample(
                        String(Int.random(in: 0...500, using: &random)), from: start,
                        to: start + Int64.random(in: 0...300, using: &random), source,
                        byHand: Int.random(in: 0..<8, using: &random) == 0,
                        offset: [0, 0, 0, 15, -10][Int.random(in: 0..<5, using: &random)]))
            }
            let days = try Self.days(samples)
            #expect(try Self.days(samples.shuffled(using: &random)) == days, "seed \(random.seed): to the last digit")
            let oracle = Self.secondBySecond(samples)
            #expect(days.map(\.day) == oracle.keys.sorted(), "seed \(random.seed)")
            for day in days {
                let expected = oracle[day.day] ?? (total: -1, plain: -1)
                #expect(abs(day.total - expected.total) < 1e-6, "seed \(random.seed): \(day.day.text)")
                #expect(abs(day.plainSum - expected.plain) < 1e-6, "seed \(random.seed): \(day.day.text)")
                #expect(day.total <= day.plainSum + 1e-9, "seed \(random.seed)")
                #expect(day.sources.map(\.source) == day.sources.map(\.source).sorted(), "seed \(random.seed)")
            }
            let total = days.reduce(0) { $0 + $1.total }
            let first = try #require(samples.map { SourceRank($0) }.min())
            let believed = samples.filter { SourceRank($0) == first }.reduce(0) { $0 + Self.amount($1) }
            #expect(total >= believed - 1e-6, "seed \(random.seed)")
        }
    }

    private static func amount(_ sample: HealthSample) -> Double {
        guard case .quantity(let quantity) = sample.value else { return 0 }
        return quantity.number.double
    }

    /// The rule in its simplest form.
    private static func secondBySecond(_ samples: [HealthSample]) -> [HealthDay: (total: Double, plain: Double)] {
        var days: [HealthDay: (total: Double, plain: Double)] = [:]
        func seconds(_ sample: HealthSample) -> Range<Int64> {
            sample.start.seconds..<max(sample.end.seconds, sample.start.seconds + 1)
        }
        for second in (midnight - 1200)...(midnight + 1800) {
            let there = samples.filter { seconds($0).contains(second) }
            let believed = there.map { SourceRank($0) }.min()
            for sample in there {
                let range = seconds(sample)
                let share = amount(sample) / Double(range.upperBound - range.lowerBound)
                let day = HealthDay(HealthInstant(seconds: second, offsetMinutes: sample.start.offsetMinutes))
                days[day, default: (0, 0)].plain += share
                if SourceRank(sample) == believed { days[day, default: (0, 0)].total += share }
            }
        }
        return days
    }
}
