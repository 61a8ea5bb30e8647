import FHIR
import Foundation
import Testing
import UCUM

@testable import HealthData

/// The twenty errors found in published mappings of HealthKit to FHIR: the type table has none of them.
@Suite struct HealthTypeErrataTests {
    private func type(_ name: String) throws -> HealthType {
        try #require(HealthTypeTable.standard.all.first { $0.shortName == name }, "\(name)")
    }

    private func ownCode(_ name: String) throws -> String? {
        try type(name).codings.first { $0.system == HealthCodeSystem.healthKit }?.code
    }

    private func metadata(_ key: String) throws -> HealthUnit {
        guard case .quantity(let measure) = try #require(HealthMetadataKey.named(key)).value else {
            Issue.record("\(key) is no quantity")
            return HealthUnit("", "")
        }
        return measure.unit
    }

    @Test func of1TheAtrialFibrillationBurdenHasItsOwnCodeNotTheWristTemperatures() throws {
        #expect(try ownCode("AtrialFibrillationBurden") == "HKQuantityTypeIdentifierAtrialFibrillationBurden")
    }

    @Test func of2CyclingSpeedHasItsOwnCodeNotTheThresholdPowers() throws {
        #expect(try ownCode("CyclingSpeed") == "HKQuantityTypeIdentifierCyclingSpeed")
    }

    @Test func of3TheCodeOfDietaryCarbohydratesIsSpeltRight() throws {
        #expect(try ownCode("DietaryCarbohydrates") == "HKQuantityTypeIdentifierDietaryCarbohydrates")
        #expect(try type("DietaryCarbohydrates").title == "Dietary Carbohydrates")
    }

    @Test func of4DistanceOfSkatingSportsHasItsOwnName() throws {
        let type = try type("DistanceSkatingSports")
        #expect(type.codings.last?.display == "Skating Sports Distance")
        #expect(Set(HealthType.all.map(\.title)).count == HealthType.all.count, "no two types have one name")
    }

    @Test func of5FiberHasNoCodeThatIsAPartOfLOINCsNamesAndNoObservation() throws {
        #expect(try type("DietaryFiber").codings.map(\.code) == ["HKQuantityTypeIdentifierDietaryFiber"])
        for type in HealthType.all {
            for coding in type.codings + type.components.flatMap(\.codings)
            where coding.system == HealthCodeSystem.loinc {
                #expect(
                    coding.code.map { $0.first?.isNumber == true && $0.contains("-") } == true, "\(type.identifier)")
            }
        }
    }

    @Test func of6PercentIsPerHundredHealthKitsFractionTimes100() throws {
        for type in HealthType.all where type.measure?.healthKitUnit == .percent {
            let measure = try #require(type.measure)
            #expect(try HealthQuantity("0.125", unit: "%", as: measure).number.text == "12.5", "\(type.identifier)")
        }
    }

    @Test func of7SleepApneaIsAnEventThatIsConverted() throws {
        let type = try type("SleepApneaEvent")
        #expect(type.valueKind == .event)
        #expect(type.example()?["valueBoolean"]?.bool == true)
    }

    @Test func of8ALowCardioFitnessEventKeepsItsVO2MaxAsAComponent() throws {
        let keys = HealthMetadataKey.components(of: try type("LowCardioFitnessEvent"))
        #expect(Set(keys.map(\.key)) == ["HKVO2MaxValue", "HKLowCardioFitnessEventThreshold"])
        let value = try #require(HealthMetadataKey.named("HKMetadataKeyVO2MaxValue"))
        #expect(value.codings.map(\.code) == ["HKVO2MaxValue", "HKQuantityTypeIdentifierVO2Max"])
        #expect(try metadata("HKVO2MaxValue").ucum == "mL/kg/min")
    }

    @Test func of9IdentifiersHaveASystemAndAValueAndCanBeSearched() throws {
        var sample = try #require(try type("HeartRate").exampleSample)
        sample.uuid = UUID(uuidString: "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        let identifiers = sample.observation(subject: nil).identifier
        #expect(identifiers.count == 2)
        for identifier in identifiers {
            #expect(identifier.system?.isEmpty == false && identifier.value?.isEmpty == false)
        }
    }

    @Test func of10TheSamplingFrequencyOfAnElectrocardiogramIsInHz() throws {
        let components = try type("Electrocardiogram").example()?["component"]?.array ?? []
        let codes = components.compactMap { $0.at("valueQuantity", "code")?.string }
        #expect(codes.contains("Hz") && !codes.contains("hertz"))
        for code in codes { #expect(UCUMUnit.isValid(code)) }
    }

    @Test func of11EnvironmentalAudioExposureIsInDBSPL() throws {
        #expect(try type("EnvironmentalAudioExposure").unit?.ucum == "dB[SPL]")
        #expect(!UCUMUnit.isValid("dB(SPL)"))
    }

    @Test func of12EnvironmentalSoundReductionIsInDBSPLHealthKitsDBASPL() throws {
        let measure = try type("EnvironmentalSoundReduction").measure
        #expect(measure?.unit.ucum == "dB[SPL]")
        #expect(measure?.healthKitUnit.text == "dBASPL")
        #expect(!UCUMUnit.isValid("dB(HL)"))
    }

    @Test func of13HeadphoneAudioExposureIsInDBSPL() throws {
        #expect(try type("HeadphoneAudioExposure").unit?.ucum == "dB[SPL]")
    }

    @Test func of14InsulinIsInIU() throws {
        #expect(try type("InsulinDelivery").unit?.ucum == "[iU]")
        #expect(!UCUMUnit.isValid("IU"))
    }

    @Test func of15PhysicalEffortIsInKcalKgH() throws {
        #expect(try type("PhysicalEffort").unit?.ucum == "kcal/(kg.h)")
        #expect(!UCUMUnit.isValid("kcal/hr/kg"))
    }

    @Test func of16TheWaistIsInCentimetres() throws {
        let measure = try #require(try type("WaistCircumference").measure)
        #expect(measure.unit.ucum == "cm")
        #expect(try HealthQuantity("33", unit: "in", as: measure).number.text == "83.82")
    }

    @Test func of17AverageMETsAreInKcalKgH() throws {
        #expect(try metadata("HKMetadataKeyAverageMETs").ucum == "kcal/(kg.h)")
    }

    @Test func of18TheLevelOfAudioExposureIsInDBSPL() throws {
        #expect(try metadata("HKMetadataKeyAudioExposureLevel").ucum == "dB[SPL]")
    }

    @Test func of19TheGainOfHeadphonesIsInDBSPL() throws {
        #expect(try metadata("HKMetadataKeyHeadphoneGain").ucum == "dB[SPL]")
    }

    @Test func of20TheIntensityOfLightIsInLx() throws {
        #expect(try metadata("HKMetadataKeyMaximumLightIntensity").ucum == "lx")
    }
}
