import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct FilesElementTests {
    static let device =
        "<<HKDevice: 0x282a45810>, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,7, software:10.2>"
    static let common = [
        "sourceName": "Robin’s Apple Watch", "sourceVersion": "10.2", "device": device,
        "creationDate": "2023-05-01 10:06:00 +0200", "startDate": "2023-05-01 10:00:00 +0200",
        "endDate": "2023-05-01 10:05:00 +0200",
    ]

    static func with(_ more: [String: String]) -> [String: String] { common.merging(more) { $1 } }

    static let day = [
        "dateComponents": "2016-11-15", "activeEnergyBurned": "590.252", "activeEnergyBurnedGoal": "630",
        "activeEnergyBurnedUnit": "kcal", "appleExerciseTime": "68", "appleExerciseTimeGoal": "30",
        "appleStandHours": "13", "appleStandHoursGoal": "12",
    ]

    @Test func theSummaryOfADay() throws {
        let (summary, repairs) = try ActivitySummary.read { Self.day[$0] }
        #expect(repairs.isEmpty)
        let values = summary.observation(subject: nil).component.map { $0.value?.json["value"]?.number?.text }
        #expect(values == ["590.252", "630", "68", "30", "13", "12"])
    }

    @Test func kilojoulesOfOtherRegionsTheMoveMinutesOfOlderExportsTheMoveTimeOfNewerOnes() throws {
        var day = Self.day
        day["activeEnergyBurned"] = "2469.614368"
        day["activeEnergyBurnedUnit"] = "kJ"
        day["appleMoveMinutes"] = "45"
        day["appleMoveMinutesGoal"] = "60"
        let (summary, _) = try ActivitySummary.read { day[$0] }
        #expect(summary.energy.value?.number.text == "590.252")
        #expect(summary.energy.goal?.writtenUnit == "kJ")
        #expect(summary.moveTime.value?.number.text == "45")
        #expect(summary.moveTime.goal?.number.text == "60")
        day["appleMoveTime"] = "46"
        #expect(try ActivitySummary.read { day[$0] }.0.moveTime.value?.number.text == "46")
    }

    @Test(
        arguments: [
            ("1969-12-30", .dateOutOfRange), ("9999-12-31", .dateOutOfRange), ("", .dateMissing),
            ("2016-13-01", .dateInvalid), ("yesterday", .dateInvalid), ("2016-11-15 00:00:00", .dateInvalid),
        ] as [(String, SkipReason)])
    func invalidDaysAreSkipped(text: String, reason: SkipReason) {
        var day = Self.day
        day["dateComponents"] = text
        #expect(throws: reason) { try ActivitySummary.read { day[$0] } }
    }

    @Test func invalidValueIsLeftOutAndADayWithoutValuesSkipped() throws {
        var day = Self.day
        for bad in ["NaN", "1e309", "-3", "many"] {
            day["activeEnergyBurned"] = bad
            let (summary, repairs) = try ActivitySummary.read { day[$0] }
            #expect(summary.energy.value == nil)
            #expect(repairs == [.partDropped])
        }
        #expect(throws: SkipReason.valueMissing) {
            try ActivitySummary.read { $0 == "dateComponents" ? "2016-11-15" : nil }
        }
    }

    @Test func anAudiogramOfTheNewerKindOfItsDTD() throws {
        let first = [
            "frequencyValue": "1000", "frequencyUnit": "Hz", "leftEarValue": "12.5", "leftEarUnit": "dBHL",
            "rightEarValue": "15", "rightEarUnit": "dBHL", "leftEarMasked": "0", "rightEarMasked": "true",
            "leftEarClampingRangeLowerBound": "-10", "leftEarClampingRangeUpperBound": "90",
        ]
        let second = ["frequencyValue": "2", "frequencyUnit": "kHz", "rightEarValue": "20", "rightEarUnit": "dBHL"]
        let broken = ["frequencyValue": "NaN", "frequencyUnit": "Hz", "leftEarValue": "1", "leftEarUnit": "dBHL"]
        let (audiogram, repairs) = try Audiogram.read(
            { Self.common[$0] }, points: [first, second, broken].map { point in { point[$0] } })
        #expect(repairs == [.partDropped])
        #expect(audiogram.thresholds.map(\.frequency.number.text) == ["1000", "1000", "2000"])
        #expect(audiogram.thresholds.map(\.ear) == [.left, .right, .right])
        #expect(audiogram.thresholds.map(\.isMasked) == [false, true, nil])
        #expect(audiogram.thresholds[0].upperBound?.number.text == "90")
        let watch = HealthDevice(product: .appleWatch, manufacturer: "Apple", hardware: "Watch6,7")
        #expect(audiogram.origin.source == HealthSource(product: .appleWatch, version: "10.2", device: watch))
        #expect(audiogram.origin.created?.text == "2023-05-01T10:06:00+02:00")
        #expect(!audiogram.observation(subject: "p1").json.text().contains("Robin"))
        #expect(throws: SkipReason.valueMissing) { try Audiogram.read({ Self.common[$0] }, points: []) }
        #expect(throws: SkipReason.dateMissing) { try Audiogram.read({ _ in nil }, points: []) }
    }

    @Test func aPrescriptionWithoutTheBrandThatPeopleType() throws {
        let attributes = Self.with([
            "type": "HKVisionPrescriptionTypeGlasses", "dateIssued": "2022-10-20", "expirationDate": "2024-10-20",
            "brand": "Robin’s favourite",
        ])
        let right = [
            "sphere": "-1.25", "sphereUnit": "D", "axis": "90", "axisUnit": "deg", "add": "0.75", "addUnit": "D",
            "vertex": "12", "vertexUnit": "mm", "prismAmount": "0.5", "prismAmountUnit": "pD", "prismAngle": "180",
            "prismAngleUnit": "deg", "farPD": "31.5", "farPDUnit": "mm", "cylinder": "plano", "cylinderUnit": "D",
        ]
        let (prescription, repairs) = try VisionPrescription.read(
            { attributes[$0] }, right: { right[$0] }, left: nil)
        #expect(repairs == [.partDropped])
        #expect(prescription.purpose == .glasses)
        let observation = prescription.observation(subject: "p1")
        #expect(observation.effective?.json.string == "2022-10-20")
        #expect(
            observation.component.map { $0.value?.json["value"]?.number?.text } == [
                "-1.25", "90", "0.75", "12", "0.5", "180", "31.5", nil,
            ])
        #expect(observation.component.last?.value?.json.string == "2024-10-20")
        #expect(!observation.json.text().contains("favourite"))
        #expect(throws: SkipReason.valueMissing) {
            try VisionPrescription.read({ attributes[$0] }, right: nil, left: nil)
        }
        #expect(throws: SkipReason.dateMissing) { try VisionPrescription.read({ _ in nil }, right: nil, left: nil) }
    }

    @Test(
        arguments: [
            ("4:17:18.57 PM", 1_543_857), ("16:17:18,57", 1_543_857), ("4:17:18.5\u{202F}pm", 1_543_850),
            ("12:00:00.00 AM", 0), ("0:00:01", 100), ("下午4:17:18.570", 1_543_857), ("4:17", nil), ("", nil),
            ("4:61:00", nil), ("a:b:c", nil), ("99999999999:1:1", nil),
        ] as [(String, Int?)])
    func theClocksOfBeats(text: String, hundredths: Int?) { #expect(HeartbeatList.hundredths(text) == hundredths) }

    @Test func theBeatsOfARecordOfTheHeartRateVariabilityFollowOneAnotherAlsoOverNoon() throws {
        let record = Self.with([
            "startDate": "2023-05-01 11:59:58 +0200", "endDate": "2023-05-01 12:00:58 +0200",
        ])
        let clocks = [
            ("72", "11:59:59.50 AM"), ("74", "12:00:00.31 PM"), ("x", "12:00:01.00 PM"), ("70", "12:00:02.00 PM"),
        ]
        let (series, repairs) = try HeartbeatList.read(
            { record[$0] }, beats: clocks.map { bpm, time in { $0 == "bpm" ? bpm : $0 == "time" ? time : nil } })
        #expect(series.offsets.data == "1.5 2.31 4")
        #expect(series.gaps?.data == "0 0 1")
        #expect(series.rates?.data == "72 74 70")
        #expect(repairs == [.partDropped])
        #expect(throws: SkipReason.valueMissing) { try HeartbeatList.read({ record[$0] }, beats: []) }
    }

    /// The dates of a record have the offset of the day of the export, its beats that of the day of the recording.
    @Test(
        arguments: [
            // A winter recording exported in summer, a summer one exported in winter, zones that differ by half an
            // hour, and equal zones.
            ("19:14:47 -0400", 65, ["6:14:48.94 PM", "6:14:49.58 PM"], "1.94 2.58"),
            ("18:14:47 -0500", 65, ["19:14:47,00", "19:14:47,64"], "0 0.64"),
            ("18:14:47 +1030", 65, ["18:44:48.94", "18:44:49.58"], "1.94 2.58"),
            ("18:14:47 -0400", 65, ["6:14:48.94 PM", "6:14:49.58 PM"], "1.94 2.58"),
            // Travel over three quarters of an hour, over eight hours, and over the date line.
            ("18:14:47 +0545", 65, ["18:29:48.94", "18:29:49.58"], "1.94 2.58"),
            ("18:14:47 +0100", 65, ["2:14:49.11 AM", "2:14:50.20 AM"], "2.11 3.2"),
            ("23:59:30 +0100", 65, ["0:59:30.50", "1:00:01.60", "1:00:02.70"], "0.5 31.6 32.7"),
            // The clocks are changed within the record.
            ("01:59:30 -0400", 65, ["1:59:31.00 AM", "1:00:01.00 AM"], "1 31"),
            // The record has no end.
            ("18:14:47 -0400", 0, ["5:14:48.94 PM", "5:14:49.58 PM"], "1.94 2.58"),
            // A beat that a clock shows before the record begins counts from the start of the record.
            ("18:14:47 -0400", 65, ["6:14:46.50 PM", "6:14:47.50 PM"], "0 1"),
            // A long record: its beats need not begin in its first quarter of an hour.
            ("18:00:00 -0400", 3600, ["6:20:00.00 PM", "6:20:01.00 PM"], "1200 1201"),
        ] as [(String, Int, [String], String)])
    func beatsBeginWithTheRecordForAnyOffsetOfTheExport(
        start: String, length: Int, clocks: [String], offsets: String
    ) throws {
        let begin = "2025-07-22 " + start
        var end = try #require(ExportMoment.instant(begin))
        end.seconds += Int64(length)
        let record = Self.with(["startDate": begin, "endDate": end.text])
        let dates = record.merging(["endDate": length == 0 ? "" : Self.exportDate(end)]) { $1 }
        let (series, _) = try HeartbeatList.read(
            { dates[$0] }, beats: clocks.map { time in { $0 == "bpm" ? "70" : $0 == "time" ? time : nil } })
        #expect(series.offsets.data == offsets)
    }

    /// Returns a date in the form that exports use.
    private static func exportDate(_ instant: HealthInstant) -> String {
        let text = instant.text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(text.suffix(6).replacing(":", with: ""))"
    }

    @Test func theEntryOfAClinicalRecord() throws {
        var attributes = [
            "type": "HKClinicalTypeIdentifierLabResultRecord", "identifier": "T18", "sourceName": "Example Hospital",
            "sourceURL": "https://h.example/DSTU2/Observation/T18", "fhirVersion": "1.0.2",
            "receivedDate": "2020-08-06 05:01:22 -0800", "resourceFilePath": "/clinical-records/Observation-1.json",
        ]
        let entry = try ClinicalRecordEntry { attributes[$0] }
        #expect(entry.path == "clinical-records/Observation-1.json")
        #expect(entry.version == "1.0.2")
        #expect(entry.received?.text == "2020-08-06T05:01:22-08:00")
        for path in ["", "/", "/../../etc/passwd"] {
            attributes["resourceFilePath"] = path
            #expect(throws: SkipReason.valueMissing) { try ClinicalRecordEntry { attributes[$0] } }
        }
    }

    @Test func aClinicalRecordIsOneResource() throws {
        func read(_ text: String, pieces: Int = 3) -> Result<ClinicalRecordFile, ExportFileProblem> {
            var reader = ClinicalRecordReader(nil, maximumBytes: 4096)
            Pieces.feed(Array(text.utf8), size: pieces) { reader.feed($0) }
            return reader.finish()
        }
        func problem(_ text: String) -> ExportFileProblem? {
            if case .failure(let problem) = read(text) { problem } else { nil }
        }
        let text =
            #"{"resourceType":"Immunization","id":"i","occurrenceDateTime":"2020","doseQuantity":{"value":0.50}}"#
        for lead in ["", "\u{FEFF}", " \n"] {
            let file = try read(lead + text).get()
            #expect(file.record.fhir.text() == text)
            #expect(file.record.release == .r4)
            #expect(file.notes.isEmpty)
        }
        #expect(try read(#"{"resourceType":"Observation"}"#).get().notes == [.releaseUnknown])
        #expect(problem("") == .empty)
        #expect(problem("<html>") == .notJSON)
        #expect(problem(String(text.dropLast(3))) == .notJSON)
        #expect(problem(String(repeating: "{\"a\":", count: 700)) == .notJSON)
        #expect(problem("{}") == .notAResource)
        #expect(problem(#"{"resourceType":"Patient","name":[{"family":"Example"}]}"#) == .isPatient)
        #expect(problem("{" + String(repeating: " ", count: 5000)) == .tooLarge)
        #expect(problem(String(repeating: "7", count: 50_000)) == .notJSON)
        var reader = ClinicalRecordReader()
        let values = Array(("{\"a\":[" + String(repeating: "0,", count: 400_001)).utf8)
        Pieces.feed(values, size: 1 << 16) { reader.feed($0) }
        #expect(reader.problem == .tooLarge)
    }
}
