import FHIR
import Foundation
import HealthData
import Testing

@Suite struct SpecialSignalTests {
    static let start = SpecialRecordTests.start
    static let watch = SpecialRecordTests.watch

    @Test func electrocardiogramHasAnExactPeriodAndTheDigitsOfItsSource() throws {
        var series = SampledSeries()
        for text in ["57.992", "62.410", "-66.502", "0"] { series.append(JSONNumber(text: text)) }
        series.append(nil)
        let record = try #require(
            Electrocardiogram(
                start: Self.start, samplingFrequency: JSONNumber(512), voltages: .init(series),
                classification: .atrialFibrillation, averageHeartRate: JSONNumber(text: "63.7"), symptoms: .present,
                origin: Self.watch))
        let observation = record.observation(subject: "p1")
        #expect(observation.code?.coding.contains { $0.code == "131328" } == true)
        #expect(
            observation.component.map { $0.code?.coding.first?.code } == [
                "HKElectrocardiogram.NumberOfVoltageMeasurements", "HKElectrocardiogram.SamplingFrequency",
                "HKElectrocardiogram.Classification", "8867-4", "HKElectrocardiogram.SymptomsStatus", "131329",
            ])
        let values = observation.component.compactMap { $0.value }
        #expect(values[0].json.integer == 5)
        #expect(values[1].json["value"]?.number?.text == "512")
        #expect(
            values[2].json["coding"]?[0]?["code"]?.string == "HKElectrocardiogramClassificationAtrialFibrillation")
        #expect(values[3].json["value"]?.number?.text == "63.7")
        #expect(
            values[5].json.text() == """
                {"origin":{"value":0,"unit":"uV","system":"http://unitsofmeasure.org","code":"uV"},\
                "period":1.953125,"dimensions":1,"data":"57.992 62.410 -66.502 0 E"}
                """)
    }

    @Test func periodOfADecimalFrequencyHas18DigitsAndTheEndFollowsTheLastVoltage() throws {
        let series = SampledSeries(Array(repeating: 1.5, count: 15_347))
        let frequency = try #require(JSONNumber(text: "511.562"))
        let record = try #require(
            Electrocardiogram(
                start: Self.start, samplingFrequency: frequency, voltages: .init(series), origin: Self.watch))
        #expect(record.period.text == "1.95479726797533828")
        #expect(record.observation(subject: nil).effective?.json["end"]?.string == "2016-11-14T08:26:11-07:00")
        for text in ["0", "0.5", "-512", "1e9"] {
            let frequency = try #require(JSONNumber(text: text))
            #expect(
                Electrocardiogram(
                    start: Self.start, samplingFrequency: frequency, voltages: .init(series), origin: Self.watch) == nil
            )
        }
        #expect(
            Electrocardiogram(
                start: Self.start, samplingFrequency: JSONNumber(512), voltages: .init(SampledSeries()),
                origin: Self.watch) == nil)
    }

    @Test func millivoltsKeepTheirDigitsAndHaveAFactor() throws {
        let record = try #require(
            Electrocardiogram(
                start: Self.start, samplingFrequency: JSONNumber(512),
                voltages: .init(SampledSeries([0.057992]), microvoltFactor: 1000), origin: Self.watch))
        let data = record.observation(subject: nil).component.last?.value?.json
        #expect(data?["factor"]?.integer == 1000)
        #expect(data?["data"]?.string == "0.057992")
    }

    @Test func everyCaseHasApplesNumberAndName() {
        #expect(Electrocardiogram.Classification.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 100])
        #expect(Set(Electrocardiogram.Classification.allCases.map(\.option.code)).count == 8)
        #expect(
            Electrocardiogram.Classification.inconclusivePoorReading.option.code
                == "HKElectrocardiogramClassificationInconclusivePoorReading")
        #expect(
            Electrocardiogram.SymptomsStatus.allCases.map(\.option.code) == [
                "HKElectrocardiogramSymptomsStatusNotSet", "HKElectrocardiogramSymptomsStatusNone",
                "HKElectrocardiogramSymptomsStatusPresent",
            ])
    }

    @Test func floatingPointNumbersHaveTheirShortestDigitsAndOtherValuesAreGaps() {
        let series = SampledSeries([1, -0.1, 1e-7, 1e22, .nan, .infinity, 60.100])
        #expect(series.data == "1 -0.1 0.0000001 10000000000000000000000 E E 60.1")
        #expect(series.gaps == 2)
    }

    @Test func beatsAreOffsetsWithRowsForMissedBeatsAndRates() throws {
        let beats = [(0.0, false), (0.8125, false), (2.5, true)].map {
            HeartbeatSeries.Beat(offset: $0.0, isPrecededByGap: $0.1, rate: JSONNumber(72))
        }
        let record = try #require(HeartbeatSeries(start: Self.start, beats: beats, origin: Self.watch))
        let data = record.observation(subject: nil).component.map { $0.value?.json["data"]?.string }
        #expect(data == ["0 0.813 2.5", "0 0 1", "72 72 72"])
        #expect(record.observation(subject: nil).component.first?.value?.json["period"]?.integer == 1250)
        func series(_ offsets: [Double]) -> HeartbeatSeries? {
            HeartbeatSeries(start: Self.start, beats: offsets.map { .init(offset: $0) }, origin: Self.watch)
        }
        #expect(series([1, 0.5]) == nil)
        #expect(series([-1]) == nil)
        #expect(series([.nan]) == nil)
        #expect(series([]) == nil)
        #expect(series([0, 1])?.gaps == nil)
    }

    static func point(_ milliseconds: Int64, _ latitude: String = "37.781672", course: String? = "206.252884")
        -> RouteTrack.Point
    {
        RouteTrack.Point(
            time: start.seconds * 1000 + milliseconds, latitude: latitude, longitude: "-122.396397",
            elevation: "4.076904", speed: "0.180883", course: course, horizontalAccuracy: "8.063116",
            verticalAccuracy: "6.428697")
    }

    @Test func routeContainsLocationsOnlyIfRequested() throws {
        var track = RouteTrack()
        for time in [0, 1000, 2500] as [Int64] { _ = track.add(Self.point(time)) }
        var route = try #require(WorkoutRoute(track: track, offsetMinutes: -420, origin: Self.watch))
        let hidden = route.observation(subject: "p1").json.text()
        for text in ["37.78", "122.39", "4.0769", "206.25", "8.063", "latitude", "Longitude"] {
            #expect(!hidden.contains(text), "\(text)")
        }
        #expect(hidden.contains("0.180883 0.180883 0.180883"))
        route.detail = .locations
        let data = route.observation(subject: "p1").component.map { $0.value?.json["data"]?.string }
        #expect(data.count == 9)
        #expect(data[1] == "0 1 2.5")
        #expect(data[2] == "37.781672 37.781672 37.781672")
        #expect(route.observation(subject: "p1").effective?.json["end"]?.string == "2016-11-14T08:25:43-07:00")
    }

    @Test func routeWithoutLocationsIsTheSameWhereverItWas() throws {
        func route(_ latitude: String, course: String?, _ detail: WorkoutRoute.Detail) throws -> WorkoutRoute {
            var track = RouteTrack()
            for time in [0, 1000, 2500] as [Int64] { _ = track.add(Self.point(time, latitude, course: course)) }
            return try #require(WorkoutRoute(track: track, detail: detail, origin: Self.watch))
        }
        func written(_ route: WorkoutRoute) -> [String] {
            let special = HealthSpecial(route, subject: "p1")
            return special.resources.map { $0.text() } + [special.fingerprint.text]
        }
        let hidden = try route("37.781672", course: "206.252884", .motion)
        let elsewhere = try route("-12.5", course: nil, .motion)
        #expect(written(hidden) == written(elsewhere))
        #expect(hidden.fingerprint == elsewhere.fingerprint && hidden.id(subject: "p1") == elsewhere.id(subject: "p1"))
        let shown = try route("37.781672", course: "206.252884", .locations)
        #expect(try shown.fingerprint != route("-12.5", course: nil, .locations).fingerprint)
        #expect(shown.fingerprint != hidden.fingerprint)
    }

    @Test func invalidPointsAreRefusedAndUnknownValuesAreGaps() throws {
        var track = RouteTrack()
        let none = [Self.point(0, "91"), Self.point(0, "NaN"), Self.point(0, ""), Self.point(.max / 2)]
        let taken = none.map { track.add($0) }
        #expect(taken == [false, false, false, false])
        #expect(WorkoutRoute(track: track) == nil)
        for point in [Self.point(0, course: "-1"), Self.point(-7, course: nil), Self.point(50, course: "12")] {
            _ = track.add(point)
        }
        #expect(track.courses.data == "E E 12")
        #expect(track.offsets.data == "0 -0.007 0.05")
        #expect(track.start == Self.start.seconds * 1000 - 7)
    }
}
