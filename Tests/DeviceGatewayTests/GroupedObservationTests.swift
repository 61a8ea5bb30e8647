import Core
import FHIR
import TestSupport
import Testing

@testable import DeviceGateway

/// Observations made of readings.
@Suite struct GroupedObservationTests {
    private static func time(_ text: String) -> MeasurementTime { MeasurementTime(text) ?? .init(ticks: 0) }

    private static let minute = 60 * MeasurementTime.perSecond

    /// Returns N values, one a minute from an instant on.
    private static func values(_ count: Int, every step: Int64 = minute, offset: Int64 = 0) -> [(
        time: MeasurementTime, text: String
    )] {
        let start = time("2019-01-01T00:00:00Z").ticks
        return (0..<count).map { (MeasurementTime(ticks: start + Int64($0) * step + offset), String($0)) }
    }

    @Test func valueOfEachMinuteFillsItsSlot() {
        let start = Self.time("2019-01-01T00:00:00Z")
        let end = MeasurementTime(ticks: start.ticks + 10 * Self.minute - MeasurementTime.perMillisecond)
        let data = SampledValues.data(of: Self.values(11), from: start, through: end, period: Self.minute)
        #expect(data == "0 1 2 3 4 5 6 7 8 9")
        let late = SampledValues.data(
            of: Self.values(11, offset: 5 * MeasurementTime.perMillisecond), from: start, through: end,
            period: Self.minute)
        #expect(late == data)
    }

    @Test func emptySlotIsWrittenAsE() {
        let start = Self.time("2019-01-01T00:00:00Z")
        let all = Self.values(5)
        let exact = SampledValues.data(of: all, from: start, through: all[4].time, period: Self.minute)
        #expect(exact == "0 1 2 3 4")
        let later = MeasurementTime(ticks: all[4].time.ticks + Self.minute)
        #expect(SampledValues.data(of: all, from: start, through: later, period: Self.minute) == "0 1 2 3 4 E")
        let sparse = Self.values(3, every: 2 * Self.minute)
        let end = MeasurementTime(ticks: start.ticks + 6 * Self.minute - 1)
        #expect(SampledValues.data(of: sparse, from: start, through: end, period: Self.minute) == "0 E 1 E 2 E")
    }

    /// In the original such a value blocks all later ones.
    @Test func valueBeforeTheWindowDoesNotBlockLaterOnes() {
        let start = Self.time("2019-01-01T00:00:00Z")
        let before = (time: MeasurementTime(ticks: start.ticks - 1), text: "x")
        let end = MeasurementTime(ticks: start.ticks + 3 * Self.minute - 1)
        let after = (time: MeasurementTime(ticks: end.ticks + 1), text: "y")
        let data = SampledValues.data(
            of: [before] + Self.values(3) + [after], from: start, through: end, period: Self.minute)
        #expect(data == "0 1 2")
    }

    private static func templates(
        _ value: String, interval: Int? = nil, more: String = ""
    ) throws -> FHIRTemplates {
        let period = interval.map { #","periodInterval":\#($0)"# } ?? ""
        return try FHIRTemplates(
            JSON(
                parsing: """
                    {"templateType":"CollectionFhir","template":[{"templateType":"CodeValueFhir","template":{
                    "codes":[{"code":"8867-4","system":"http://loinc.org","display":"Heart rate"}],"typeName":"heartrate"
                    \(period),"value":{"valueName":"hr",\(value)}\(more)}}]}
                    """))
    }

    private static func reading(
        _ at: String, _ value: String, correlation: String? = nil, patient: String? = "p"
    ) -> Measurement {
        Measurement(
            type: "HeartRate", occurrence: time(at), deviceID: "d", patientID: patient, encounterID: nil,
            correlationID: correlation, properties: [.init(name: "hr", value: value)])
    }

    private static func observations(
        _ readings: [Measurement], _ templates: FHIRTemplates
    ) -> (made: [JSON], problems: [String]) {
        let (groups, failed) = MeasurementGroup.groups(of: readings, by: templates)
        var (made, problems): ([JSON], [String]) = ([], failed.map(\.code))
        for group in groups {
            do throws(MeasurementProblem) {
                made.append(try group.observation(patient: group.measurements.first?.patientID, device: nil).json)
            } catch { problems.append(error.code) }
        }
        return (made, problems)
    }

    private static let sampled = #""valueType":"SampledData","defaultPeriod":5000,"unit":"count/min""#

    @Test func theReadingsOfAnHourAreOneObservationWith720Slots() throws {
        let templates = try Self.templates(Self.sampled, interval: 60)
        let (made, problems) = Self.observations(
            [
                Self.reading("2019-02-01T20:00:07Z", "62"), Self.reading("2019-02-01T20:00:00Z", "60"),
                Self.reading("2019-02-01T21:00:00Z", "80"), Self.reading("2019-02-01T20:59:59.9999999Z", "79"),
                Self.reading("2019-02-01T20:00:04Z", "61.0"),
            ], templates)
        #expect(problems.isEmpty && made.count == 2)
        let hour = made[0]
        #expect(hour.at("effectivePeriod", "start") == "2019-02-01T20:00:00Z")
        #expect(hour.at("effectivePeriod", "end") == "2019-02-01T20:59:59.9999999Z")
        let data = hour.at("valueSampledData", "data")?.string?.split(separator: " ") ?? []
        #expect(data.count == 720)
        #expect(data.prefix(3) == ["61.0", "62", "E"] && data.last == "79")
        #expect(hour.at("valueSampledData", "period")?.integer == 5000)
        #expect(hour.at("valueSampledData", "origin", "unit") == "count/min")
        #expect(hour.at("code", "text") == "heartrate")
        #expect(hour["identifier"]?.array?.first?["value"] == "p.d.heartrate.20190201200000Z.20190201205959Z")
        #expect(hour["id"]?.string?.count == 64)
    }

    @Test func orderOfReadingsDoesNotChangeTheObservation() throws {
        var random = Seeded.fresh()
        for interval in [0, 60, 1440] {
            let templates = try Self.templates(Self.sampled, interval: interval)
            let readings = (0..<40).map { number in
                Self.reading(
                    MeasurementTime(
                        ticks: Self.time("2019-02-01T00:00:00Z").ticks + Int64(number) * 2_137
                            * MeasurementTime.perSecond
                    ).description, String(number))
            }
            func all(_ readings: [Measurement]) -> Set<JSON> { Set(Self.observations(readings, templates).made) }
            let first = all(readings)
            for _ in 0..<5 { #expect(all(readings.shuffled(using: &random)) == first) }
        }
    }

    @Test func latestReadingIsTheQuantityOfItsGroup() throws {
        let templates = try Self.templates(
            #""valueType":"Quantity","unit":"beats/min","system":"http://unitsofmeasure.org","code":"/min""#,
            interval: 1440)
        let (made, problems) = Self.observations(
            [
                Self.reading("2019-02-01T20:00:00Z", "72.50"), Self.reading("2019-02-01T01:00:00Z", "60"),
                Self.reading("2019-02-01T20:00:00Z", "73.10"),
            ], templates)
        #expect(problems.isEmpty && made.count == 1)
        #expect(made[0].at("valueQuantity", "value")?.number?.text == "73.10")
        #expect(made[0].at("valueQuantity", "code") == "/min")
    }

    @Test func invalidNumberIsRefusedAsQuantity() throws {
        for value in [#""valueType":"Quantity""#, Self.sampled] {
            for text in ["many", "1e309", "0x10", "NaN", "1,5"] {
                let (made, problems) = Self.observations(
                    [Self.reading("2019-02-01T20:00:00Z", text)], try Self.templates(value))
                #expect(made.isEmpty && problems == ["value-not-a-number"], "\(value) \(text)")
            }
        }
    }

    @Test func readingsOfOneCorrelationAreOneObservation() throws {
        let templates = try Self.templates(#""valueType":"SampledData","defaultPeriod":1000"#, interval: -1)
        let (made, problems) = Self.observations(
            [
                Self.reading("2019-02-01T23:59:59Z", "1", correlation: "c"),
                Self.reading("2019-02-02T00:00:01Z", "2", correlation: "c"),
                Self.reading("2019-02-02T00:00:01Z", "3", correlation: "e"), Self.reading("2019-02-02T00:00:01Z", "4"),
            ], templates)
        #expect(made.count == 2 && problems == ["correlation-missing"])
        #expect(made[0]["identifier"]?.array?.first?["value"] == "c")
        #expect(made[0].at("valueSampledData", "data") == "1 E 2")
        let far = Self.observations(
            [
                Self.reading("2019-02-01T00:00:00Z", "1", correlation: "c"),
                Self.reading("2029-02-02T00:00:01Z", "2", correlation: "c"),
            ], templates)
        #expect(far.made.isEmpty && far.problems == ["too-many-measurements"])
    }

    @Test func textAndConceptFollowTheTemplate() throws {
        let text = Self.observations(
            [Self.reading("2019-02-01T20:00:00Z", "calm")], try Self.templates(#""valueType":"String""#))
        #expect(text.made.first?["valueString"] == "calm")
        let concept = Self.observations(
            [Self.reading("2019-02-01T20:00:00Z", "anything")],
            try Self.templates(
                #""valueType":"CodeableConcept","text":"Fell","codes":[{"code":"f","system":"https://example.org"}]"#))
        #expect(concept.made.first?.at("valueCodeableConcept", "text") == "Fell")
    }

    @Test func readingWithoutATemplateIsReported() throws {
        let other = Measurement(
            type: "steps", occurrence: Self.time("2019-02-01T20:00:00Z"), deviceID: "d", patientID: nil,
            encounterID: nil, correlationID: nil, properties: [])
        let (made, problems) = Self.observations([other], try Self.templates(#""valueType":"String""#))
        #expect(made.isEmpty && problems == ["template-missing"])
    }

    @Test(arguments: [
        (#""valueType":"Ratio""#, 60, "template-kind-unknown"), (#""unit":"x""#, 60, "template-member-missing"),
        (#""valueType":"SampledData","defaultPeriod":0"#, 60, "template-value-invalid"),
        (#""valueType":"SampledData","defaultPeriod":1"#, 1440, "template-value-invalid"),
        (#""valueType":"String""#, 30, "template-value-invalid"),
    ])
    func faultInATemplateIsReported(value: String, interval: Int, code: String) {
        let error = #expect(throws: TemplateError.self) { try Self.templates(value, interval: interval) }
        #expect(error?.code == code)
    }
}
