import FHIR
import Foundation
import HealthData
import Testing
import UCUM

@testable import HealthTypes

@Suite struct HealthTypeUnitTests {
    private static let measures: [(identifier: String, measure: HealthMeasure)] =
        HealthType.all.flatMap { type in
            (type.measure.map { [(type.identifier, $0)] } ?? []) + type.components.map { ($0.identifier, $0.measure) }
        }
        + HealthMetadataKey.all.compactMap { key in
            if case .quantity(let measure) = key.value { (key.key, measure) } else { nil }
        }

    @Test func ucumCodesAgreeWithHealthKitsUnitsExceptForListedExceptions() throws {
        for (identifier, measure) in Self.measures {
            let ucum = try UCUMUnit(measure.unit.ucum)
            let scale = HealthUnit.scale(from: measure.healthKitUnit, to: measure.unit.ucum)
            if HealthUnit.exceptions.contains(identifier) {
                #expect(scale == nil, "\(identifier) is no exception any more")
            } else {
                #expect(scale == Decimal(measure.scale), "\(identifier)")
                let own = try #require(measure.healthKitUnit.ucum, "\(identifier)")
                #expect(try UCUMUnit(own).dimension == ucum.dimension, "\(identifier)")
            }
            #expect(!measure.unit.display.isEmpty)
        }
        #expect(HealthUnit.exceptions.isSubset(of: Self.measures.map(\.identifier)))
    }

    @Test func onlyPercentIsScaledBy100() throws {
        let scaled = Set(HealthType.all.filter { $0.measure?.scale == 100 }.map(\.shortName))
        #expect(
            scaled == [
                "AppleWalkingSteadiness", "AtrialFibrillationBurden", "BloodAlcoholContent", "BodyFatPercentage",
                "OxygenSaturation", "PeripheralPerfusionIndex", "WalkingAsymmetryPercentage",
                "WalkingDoubleSupportPercentage",
            ])
        for (identifier, measure) in Self.measures {
            #expect((measure.unit.ucum == "%") == (measure.scale == 100), "\(identifier)")
            #expect((measure.healthKitUnit == .percent) == (measure.scale == 100), "\(identifier)")
        }
        for type in HealthType.all where type.measure?.scale == 100 {
            let measure = try #require(type.measure)
            #expect(try HealthQuantity("0.5", unit: "%", as: measure).number.text == "50")
        }
    }

    @Test func countsHaveAnAnnotationForTheCountedThing() {
        for (identifier, measure) in Self.measures where measure.healthKitUnit == .count {
            #expect(measure.unit.ucum.hasPrefix("{") || measure.unit.ucum == "kg/m2", "\(identifier)")
        }
    }

    @Test func everyMeasureReadsItsOwnUnitUnchangedAndEveryCompatibleOne() throws {
        for (identifier, measure) in Self.measures {
            let own = try #require(measure.sourceUnit(named: measure.healthKitUnit.text), "\(identifier)")
            #expect(own.scale == (measure.scale == 100 ? .fraction : .same), "\(identifier)")
        }
        func text(_ name: String, value: String, unit: String) throws -> String {
            let measure = try #require(HealthType.named(name)?.measure)
            return try HealthQuantity(value, unit: unit, as: measure).number.text
        }
        #expect(try text("VO2Max", value: "41.3", unit: "mL/min·kg") == "41.3")
        #expect(try text("VO2Max", value: "41.3", unit: "ml/(kg*min)") == "41.3")
        #expect(try text("PhysicalEffort", value: "3.6", unit: "kcal/hr·kg") == "3.6")
        #expect(try text("DietaryVitaminD", value: "0.025", unit: "mg") == "25")
        #expect(try text("DietaryWater", value: "16", unit: "fl_oz_us") == "0.473176473")
        #expect(try text("RunningSpeed", value: "10.8", unit: "km/hr") == "3")
        #expect(try text("DistanceCycling", value: "0.001", unit: "Mm") == "1000")
        #expect(try text("BloodGlucose", value: "5", unit: "mmol/L") == "90.07794000002705")
        #expect(try text("OxygenSaturation", value: "0.97", unit: "count") == "97")
        #expect(HealthType.workout.components.first?.measure.sourceUnit(named: "h") != nil)
        for (type, unit) in [("BodyMass", "m"), ("StepCount", ""), ("HeartRate", "beats"), ("Height", "cm ")] {
            let found = HealthType.named(type)?.measure?.sourceUnit(named: unit)
            #expect(found == nil, "\(type) in \(unit)")
        }
    }

    @Test func examplesAreLikelyAndInTheLikelyRange() throws {
        for type in HealthType.all {
            guard let measure = type.measure, let text = type.exampleText else { continue }
            let value = try HealthQuantity(text, unit: measure.healthKitUnit.text, as: measure).number.double
            let range = try #require(measure.plausible, "\(type.identifier)")
            #expect(range.contains(value), "\(type.identifier): \(value)")
        }
    }
}
