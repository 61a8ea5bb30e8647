import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import TestSupport
import Testing

@testable import SleepNights

@Suite struct NightTests {
    static let watch = HealthSource(product: .appleWatch, version: "9.2")
    static let phone = HealthSource(product: .iPhone, version: "16.2")
    static let app = HealthSource(product: .app, version: "3.1")

    /// 2023-02-11T00:00:00+01:00.
    static let midnight: Int64 = 1_676_070_000

    static func sample(
        _ stage: SleepStage, from start: Int64, to end: Int64, _ source: HealthSource = watch, offset: Int16 = 60,
        unit: Int64 = 60
    ) throws -> HealthSample {
        try Samples.sleep(stage, from: start * unit, to: end * unit, source: source, offset: offset)
    }

    static func nights(_ samples: [HealthSample]) -> [HealthNight] {
        var nights = HealthNights()
        for sample in samples { nights.add(sample, fingerprint: sample.fingerprint) }
        return nights.nights()
    }

    static func minutes(_ night: HealthNight?) -> [SleepStage: Int64] {
        guard let night else { return [:] }
        return Dictionary(
            SleepStage.allCases.filter { night.times[$0] > 0 }.map { ($0, night.times[$0] / 60) },
            uniquingKeysWith: +)
    }

    @Test func everyValueOfSleepAnalysisIsAStageTheOlderNamesToo() throws {
        let type = try #require(HealthType.named("SleepAnalysis"))
        #expect(Set(type.options.compactMap { SleepStage($0) }) == Set(SleepStage.allCases))
        #expect(type.options.count == SleepStage.allCases.count)
        let older = try #require(type.option(named: "HKCategoryValueSleepAnalysisAsleep"))
        #expect(SleepStage(older) == .unspecified)
        #expect(SleepStage(HealthOption("HKCategoryValueSeverityMild", "Mild")) == nil)
    }

    @Test func aNightOfOneSourceTheMinutesOfItsStagesInBedApart() throws {
        let night = try #require(
            Self.nights([
                try Self.sample(.inBed, from: -60, to: 420, Self.phone), try Self.sample(.core, from: -30, to: 120),
                try Self.sample(.deep, from: 120, to: 180), try Self.sample(.awake, from: 180, to: 190),
                try Self.sample(.rem, from: 190, to: 400),
            ]).first)
        #expect(Self.minutes(night) == [.inBed: 480, .core: 150, .deep: 60, .awake: 10, .rem: 210])
        #expect(night.times.asleep == 420 * 60)
        #expect(night.day.text == "2023-02-11")
        #expect(night.sessions.count == 1)
    }

    @Test func aGapOfAnHourIsOneSessionAGapOfMoreIsTwoAndBothAreOfOneNight() throws {
        let hour = Self.nights([try Self.sample(.core, from: 0, to: 60), try Self.sample(.core, from: 120, to: 180)])
        #expect(hour.map(\.sessions.count) == [1])
        let more = Self.nights([
            try Self.sample(.core, from: 0, to: 3600, unit: 1), try Self.sample(.core, from: 7201, to: 9000, unit: 1),
        ])
        #expect(more.map(\.sessions.count) == [2])
        #expect(more.first?.times[.core] == Int64(5399))
        // Time in bed, or another source in between, keeps a session together.
        let bridged = Self.nights([
            try Self.sample(.core, from: 0, to: 60), try Self.sample(.core, from: 200, to: 260),
            try Self.sample(.inBed, from: 0, to: 260, Self.phone),
        ])
        #expect(bridged.map(\.sessions.count) == [1])
    }

    @Test func aNapAfterLunchBelongsToTheNightBeforeAnEveningsSleepToTheNext() throws {
        let nights = Self.nights([
            try Self.sample(.core, from: 0, to: 360), try Self.sample(.core, from: 840, to: 900),
            try Self.sample(.core, from: 1140, to: 1200),
        ])
        #expect(nights.map(\.day.text) == ["2023-02-11", "2023-02-12"])
        #expect(nights.map(\.sessions.count) == [2, 1])
    }

    @Test func watchHasPriorityOverThePhoneWhereSourcesOverlap() throws {
        let nights = Self.nights([
            try Self.sample(.unspecified, from: 0, to: 480, Self.phone), try Self.sample(.core, from: 60, to: 120),
            try Self.sample(.awake, from: 120, to: 150), try Self.sample(.rem, from: 100, to: 500, Self.app),
        ])
        #expect(Self.minutes(nights.first) == [.core: 60, .awake: 30, .unspecified: 390, .rem: 20])
        #expect(nights.first?.samples.count == 4, "overruled samples belong to the night all the same")
    }

    @Test func awakeThenTheDeeperStageCountsWhereOneSourceOverlaps() throws {
        let nights = Self.nights([
            try Self.sample(.unspecified, from: 0, to: 100, Self.app),
            try Self.sample(.awake, from: 10, to: 20, Self.app),
            try Self.sample(.deep, from: 15, to: 40, Self.app), try Self.sample(.core, from: 30, to: 50, Self.app),
        ])
        #expect(Self.minutes(nights.first) == [.unspecified: 60, .awake: 10, .deep: 20, .core: 10])
    }

    @Test func timeInBedOfTwoSourcesCountsOnceAndIsNotSleep() throws {
        let nights = Self.nights([
            try Self.sample(.inBed, from: 0, to: 300, Self.phone),
            try Self.sample(.inBed, from: 200, to: 400, Self.app),
        ])
        #expect(Self.minutes(nights.first) == [.inBed: 400])
        #expect(nights.first?.times.hasStages == false)
    }

    @Test func nightsCanBeReadRepeatedlyAndAfterMoreSamples() throws {
        var nights = HealthNights()
        let samples = try (0..<400).map { try Self.sample(.core, from: Int64($0) * 10, to: Int64($0) * 10 + 5) }
        for sample in samples.shuffled() { nights.add(sample, fingerprint: sample.fingerprint) }
        let first = nights.nights()
        #expect(nights.nights() == first)
        #expect(first.flatMap(\.samples) == samples.map(\.fingerprint))
        let later = try Self.sample(.rem, from: -10, to: -5)
        nights.add(later, fingerprint: later.fingerprint)
        #expect(nights.nights().first?.samples.first == later.fingerprint)
    }

    @Test func samplesWithoutLengthAndLongerThanADayAreInNoNightButCounted() throws {
        var nights = HealthNights()
        for sample in [
            try Self.sample(.core, from: 5, to: 5), try Self.sample(.inBed, from: 0, to: 1441),
            try Self.sample(.inBed, from: 0, to: 1440), try Samples.heartRate(),
        ] {
            nights.add(sample, fingerprint: sample.fingerprint)
        }
        #expect(nights.nights().count == 1)
        #expect(nights.leftOut == [.empty: 1, .tooLong: 1])
    }

    @Test func randomNightsAgreeWithACountBySecondsInAnyOrder() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for _ in 0..<15 {
            var samples: [HealthSample] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let start = Int64.random(in: 0...1500, using: &random)
                let stage = try #require(SleepStage.allCases.randomElement(using: &random))
                let source = [Self.watch, Self.phone, Self.app][Int.random(in: 0..<3, using: &random)]
                samples.append(
                    try Self.sample(
                        stage, from: start, to: start + Int64.random(in: 1...400, using: &random), source, unit: 1))
            }
            let nights = Self.nights(samples)
            #expect(Self.nights(samples.shuffled(using: &random)) == nights, "seed \(seed)")
            let night = try #require(nights.first)
            #expect(nights.count == 1, "seed \(seed)")
            var oracle: [SleepStage: Int64] = [:]
            for second in Self.midnight..<(Self.midnight + 2000) {
                let there = samples.compactMap { sample -> (rank: SourceRank, stage: SleepStage)? in
                    guard (sample.start.seconds..<sample.end.seconds).contains(second),
                        case .option(let option) = sample.value, let stage = SleepStage(option)
                    else { return nil }
                    return (SourceRank(sample), stage)
                }
                if there.contains(where: { $0.stage == .inBed }) { oracle[.inBed, default: 0] += 1 }
                let stages = there.filter { $0.stage != .inBed }
                guard let believed = stages.map(\.rank).min(),
                    let stage = stages.filter({ $0.rank == believed }).map(\.stage.rawValue).min()
                        .flatMap(SleepStage.init(rawValue:))
                else { continue }
                oracle[stage, default: 0] += 1
            }
            for stage in SleepStage.allCases {
                #expect(night.times[stage] == oracle[stage] ?? 0, "seed \(seed): \(stage)")
            }
        }
    }

    // MARK: - The summary

    private func night() throws -> HealthNight {
        try #require(
            Self.nights([
                try Self.sample(.inBed, from: -60, to: 420, Self.phone), try Self.sample(.core, from: -30, to: 120),
                try Self.sample(.deep, from: 7200, to: 7275, unit: 1), try Self.sample(.awake, from: 180, to: 190),
            ]).first)
    }

    @Test func theSummaryIsAnObservationOfItsOwnDerivedFromThoseOfTheStages() throws {
        let night = try night()
        let json = night.observation(subject: "p1").json
        #expect(json["status"]?.string == "final")
        #expect(json["code"]?["coding"]?[0]?["code"]?.string == "sleep-night")
        #expect(json["subject"]?["reference"]?.string == "Patient/p1")
        #expect(json["effectivePeriod"]?["start"]?.string == "2023-02-10T23:00:00+01:00")
        #expect(json["effectivePeriod"]?["end"]?.string == "2023-02-11T07:00:00+01:00")
        #expect(json["identifier"]?[0]?["value"]?.string == "2023-02-11")
        let components = try #require(json["component"]?.array)
        let rows = components.map { component in
            (component["code"]?["coding"]?[0]?["code"]?.string ?? "")
                + " " + (component["valueQuantity"]?["value"]?.number?.text ?? "-")
        }
        #expect(
            rows == [
                "HKCategoryValueSleepAnalysisInBed 480", "sleep-asleep 151.25",
                "HKCategoryValueSleepAnalysisAsleepCore 150", "HKCategoryValueSleepAnalysisAsleepDeep 1.25",
                "HKCategoryValueSleepAnalysisAwake 10", "sleep-sessions -",
            ])
        #expect(components[1]["code"]?["coding"]?[1]?["code"]?.string == "93832-4")
        #expect(components.dropLast().allSatisfy { $0["valueQuantity"]?["code"]?.string == "min" })
        #expect(components.last?["valueInteger"]?.integer == 1)
    }

    @Test(arguments: [(100, "1.67"), (80, "1.33"), (62, "1.03"), (6, "0.1")])
    func minutesAreRoundedToHundredths(seconds: Int64, text: String) throws {
        let night = try #require(Self.nights([try Self.sample(.rem, from: 0, to: seconds, unit: 1)]).first)
        let asleep = night.observation(subject: nil).json["component"]?[0]?["valueQuantity"]?["value"]
        #expect(asleep?.number?.text == text)
    }

    @Test func derivedFromNamesTheObservationsThatTheSamplesBecame() throws {
        let samples = [try Self.sample(.core, from: 0, to: 60), try Self.sample(.rem, from: 60, to: 90)]
        for subject in [nil, "p1"] {
            let night = try #require(Self.nights(samples).first)
            let references = night.observation(subject: subject).json["derivedFrom"]?.array?.map {
                $0["reference"]?.string
            }
            #expect(references == samples.map { "Observation/\($0.observation(subject: subject).id ?? "")" })
        }
    }

    @Test func nightsWithoutKeptIdentitiesAreTheSame() throws {
        let samples = [try Self.sample(.core, from: 0, to: 60), try Self.sample(.rem, from: 60, to: 90)]
        var nights = HealthNights(keepsFingerprints: false)
        for sample in samples { nights.add(sample, fingerprint: sample.fingerprint) }
        let night = try #require(nights.nights().first)
        #expect(night.samples.isEmpty)
        #expect(night.times == Self.nights(samples).first?.times)
    }

    @Test func idDependsOnlyOnTheSubjectTheNightAndItsSamples() throws {
        let samples = [try Self.sample(.core, from: 0, to: 60), try Self.sample(.rem, from: 60, to: 90)]
        let first = try #require(Self.nights(samples).first).observation(subject: "p1")
        let again = try #require(Self.nights(samples.reversed()).first).observation(subject: "p1")
        #expect(first.json == again.json)
        let more = try #require(Self.nights(samples + [try Self.sample(.deep, from: 90, to: 95)]).first)
        #expect(more.observation(subject: "p1").id != first.id)
        #expect(more.observation(subject: "p1").json["identifier"]?[0] == first.json["identifier"]?[0])
        #expect(try #require(Self.nights(samples).first).observation(subject: "p2").id != first.id)
        #expect(samples.allSatisfy { $0.observation(subject: "p1").id != first.id })
    }

    @Test func theOffsetIsThatOfThePersonsClockWhereItChangedInTheNightToo() throws {
        let night = try #require(
            Self.nights([
                try Self.sample(.core, from: 0, to: 60, offset: 60),
                try Self.sample(.core, from: 60, to: 180, offset: 120),
            ]).first)
        let period = night.observation(subject: nil).json["effectivePeriod"]
        #expect(period?["start"]?.string == "2023-02-11T00:00:00+01:00")
        #expect(period?["end"]?.string == "2023-02-11T04:00:00+02:00")
        // The phone also gives the end of the night, but with the clock of the day of the export.
        let two = try #require(
            Self.nights([
                try Self.sample(.inBed, from: 0, to: 180, Self.phone, offset: 0),
                try Self.sample(.core, from: 0, to: 180),
            ]).first)
        let both = two.observation(subject: nil).json["effectivePeriod"]
        #expect(both?["start"]?.string == "2023-02-11T00:00:00+01:00")
        #expect(both?["end"]?.string == "2023-02-11T03:00:00+01:00")
    }
}
