import FHIR
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct MetadataOmissionTests {
    @Test func droppedMetadataAreCountedByReason() throws {
        let outcome = try Exports.convert(
            Exports.record(metadata: [
                ("HKTimeZone", "Asia/Tokyo"), ("HKWasUserEntered", "1"), ("com.example.mood", "of the app"),
                ("Note", "of the app"), ("HKWeatherTemperature", "70 degF"), ("HKNobodyKnows", "1"),
                ("HKMetadataKeyHeartRateMotionContext", "very"), ("HKMetadataKeyHeartRateMotionContext", "1"),
                ("HKMetadataKeyHeartRateMotionContext", "2"), ("HKNobodyKnows", String(repeating: "x", count: 65)),
            ]))
        #expect(
            outcome.importReport.droppedMetadata
                == [.ofApp: 2, .revealing: 1, .unlisted: 1, .unreadable: 2, .repeated: 1])
        #expect(outcome.importReport.parts["MetadataEntry"] == 10)
        let reported = outcome.importReport.json["droppedMetadata"]
        #expect(reported?["of-app"]?.integer == 2 && reported?["repeated"]?.integer == 1)
    }

    @Test func includedMetadataIsNotCountedAsOmitted() throws {
        let outcome = try Exports.convert(Exports.record(metadata: [("HKWasUserEntered", "0")]))
        #expect(outcome.importReport.droppedMetadata.isEmpty)
        #expect(outcome.importReport.json["droppedMetadata"] == nil)
    }
}
