import FHIR
import HealthTypes
import Testing

@Suite struct HealthTypeMetadataTests {
    @Test func keysAreFoundAsExportsWriteThemAndByTheConstantsNameEachNameOnce() {
        let names = HealthMetadataKey.all.flatMap { [$0.key] + $0.otherSpellings }
        #expect(Set(names).count == names.count)
        for (name, key) in [
            ("HKMetadataKeyWeatherTemperature", "HKWeatherTemperature"),
            ("HKAudioExposureLevel", "HKMetadataKeyAudioExposureLevel"),
            ("HKMetadataKeyMenstrualCycleStart", "HKMenstrualCycleStart"),
            ("HKHeartRateEventThreshold", "HKHeartRateEventThreshold"),
        ] { #expect(HealthMetadataKey.named(name)?.key == key) }
    }

    @Test(arguments: [
        "HKExternalUUID", "HKDeviceName", "HKDeviceManufacturerName", "HKDeviceSerialNumber", "HKFoodType",
        "HKWorkoutBrandName", "HKMetadataKeySyncIdentifier", "HKDigitalSignature", "HKUDIDeviceIdentifier",
        "HKMetadataKeyGlassesPrescriptionDescription", "HKTimeZone", "Withings Link", "",
        "_HKPrivateWorkoutWeatherLocationCoordinatesLatitude",
    ])
    func metadataThatMayContainIdentifyingTextIsOmitted(key: String) {
        #expect(HealthMetadataKey.named(key) == nil)
    }

    @Test func casesAreFoundByTheirNumberExceptForEmptyOnes() throws {
        let motion = try #require(HealthMetadataKey.named("HKMetadataKeyHeartRateMotionContext"))
        #expect(motion.option(named: "2")?.code == "active")
        #expect(motion.option(named: "0") == nil)
        let side = try #require(HealthMetadataKey.named("HKMetadataKeyDevicePlacementSide"))
        #expect(side.option(named: "1")?.display == "Left")
        let activity = try #require(HealthMetadataKey.named("HKActivityType"))
        #expect(activity.option(named: "37")?.code == "HKWorkoutActivityTypeRunning")
        let humidity = try #require(HealthMetadataKey.named("HKWeatherHumidity"))
        #expect(humidity.option(named: "1") == nil)
    }

    @Test func metadataThatDescribesAnEventIsAComponent() throws {
        func keys(_ name: String) throws -> [String] {
            HealthMetadataKey.components(of: try #require(HealthType.named(name))).map(\.key)
        }
        #expect(try keys("SexualActivity") == ["HKSexualActivityProtectionUsed"])
        #expect(try keys("MenstrualFlow") == ["HKMenstrualCycleStart"])
        #expect(try keys("HighHeartRateEvent") == ["HKHeartRateEventThreshold"])
        #expect(try keys("LowHeartRateEvent") == ["HKHeartRateEventThreshold"])
        #expect(try keys("HeartRate").isEmpty)
        for key in HealthMetadataKey.all {
            for identifier in key.componentOf { #expect(HealthTypeTable.standard.type(identifier) != nil) }
            #expect(key.codings.first?.code == key.key)
        }
    }
}
