import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import Testing

@Suite struct HealthConversionTests {
    @Test func duplicatesAndKnownSamplesAreSkippedAndTheAccountAddsUp() throws {
        let samples = [
            try Samples.heartRate(), try Samples.heartRate(), try Samples.heartRate("80"), try Samples.heartRate(at: 9),
        ]
        let (made, importReport) = try Samples.convert(samples, known: [samples[3].fingerprint])
        #expect(made.count == 2 && importReport.converted == 2 && importReport.read == 4)
        #expect(importReport.skipped == ["HKQuantityTypeIdentifierHeartRate": [.duplicate: 1, .alreadyKnown: 1]])
    }

    @Test func sinkThatRecognisesRepeatsReceivesThemAndCorrectsTheAccount() throws {
        var future = try Samples.heartRate("9999", at: 20)
        future.end.seconds += 1
        let samples = [
            try Samples.heartRate(), try Samples.heartRate(at: 9), try Samples.heartRate(), future, future,
        ]
        let (_, wanted) = try Samples.convert(samples, known: [samples[1].fingerprint])
        var stored: Set<String> = []
        var counterKey: HealthImportReport.CounterKey?
        var repeats: [(HealthImportReport.CounterKey, SkipReason)] = []
        let sink = HealthSink(
            counting: { counterKey = $0 },
            observation: { made in
                let counterKey = try #require(counterKey)
                if !stored.insert(made.id).inserted {
                    repeats.append((counterKey, .duplicate))
                } else if made.fingerprint == samples[1].fingerprint {
                    repeats.append((counterKey, .alreadyKnown))
                }
            })
        let conversion = HealthConversion(HealthSelection(), sink)
        for sample in samples {
            try conversion.add(sample, row: conversion.importReport.row(for: sample.type.identifier))
        }
        try conversion.finish()
        #expect(conversion.importReport.converted == 5 && repeats.count == 3)
        for (counterKey, reason) in repeats { conversion.importReport.recount(counterKey, as: reason) }
        #expect(conversion.importReport.converted == wanted.converted && wanted.converted == 2)
        #expect(conversion.importReport.skipped == wanted.skipped)
        #expect(conversion.importReport.repaired == wanted.repaired)
        #expect(conversion.importReport.implausible == wanted.implausible)
        #expect(wanted.implausible == ["HKQuantityTypeIdentifierHeartRate": 1])
    }

    @Test(arguments: [false, true])
    func nutrientConvertedBeforeItsMealIsReferencedByTheMeal(remembers: Bool) throws {
        let member = try Samples.quantity("DietaryProtein", "12.5", unit: "g")
        guard case .quantity(let grams) = member.value else { return }
        var meals: [HealthSample] = []
        let sink = HealthSink(counting: remembers ? { _ in } : nil) { made in
            if made.type.kind == .correlation { meals.append(made.sample) }
        }
        let conversion = HealthConversion(HealthSelection(), sink)
        let row = conversion.importReport.row(for: member.type.identifier)
        try conversion.addMember(member, row: row)
        // More nutrients than the limit, so that the first is converted.
        for second in 1...HealthConversion.nutrientLimit {
            let other = HealthSample(
                type: member.type, value: member.value,
                start: HealthInstant(seconds: Samples.start.seconds + Int64(second), offsetMinutes: 0),
                end: HealthInstant(seconds: Samples.start.seconds + Int64(second), offsetMinutes: 0),
                source: Samples.watch)
            try conversion.addMember(other, row: row)
        }
        conversion.claim(member)
        let measure = try #require(member.type.measure)
        let meal = try Samples.category(
            "HKCorrelationTypeIdentifierFood",
            .components([HealthMember(measure: measure, quantity: grams, fingerprint: member.fingerprint)]))
        try conversion.addCorrelation(meal, row: conversion.importReport.row(for: meal.type.identifier))
        try conversion.finish()
        #expect(meals.map(\.members) == [[member.fingerprint]])
        if case .components(let components)? = meals.first?.value { #expect(components.isEmpty) }
    }

    @Test func notesHaveTheirOwnInclusion() throws {
        func record(_ type: String) throws -> ClinicalRecord {
            try #require(ClinicalRecord(["resourceType": .string(type), "id": "1"]))
        }
        let (note, condition) = (try record("DocumentReference"), try record("Condition"))
        for (inclusions, wanted) in [
            ([], [false, false]), ([.clinicalRecords], [false, true]), ([.notes], [true, false]),
            ([.notes, .clinicalRecords], [true, true]),
        ] as [(Set<HealthSelection.Inclusion>, [Bool])] {
            var selection = HealthSelection()
            selection.inclusions = inclusions
            #expect([note, condition].map { selection.selects($0) } == wanted)
        }
    }

    @Test func samplesBeforeTheDateAndOfOtherTypesAreReported() throws {
        let selection = HealthSelection(
            since: Samples.start.date.addingTimeInterval(5), types: [try #require(HealthType.named("HeartRate"))])
        let samples = [
            try Samples.heartRate(), try Samples.heartRate(end: 5), try Samples.heartRate(at: 6),
            try Samples.pressure("120", "80", at: 9),
        ]
        let (made, importReport) = try Samples.convert(samples, selection: selection)
        #expect(made.count == 2)
        #expect(importReport.skipped["HKQuantityTypeIdentifierHeartRate"] == [.beforeSince: 1])
        #expect(importReport.skipped["HKCorrelationTypeIdentifierBloodPressure"] == [.notSelected: 1])
    }

    @Test func typesAreSelectedByNameAndUnknownNamesAreErrors() throws {
        let types = try HealthSelection.types(named: ["HeartRate", "BloodPressureSystolic"])
        #expect(Set(types.map(\.shortName)) == ["HeartRate", "BloodPressure"])
        #expect(throws: UnknownHealthType.self) { try HealthSelection.types(named: ["StepCount", "Mood"]) }
    }

    @Test func impossibleTimesAreReported() throws {
        var future = try Samples.heartRate()
        future.end.seconds = 253_402_300_799
        var past = try Samples.heartRate()
        past.start.seconds = -5_000_000_000
        let backwards = try Samples.heartRate(end: -1)
        let (made, importReport) = try Samples.convert([future, past, backwards])
        #expect(made.isEmpty)
        #expect(importReport.skipped["HKQuantityTypeIdentifierHeartRate"] == [.dateOutOfRange: 2, .endBeforeStart: 1])
    }

    @Test func membersOfOneTimeAndSourceAreJoinedAndOthersStaySeparate() throws {
        let other = HealthSource(product: .app)
        let (made, importReport) = try Samples.convert([
            try Samples.pressure(nil, "80"), try Samples.pressure("120", nil), try Samples.pressure("130", nil, at: 60),
            try Samples.pressure(nil, "85", source: other), try Samples.pressure("110", nil),
            try Samples.pressure(nil, "70"),
        ])
        let values = made.map { $0.observation.component.map { $0.value?.json["value"]?.integer } }
        #expect(values == [[120, 80], [130], [110, 70], [85]])
        #expect(importReport.read == 6 && importReport.converted == 4)
        #expect(importReport.skipped == ["HKQuantityTypeIdentifierBloodPressureDiastolic": [.combinedWithSystolic: 2]])
    }

    @Test func claimedMemberIsNotAnObservationInEitherOrder() throws {
        let member = try Samples.pressure("120", nil)
        let before = try Samples.convert([member], claims: [member])
        #expect(before.made.isEmpty)
        #expect(before.importReport.skipped.values.first == [.memberOfCorrelation: 1])
        var made = 0
        let conversion = HealthConversion(HealthSelection(), isKnown: { _ in false }, emit: { _ in made += 1 })
        conversion.claim(member)
        try conversion.addMember(
            member, row: conversion.importReport.row(for: "HKQuantityTypeIdentifierBloodPressureSystolic"))
        try conversion.finish()
        #expect(made == 0 && conversion.importReport.read == 1)
    }

    @Test func pairHasTheIdentityOfTheCorrelationWithTheSameValues() throws {
        let pair = try Samples.convert([try Samples.pressure("120", nil), try Samples.pressure(nil, "80")]).made
        #expect(pair.map(\.fingerprint) == [try Samples.pressure("120", "80").fingerprint])
    }

    @Test func unlikelyValuesAreKeptAndCounted() throws {
        let (made, importReport) = try Samples.convert([
            try Samples.heartRate("500"), try Samples.heartRate("60", at: 1),
        ])
        #expect(made.count == 2 && importReport.implausible == ["HKQuantityTypeIdentifierHeartRate": 1])
    }

    @Test func errorOfTheSinkEndsTheConversion() throws {
        struct Full: Error {}
        let conversion = HealthConversion(HealthSelection(), isKnown: { _ in false }, emit: { _ in throw Full() })
        #expect(throws: Full.self) {
            try conversion.add(
                try Samples.heartRate(), row: conversion.importReport.row(for: "HKQuantityTypeIdentifierHeartRate"))
        }
        #expect(conversion.importReport.converted == 0)
    }

    @Test func importReportLimitsTheNamesOfTypes() {
        var importReport = HealthImportReport()
        for name in ["HKQuantityTypeIdentifierNew", "Robin’s type", "", "HK Robin", String(repeating: "H", count: 300)]
        {
            importReport.skip(importReport.row(for: name), .unsupportedType)
        }
        for index in 0..<5000 { importReport.skip(importReport.row(for: "HKMadeUp\(index)"), .unsupportedType) }
        #expect(importReport.read == 5005)
        #expect(importReport.skipped["HKQuantityTypeIdentifierNew"] == [.unsupportedType: 1])
        #expect(importReport.skipped.count <= 2001)
        #expect((importReport.skipped["unrecognised-type"]?[.unsupportedType] ?? 0) > 4)
        #expect(!importReport.json.text().contains("Robin"))
    }

    @Test func theJSONOfTheAccountAddsUp() throws {
        let (_, importReport) = try Samples.convert([try Samples.heartRate(), try Samples.heartRate()])
        let json = importReport.json
        #expect(json["read"]?.integer == 2 && json["converted"]?.integer == 1)
        #expect(json["skipped"]?["HKQuantityTypeIdentifierHeartRate"]?["duplicate"]?.integer == 1)
        #expect(json["repaired"]?.object?.isEmpty == true && json["outcome"]?.string == "complete")
    }

    @Test func everyReasonAndRepairHasItsOwnCode() {
        #expect(Set(SkipReason.allCases.map(\.rawValue)).count == SkipReason.allCases.count)
        #expect(Set(Repairs.kinds.map(\.code)).count == Repairs.kinds.count)
    }

    @Test func yearsOfSeparateBloodPressuresAreJoinedAndTheirCorrelationsAddNone() throws {
        var made = 0
        let conversion = HealthConversion(HealthSelection(subject: "p1"), HealthSink(observation: { _ in made += 1 }))
        let count = 10_500
        let systolic = try (0..<count).map { try Samples.pressure("120", nil, at: Int64($0) * 60) }
        let diastolic = try (0..<count).map { try Samples.pressure(nil, "80", at: Int64($0) * 60) }
        let row = conversion.importReport.row(for: "HKQuantityTypeIdentifierBloodPressureSystolic")
        for sample in systolic + diastolic { try conversion.addMember(sample, row: row) }
        #expect(made == 0)
        for index in 0..<100 {
            conversion.claim(systolic[index])
            conversion.claim(diastolic[index])
            try conversion.addCorrelation(Samples.pressure("120", "80", at: Int64(index) * 60), row: row)
        }
        try conversion.finish()
        #expect(made == count)
    }
}
