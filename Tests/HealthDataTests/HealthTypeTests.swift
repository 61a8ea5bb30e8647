import FHIR
import Foundation
import HealthData
import Testing

@Suite("The table of health types")
struct HealthTypeTests {
    @Test("every type has its own identifier, and HealthKit's coding carries it")
    func identifiers() {
        #expect(Set(HealthType.all.map(\.identifier)).count == HealthType.all.count)
        for type in HealthType.all {
            #expect(type.codings.last?.system == CodeSystem.healthKit, "\(type.identifier)")
            #expect(type.codings.last?.code == type.identifier)
            #expect(!type.title.isEmpty && !type.folder.isEmpty)
            for coding in type.codings { #expect(coding.display?.isEmpty == false) }
        }
    }

    @Test("the types of the study's promise are all there")
    func complete() {
        let wanted: Set = [
            "HeartRate", "RestingHeartRate", "StepCount", "DistanceWalkingRunning", "DistanceCycling",
            "DistanceSwimming", "DistanceWheelchair", "ActiveEnergyBurned", "BloodPressure", "OxygenSaturation",
            "RespiratoryRate", "BodyMass", "Height", "BodyTemperature", "BloodGlucose", "SleepAnalysis", "Workout",
        ]
        #expect(Set(HealthType.all.map(\.shortName)) == wanted)
    }

    @Test("the value kind agrees with what the row holds")
    func valueKinds() {
        for type in HealthType.all {
            #expect((type.valueKind == .quantity) == (type.measure != nil), "\(type.identifier)")
            #expect((type.valueKind == .concept) == !type.options.isEmpty)
            if type.valueKind == .components { #expect(!type.components.isEmpty) }
            #expect(Set(type.components.map(\.identifier)).count == type.components.count)
            // The first coding tells the components of one type apart: the ontology has a concept for each.
            #expect(
                Set(type.components.compactMap { $0.codings.first.map { "\($0.system ?? "")|\($0.code ?? "")" } }).count
                    == type.components.count)
            #expect(
                Set(type.options.flatMap { [$0.code] + $0.aliases }).count
                    == type.options.reduce(0) { $0 + 1 + $1.aliases.count })
        }
    }

    @Test("the codes that FHIR's vital signs profiles demand, with their units")
    func vitalSigns() {
        let demanded = [
            "HeartRate": ("8867-4", "/min"), "RespiratoryRate": ("9279-1", "/min"), "OxygenSaturation": ("2708-6", "%"),
            "BodyTemperature": ("8310-5", "Cel"), "Height": ("8302-2", "cm"), "BodyMass": ("29463-7", "kg"),
        ]
        for (name, row) in demanded {
            let type = HealthType.named(name)
            #expect(type?.codings.first?.code == row.0)
            #expect(type?.unit?.ucum == row.1)
            #expect(type?.category == .vitalSigns)
        }
        let pressure = HealthType.named("BloodPressure")
        #expect(pressure?.codings.first?.code == "85354-9")
        #expect(pressure?.components.map { $0.codings.first?.code } == ["8480-6", "8462-4"])
        #expect(pressure?.components.map(\.unit.ucum) == ["mm[Hg]", "mm[Hg]"])
    }

    @Test("every unit factor is a number, and every measure reads its own unit unchanged")
    func units() throws {
        let measures = HealthType.all.compactMap(\.measure) + HealthType.all.flatMap { $0.components.map(\.measure) }
        for measure in measures {
            #expect(Set(measure.sourceUnits.map(\.name)).count == measure.sourceUnits.count, "\(measure.title)")
            for unit in measure.sourceUnits {
                guard case .linear(let add, let multiply, let divide) = unit.scale else { continue }
                #expect(!add.isNaN && !multiply.isNaN && !divide.isNaN && divide != 0 && multiply > 0, "\(unit.name)")
            }
            #expect(measure.sourceUnits.contains { $0.scale == .same || $0.scale == .fraction })
        }
    }

    @Test("types are found by identifier, short name and title; members of blood pressure mean blood pressure")
    func names() {
        #expect(HealthType.named("HKQuantityTypeIdentifierHeartRate")?.shortName == "HeartRate")
        #expect(HealthType.named("heartrate")?.shortName == "HeartRate")
        #expect(HealthType.named("Walking and Running Distance")?.shortName == "DistanceWalkingRunning")
        #expect(HealthType.named("BloodPressureSystolic")?.shortName == "BloodPressure")
        #expect(HealthType.named("HKQuantityTypeIdentifierBloodPressureDiastolic")?.shortName == "BloodPressure")
        #expect(HealthType.named("Mood") == nil)
    }

    @Test("all 84 activities are workouts, in words")
    func activities() {
        let workout = HealthType.workout
        #expect(workout.options.count == 84)
        #expect(
            workout.option(named: "HKWorkoutActivityTypeTraditionalStrengthTraining")?.display
                == "Traditional Strength Training")
        #expect(workout.option(named: HealthType.otherActivity) != nil)
        for option in workout.options {
            let distance = HealthType.distanceIdentifier(of: option)
            #expect(workout.components.contains { $0.identifier == distance })
        }
    }
}
