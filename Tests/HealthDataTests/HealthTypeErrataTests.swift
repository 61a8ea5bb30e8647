import FHIR
import Foundation
import Testing
import UCUM

@testable import HealthData

/// The twenty errors that were found in published mappings of HealthKit to FHIR: none of them is here.
@Suite("Errata of other mappings")
struct HealthTypeErrataTests {
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

    @Test("1: the atrial fibrillation burden has its own code, not the wrist temperature's")
    func atrialFibrillationBurden() throws {
        #expect(try ownCode("AtrialFibrillationBurden") == "HKQuantityTypeIdentifierAtrialFibrillationBurden")
    }

    @Test("2: cycling speed has its own code, not the threshold power's")
    func cyclingSpeed() throws {
        #expect(try ownCode("CyclingSpeed") == "HKQuantityTypeIdentifierCyclingSpeed")
    }

    @Test("3: the code of dietary carbohydrates is spelt right")
    func carbohydrates() throws {
        #expect(try ownCode("DietaryCarbohydrates") == "HKQuantityTypeIdentifierDietaryCarbohydrates")
        #expect(try type("DietaryCarbohydrates").title == "Dietary Carbohydrates")
    }

    @Test("4: the distance of skating sports is named for skating")
    func skating() throws {
        let type = try type("DistanceSkatingSports")
        #expect(type.codings.last?.display == "Skating Sports Distance")
        #expect(Set(HealthType.all.map(\.title)).count == HealthType.all.count, "no two types have one name")
    }

    @Test("5: fiber has no code that is a part of LOINC's names and no observation")
    func fiber() throws {
        #expect(try type("DietaryFiber").codings.map(\.code) == ["HKQuantityTypeIdentifierDietaryFiber"])
        for type in HealthType.all {
            for coding in type.codings + type.components.flatMap(\.codings)
            where coding.system == HealthCodeSystem.loinc {
                #expect(
                    coding.code.map { $0.first?.isNumber == true && $0.contains("-") } == true, "\(type.identifier)")
            }
        }
    }

    @Test("6: percent is per hundred: HealthKit's fraction times 100")
    func percent() throws {
        for type in HealthType.all where type.measure?.healthKitUnit == .percent {
            let measure = try #require(type.measure)
            #expect(try HealthQuantity("0.125", unit: "%", as: measure).number.text == "12.5", "\(type.identifier)")
        }
    }

    @Test("7: sleep apnea is an event that is converted")
    func sleepApnea() throws {
        let type = try type("SleepApneaEvent")
        #expect(type.valueKind == .event)
        #expect(type.example()?["valueBoolean"]?.bool == true)
    }

    @Test("8: a low cardio fitness event keeps its VO2 max, as a component")
    func cardioFitness() throws {
        let keys = HealthMetadataKey.components(of: try type("LowCardioFitnessEvent"))
        #expect(Set(keys.map(\.key)) == ["HKVO2MaxValue", "HKLowCardioFitnessEventThreshold"])
        let value = try #require(HealthMetadataKey.named("HKMetadataKeyVO2MaxValue"))
        #expect(value.codings.map(\.code) == ["HKVO2MaxValue", "HKQuantityTypeIdentifierVO2Max"])
        #expect(try metadata("HKVO2MaxValue").ucum == "mL/kg/min")
    }

    @Test("9: identifiers have a system and a value, and can be searched")
    func identifier() throws {
        var sample = try #require(try type("HeartRate").exampleSample)
        sample.uuid = UUID(uuidString: "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        let identifiers = sample.observation(subject: nil).identifier
        #expect(identifiers.count == 2)
        for identifier in identifiers {
            #expect(identifier.system?.isEmpty == false && identifier.value?.isEmpty == false)
        }
    }

    @Test("10: the sampling frequency of an electrocardiogram is in Hz")
    func samplingFrequency() throws {
        let components = try type("Electrocardiogram").example()?["component"]?.array ?? []
        let codes = components.compactMap { $0.at("valueQuantity", "code")?.string }
        #expect(codes.contains("Hz") && !codes.contains("hertz"))
        for code in codes { #expect(UCUMUnit.isValid(code)) }
    }

    @Test("11: environmental audio exposure is in dB[SPL]")
    func environmentalAudio() throws {
        #expect(try type("EnvironmentalAudioExposure").unit?.ucum == "dB[SPL]")
        #expect(!UCUMUnit.isValid("dB(SPL)"))
    }

    @Test("12: environmental sound reduction is in dB[SPL], HealthKit's dBASPL")
    func soundReduction() throws {
        let measure = try type("EnvironmentalSoundReduction").measure
        #expect(measure?.unit.ucum == "dB[SPL]")
        #expect(measure?.healthKitUnit.text == "dBASPL")
        #expect(!UCUMUnit.isValid("dB(HL)"))
    }

    @Test("13: headphone audio exposure is in dB[SPL]")
    func headphoneAudio() throws {
        #expect(try type("HeadphoneAudioExposure").unit?.ucum == "dB[SPL]")
    }

    @Test("14: insulin is in [iU]")
    func insulin() throws {
        #expect(try type("InsulinDelivery").unit?.ucum == "[iU]")
        #expect(!UCUMUnit.isValid("IU"))
    }

    @Test("15: physical effort is in kcal/(kg.h)")
    func physicalEffort() throws {
        #expect(try type("PhysicalEffort").unit?.ucum == "kcal/(kg.h)")
        #expect(!UCUMUnit.isValid("kcal/hr/kg"))
    }

    @Test("16: the waist is in centimetres")
    func waist() throws {
        let measure = try #require(try type("WaistCircumference").measure)
        #expect(measure.unit.ucum == "cm")
        #expect(try HealthQuantity("33", unit: "in", as: measure).number.text == "83.82")
    }

    @Test("17: average METs are in kcal/(kg.h)")
    func averageMETs() throws { #expect(try metadata("HKMetadataKeyAverageMETs").ucum == "kcal/(kg.h)") }

    @Test("18: the level of audio exposure is in dB[SPL]")
    func audioLevel() throws { #expect(try metadata("HKMetadataKeyAudioExposureLevel").ucum == "dB[SPL]") }

    @Test("19: the gain of headphones is in dB[SPL]")
    func headphoneGain() throws { #expect(try metadata("HKMetadataKeyHeadphoneGain").ucum == "dB[SPL]") }

    @Test("20: the intensity of light is in lx")
    func light() throws { #expect(try metadata("HKMetadataKeyMaximumLightIntensity").ucum == "lx") }
}
