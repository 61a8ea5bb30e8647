import HealthData
import Testing

@testable import Warehouse

@Suite struct HealthConceptTests {
    private let all = HealthConcept.all

    /// Warehouses have stored facts under these paths and codes since the first version.
    @Test(arguments: [
        ("HeartRate", "Vital Signs", "8867-4"), ("RestingHeartRate", "Vital Signs", "40443-4"),
        ("OxygenSaturation", "Vital Signs", "2708-6"), ("RespiratoryRate", "Vital Signs", "9279-1"),
        ("BodyTemperature", "Vital Signs", "8310-5"), ("BloodPressure", "Vital Signs", "85354-9"),
        ("HKQuantityTypeIdentifierBloodPressureSystolic", "Vital Signs", "8480-6"),
        ("HKQuantityTypeIdentifierBloodPressureDiastolic", "Vital Signs", "8462-4"),
        ("BodyMass", "Body Measurements", "29463-7"), ("Height", "Body Measurements", "8302-2"),
        ("BloodGlucose", "Laboratory", "41653-7"), ("StepCount", "Activity", "55423-8"),
        ("DistanceWalkingRunning", "Activity", "HKQuantityTypeIdentifierDistanceWalkingRunning"),
        ("DistanceCycling", "Activity", "HKQuantityTypeIdentifierDistanceCycling"),
        ("DistanceSwimming", "Activity", "93816-7"),
        ("DistanceWheelchair", "Activity", "HKQuantityTypeIdentifierDistanceWheelchair"),
        ("ActiveEnergyBurned", "Activity", "41981-2"),
        ("SleepAnalysis", "Sleep", "HKCategoryTypeIdentifierSleepAnalysis"), ("Workout", "Workouts", "73985-4"),
        ("workout-duration", "Workouts", "55411-3"),
        ("HKQuantityTypeIdentifierActiveEnergyBurned", "Workouts", "workout-energy"),
        ("HKQuantityTypeIdentifierDistanceWalkingRunning", "Workouts", "workout-distance-walking-running"),
        ("HKQuantityTypeIdentifierDistanceSkatingSports", "Workouts", "workout-distance-skating-sports"),
        ("workout-heart-rate-average", "Workouts", "workout-heart-rate-average"),
    ])
    func conceptsOfTheFirstVersionKeepTheirPathAndCode(identifier: String, folder: String, code: String) throws {
        let found = all.filter { $0.identifier == identifier && $0.category == folder }
        #expect(found.count == 1)
        #expect(found.first?.codings.first?.code == code)
    }

    @Test func everyTypeThatHasObservationsIsAConceptAndNoTwoTypesHaveOneCode() {
        let own = all.filter { !$0.isPart }
        let types = HealthType.all.filter { $0.correlation == nil && $0.kind != .clinicalRecord }
        #expect(own.map(\.identifier) == types.map(\.shortName))
        let codes = own.compactMap { concept in
            FactMapping.preferred(concept.codings.map { .init(system: $0.system, code: $0.code) })?.code
        }
        #expect(codes.count == own.count)
        #expect(Set(codes).count == codes.count)
    }

    @Test func conceptKindDependsOnTheHealthType() throws {
        func concept(_ identifier: String) throws -> HealthConcept {
            try #require(all.first { $0.identifier == identifier })
        }
        #expect(try concept("MindfulSession").isBoolean)
        #expect(try concept("Headache").options.map(\.code).last == "HKCategoryValueSeveritySevere")
        #expect(try concept("PHQ9").isNumeric)
        #expect(try concept("HKSexualActivityProtectionUsed").isBoolean)
        #expect(try concept("HKHeartRateEventThreshold").ucum == "/min")
        #expect(try concept("DietaryWater").ucum == "L")
        #expect(try concept("HKElectrocardiogram.SamplingFrequency").ucum == "Hz")
        #expect(try concept("HKStateOfMindKind").isPart)
    }
}
