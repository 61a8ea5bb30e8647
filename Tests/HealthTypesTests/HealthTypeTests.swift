import FHIR
import Foundation
import Testing
import UCUM

@testable import HealthTypes

@Suite struct HealthTypeTests {
    private let table = HealthTypeTable.standard

    @Test func everyRowOfTheTablesCanBeRead() {
        #expect(HealthTypeReader().faults == [])
        #expect(HealthMetadataKey.faults == [])
    }

    @Test func everyTypeHasItsOwnIdentifierAndHealthKitsCodingCarriesIt() {
        #expect(Set(table.all.map(\.identifier)).count == table.all.count)
        for type in table.all {
            let own = type.codings.filter { $0.system == HealthCodeSystem.healthKit }
            #expect(own.map(\.code) == [type.identifier], "\(type.identifier)")
            #expect(type.codings.last == own.first)
            #expect(!type.title.isEmpty && !type.folder.isEmpty)
            for coding in type.codings { #expect(coding.display?.isEmpty == false) }
        }
        for component in table.all.filter({ $0.kind == .correlation }).flatMap(\.components) {
            #expect(component.codings.last?.code == component.identifier)
        }
    }

    @Test func theIdentifiersAreApplesAllOfThemAndNoOthers() {
        func identifiers(_ kind: HealthType.Kind) -> [String] {
            table.all.filter { $0.kind == kind }.map(\.identifier).sorted()
        }
        #expect(identifiers(.quantity) == AppleIdentifiers.quantity)
        #expect(AppleIdentifiers.quantity.count == 121)
        #expect(identifiers(.category) == AppleIdentifiers.category)
        #expect(AppleIdentifiers.category.count == 69)
        #expect(
            identifiers(.correlation)
                == ["HKCorrelationTypeIdentifierBloodPressure", "HKCorrelationTypeIdentifierFood"])
        #expect(identifiers(.clinicalRecord).count == 9)
        #expect(identifiers(.assessment).map { $0.suffix(4) } == ["GAD7", "PHQ9"])
        #expect(identifiers(.medicationDose) == ["HKMedicationDoseEventTypeIdentifierMedicationDoseEvent"])
        #expect(identifiers(.medicationConcept) == ["HKDataTypeIdentifierUserAnnotatedMedicationConcept"])
        for kind in HealthType.Kind.allCases { #expect(!identifiers(kind).isEmpty, "\(kind)") }
    }

    @Test func valueKindAgreesWithTheMembersOfTheRow() {
        for type in table.all {
            #expect((type.valueKind == .quantity) == (type.measure != nil), "\(type.identifier)")
            #expect((type.valueKind == .concept) == !type.options.isEmpty, "\(type.identifier)")
            #expect((type.valueKind == .resource) == (type.kind == .clinicalRecord))
            #expect((type.valueKind == .integer) == (type.kind == .assessment))
            #expect(Set(type.components.map(\.identifier)).count == type.components.count)
            // The first coding distinguishes the components of one type: the ontology has a concept for each.
            #expect(
                Set(type.components.compactMap { $0.codings.first.map { "\($0.system ?? "")|\($0.code ?? "")" } }).count
                    == type.components.count)
            #expect(
                Set(type.options.flatMap { [$0.code] + $0.aliases }).count
                    == type.options.reduce(0) { $0 + 1 + $1.aliases.count }, "\(type.identifier)")
            if type.aggregation == .cumulative { #expect(type.kind == .quantity) }
        }
    }

    @Test func theCodesThatFHIRsVitalSignsProfilesDemandWithTheirUnits() {
        let demanded = [
            "HeartRate": ("8867-4", "/min"), "RespiratoryRate": ("9279-1", "/min"), "OxygenSaturation": ("2708-6", "%"),
            "BodyTemperature": ("8310-5", "Cel"), "Height": ("8302-2", "cm"), "BodyMass": ("29463-7", "kg"),
            "BodyMassIndex": ("39156-5", "kg/m2"), "BasalBodyTemperature": ("8310-5", "Cel"),
        ]
        for (name, row) in demanded {
            let type = table.named(name)
            #expect(type?.codings.first?.code == row.0)
            #expect(type?.unit?.ucum == row.1)
            #expect(type?.category == .vitalSigns)
        }
        #expect(table.named("OxygenSaturation")?.codings.map(\.code).prefix(2) == ["2708-6", "59408-5"])
        let pressure = table.named("BloodPressure")
        #expect(pressure?.codings.first?.code == "85354-9")
        #expect(pressure?.components.map { $0.codings.first?.code } == ["8480-6", "8462-4"])
        #expect(pressure?.components.map(\.unit.ucum) == ["mm[Hg]", "mm[Hg]"])
    }

    @Test func typesAreFoundByIdentifierShortNameAndTitle() {
        #expect(table.named("HKQuantityTypeIdentifierHeartRate")?.shortName == "HeartRate")
        #expect(table.named("heartrate")?.shortName == "HeartRate")
        #expect(table.named("Walking and Running Distance")?.shortName == "DistanceWalkingRunning")
        #expect(table.named("BloodPressureSystolic")?.shortName == "BloodPressure")
        #expect(table.named("HKQuantityTypeIdentifierBloodPressureDiastolic")?.shortName == "BloodPressure")
        #expect(table.type("HKQuantityTypeIdentifierBloodPressureDiastolic")?.shortName == "BloodPressureDiastolic")
        #expect(table.type("HKDataTypeIdentifierElectrocardiogram")?.identifier == "HKElectrocardiogram")
        #expect(table.named("PHQ9")?.kind == .assessment)
        #expect(table.named("Mood") == nil)
        #expect(Set(table.all.map(\.shortName)).count == table.all.count)
    }

    @Test func searchAcceptsWordsOfNamesFoldersAndCodes() {
        #expect(table.search("8867-4").contains { $0.shortName == "HeartRate" })
        #expect(table.search("SLEEP apnea").map(\.shortName) == ["SleepApneaEvent"])
        #expect(table.search("no such thing").isEmpty)
    }

    @Test func all84ActivitiesAreWorkoutsInWordsUnderTheirNamesAndNumbers() {
        let workout = HealthType.workout
        #expect(workout.options.count == 84)
        #expect(
            workout.option(named: "HKWorkoutActivityTypeTraditionalStrengthTraining")?.display
                == "Traditional Strength Training")
        #expect(workout.option(named: "37")?.code == "HKWorkoutActivityTypeRunning")
        #expect(workout.option(named: HealthType.otherActivity)?.aliases == ["3000"])
        #expect(workout.components.count == 14)
        for option in workout.options {
            let distance = HealthType.distanceIdentifier(of: option)
            #expect(workout.components.contains { $0.identifier == distance })
        }
    }

    @Test func valuesAreFoundByTodaysNameByFormerNamesAndByNumber() throws {
        let flow = try #require(table.named("MenstrualFlow"))
        for name in ["HKCategoryValueMenstrualFlowHeavy", "HKCategoryValueVaginalBleedingHeavy", "4"] {
            #expect(flow.option(named: name)?.display == "Heavy")
        }
        let ovulation = try #require(table.named("OvulationTestResult"))
        #expect(
            ovulation.option(named: "HKCategoryValueOvulationTestResultPositive")?.code
                == "HKCategoryValueOvulationTestResultLuteinizingHormoneSurge")
        #expect(table.named("Headache")?.options.map(\.aliases) == [["0"], ["1"], ["2"], ["3"], ["4"]])
        #expect(table.named("MindfulSession")?.valueKind == .event)
    }

    @Test func cumulativeTypesAreThoseOfHealthKit() {
        let cumulative = Set(table.all.filter { $0.aggregation == .cumulative }.map(\.shortName))
        let others: Set = [
            "StepCount", "PushCount", "SwimmingStrokeCount", "FlightsClimbed", "NikeFuel", "ActiveEnergyBurned",
            "BasalEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "TimeInDaylight",
            "InhalerUsage", "InsulinDelivery", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen",
        ]
        #expect(others.isSubset(of: cumulative))
        let rest = cumulative.subtracting(others)
        #expect(rest.allSatisfy { $0.hasPrefix("Dietary") || $0.hasPrefix("Distance") })
        #expect(rest.count == 39 + 9)
    }

    /// The codes of published mappings of HealthKit, and HL7's and LOINC's own for the PHQ-9 and exercise.
    private static let standardCodes: Set = [
        "100304-5", "19870-5", "19935-6", "20150-9", "2708-6", "29463-7", "39156-5", "40443-4", "41653-7", "41981-2",
        "41982-0", "44249-1", "55411-3", "55423-8", "59408-5", "61006-3", "64098-7", "73985-4", "74859-0", "80404-7",
        "80453-4", "8280-0", "8302-2", "8310-5", "8462-4", "8480-6", "85354-9", "8867-4", "8999-5", "9052-2", "91557-9",
        "9279-1", "93816-7", "96502-0", "226354008", "276361009", "300076005", "131328",
    ]

    @Test func standardCodesOfTheTableArePublishedOnes() {
        let own: Set = [HealthCodeSystem.healthKit, HealthCodeSystem.component, HealthCodeSystem.statistics]
        var used: Set<String> = []
        for type in table.all {
            for coding in type.codings + type.components.flatMap(\.codings) where !own.contains(coding.system ?? "") {
                used.insert(coding.code ?? "")
            }
        }
        #expect(used == Self.standardCodes, "\(used.symmetricDifference(Self.standardCodes))")
    }
}
