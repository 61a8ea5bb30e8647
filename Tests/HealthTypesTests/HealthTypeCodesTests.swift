import FHIR
import Testing

@testable import HealthTypes

/// The type that a resource's codings identify.
@Suite struct HealthTypeCodesTests {
    private static let loinc = HealthCodeSystem.loinc
    private static let snomed = HealthCodeSystem.snomed
    private let table = HealthTypeTable.standard

    private func name(_ codings: [(system: String?, code: String)]) -> String? {
        table.type(of: codings.map { Coding(system: $0.system, code: $0.code) })?.shortName
    }

    @Test func tableOfFurtherCodesHasNoFaults() {
        #expect(HealthTypeCodes.faults == [])
    }

    @Test func eachTypeIsFoundByItsOwnCodings() {
        for type in table.all where !type.codings.isEmpty {
            #expect(table.type(of: type.codings) == type, "\(type.identifier)")
            #expect(table.type(of: type.codings.reversed()) == type, "\(type.identifier)")
        }
    }

    @Test func anyCodeOfATypeNamesItInAnyOrder() {
        #expect(name([(Self.loinc, "59408-5")]) == "OxygenSaturation")
        #expect(name([(Self.loinc, "59408-5"), (Self.loinc, "2708-6")]) == "OxygenSaturation")
        #expect(name([(Self.snomed, "27113001"), (Self.loinc, "29463-7")]) == "BodyMass")
        #expect(name([(Self.snomed, "226354008")]) == "DietaryWater")
        #expect(name([(Self.loinc, "1-8"), (Self.loinc, "8867-4")]) == "HeartRate")
        #expect(name([(Self.loinc, "8310-5")]) == "BodyTemperature")
        #expect(name([(Self.loinc, "8310-5"), (Self.snomed, "300076005")]) == "BasalBodyTemperature")
        #expect(name([(Self.loinc, "85354-9")]) == "BloodPressure")
        #expect(name([("https://loinc.org/", "8867-4")]) == "HeartRate")
        #expect(name([("urn:oid:2.16.840.1.113883.6.1", "8867-4")]) == "HeartRate")
    }

    @Test(arguments: [
        "com.apple.health", "http://developer.apple.com/documentation/healthkit",
        "https://developer.apple.com/documentation/healthkit", nil,
    ])
    func healthKitsOwnCodeNamesTheType(system: String?) {
        #expect(name([(system, "HKQuantityTypeIdentifierStepCount")]) == "StepCount")
        #expect(name([(Self.loinc, "1-8"), (system, "HKQuantityTypeIdentifierStepCount")]) == "StepCount")
        #expect(name([(system, "HKCategoryTypeIdentifierSleepAnalysis")]) == "SleepAnalysis")
    }

    @Test func partWithItsOwnCodeIsNotAType() {
        #expect(name([(HealthCodeSystem.component, "workout-heart-rate-average"), (Self.loinc, "8867-4")]) == nil)
        #expect(
            name([
                (HealthCodeSystem.healthKit, "HKHeartRateEventThreshold"),
                (HealthCodeSystem.healthKit, "HKQuantityTypeIdentifierHeartRate"),
            ]) == nil)
        #expect(name([("http://example.org/codes", "8867-4")]) == nil)
        #expect(name([(Self.loinc, "1-8")]) == nil)
        #expect(name([]) == nil)
    }

    /// The codes of a supplement count like those of the table.
    @Test func aStudysTypesAreFoundByTheirCodes() throws {
        let supplement: JSON = [
            "types": [
                [
                    "identifier": "org.example.grip", "kind": "quantity", "title": "Grip",
                    "codings": [["system": "http://loinc.org", "code": "83174-3", "display": "Grip strength"]],
                    "unit": ["healthKit": "kg", "ucum": "kg", "display": "kg"],
                ]
            ]
        ]
        let own = try table.applying(supplement: supplement)
        #expect(own.type(of: [Coding(system: Self.loinc, code: "83174-3")])?.identifier == "org.example.grip")
    }
}
