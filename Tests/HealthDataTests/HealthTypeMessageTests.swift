import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import Testing

@Suite struct HealthTypeMessageTests {
    private static let zero = UUID(uuidString: "00000000-0000-0000-0000-000000000000")

    private func message(_ name: String, text: String, unit: String) throws -> JSON? {
        let type = try #require(HealthType.named(name))
        let measure = try #require(type.measure)
        let epoch = HealthInstant(seconds: 0, offsetMinutes: 120)
        let sample = HealthSample(
            type: type, value: .quantity(try HealthQuantity(text, unit: unit, as: measure)), start: epoch, end: epoch,
            source: Samples.watch, uuid: Self.zero)
        return sample.message(subject: nil)
    }

    @Test(arguments: [
        ("HeartRate", "66", "count/min", "heartRate", "66", "beats/min"),
        ("RestingHeartRate", "14", "count/min", "restingHeartRate", "14", "beats/min"),
        ("WalkingHeartRateAverage", "98", "count/min", "walkingHeartRateAverage", "98", "beats/min"),
        ("RespiratoryRate", "20", "count/min", "respiratoryRate", "20", "count/min"),
        ("ActiveEnergyBurned", "25", "kcal", "activeEnergyBurned", "25", "kcal"),
        ("DietaryEnergyConsumed", "25", "kcal", "dietaryEnergyConsumed", "25", "kcal"),
        ("AppleExerciseTime", "1", "min", "appleExerciseTime", "60000", "ms"),
        ("AppleStandTime", "1", "min", "appleStandTime", "60000", "ms"),
        ("HeartRateVariabilitySDNN", "23", "ms", "heartRateVariability", "23", "ms"),
        ("BloodGlucose", "80", "mg/dL", "bloodGlucose", "80", "mg/dL"),
        ("BodyMass", "85", "kg", "bodyMass", "85", "kg"), ("Height", "1.8", "m", "height", "180", "cm"),
        ("BodyTemperature", "37", "degC", "bodyTemperature", "37", "degC"),
        ("EnvironmentalAudioExposure", "10", "dBASPL", "environmentalAudioExposure", "10", "dB(SPL)"),
        ("OxygenSaturation", "0.98", "%", "oxygenSaturation", "98", "%"),
        ("StepCount", "200", "count", "stepCount", "200", "count"),
    ])
    func messageHasValueAndUnitUnderTheNamesOfReceivers(
        name: String, text: String, unit: String, key: String, value: String, shown: String
    ) throws {
        let message = try #require(try message(name, text: text, unit: unit))
        #expect(message["uuid"]?.string == "00000000-0000-0000-0000-000000000000")
        #expect(message["startDate"]?.string == "1970-01-01T00:00:00Z")
        #expect(message["endDate"]?.string == "1970-01-01T00:00:00Z")
        #expect(message[key]?.number?.text == value)
        #expect(message["unit"]?.string == shown)
        #expect(message.object?.count == 5)
    }

    @Test func bloodPressureMessageNeedsBothValues() throws {
        let message = try #require(try Samples.pressure("120", "80").message(subject: nil))
        #expect(message["systolic"]?.integer == 120 && message["diastolic"]?.integer == 80)
        #expect(message["systolicUnit"]?.string == "mmHg" && message["diastolicUnit"]?.string == "mmHg")
        #expect(try Samples.pressure("120", nil).message(subject: nil) == nil)
    }

    @Test func typesThatHealthKitOnFhirDoesNotKnowHaveNoMessage() throws {
        #expect(try message("FlightsClimbed", text: "3", unit: "count") == nil)
        #expect(HealthType.all.compactMap(\.message).count == 18)
    }
}
