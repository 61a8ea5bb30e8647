import FHIR
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct BloodPressureTests {
    private let systolic = "HKQuantityTypeIdentifierBloodPressureSystolic"
    private let diastolic = "HKQuantityTypeIdentifierBloodPressureDiastolic"
    private let correlation = "HKCorrelationTypeIdentifierBloodPressure"

    private func member(_ type: String, _ value: String, at minute: Int = 28) -> String {
        Exports.record(type, value, unit: "mmHg", start: "2018-09-10 02:\(minute):55 -0700")
    }

    private func correlation(_ body: String, at minute: Int = 28, type: String? = nil) -> String {
        let date = "2018-09-10 02:\(minute):55 -0700"
        return """
            <Correlation type="\(type ?? correlation)" sourceName="Apple Watch" sourceVersion="4.3.1" device="\(Exports.watchDevice)" \
            creationDate="\(date)" startDate="\(date)" endDate="\(date)"><MetadataEntry key="HKWasUserEntered" value="1"/>\(body)</Correlation>
            """
    }

    private func values(_ outcome: Outcome) -> [[Int?]] {
        outcome.observations.map { $0.component.map { $0.value?.json["value"]?.integer } }
    }

    @Test func membersBeforeOrAfterTheCorrelationAreOneObservation() throws {
        let both = member(systolic, "120") + member(diastolic, "80")
        let expected: [String: [SkipReason: Int]] = [
            systolic: [.memberOfCorrelation: 2], diastolic: [.memberOfCorrelation: 2],
        ]
        for body in [both + correlation(both), correlation(both) + both] {
            let outcome = try Exports.convert(body)
            #expect(values(outcome) == [[120, 80]])
            #expect(outcome.importReport.read == 5 && outcome.importReport.skipped == expected)
            #expect(outcome.observations.first?.method != nil)
        }
    }

    @Test func membersOnlyInsideACorrelationAreKeptAndMembersOnlyAtTheTopAreJoined() throws {
        let outcome = try Exports.convert(
            correlation(member(systolic, "120") + member(diastolic, "80")) + member(systolic, "130", at: 30)
                + member(diastolic, "85", at: 30) + member(diastolic, "90", at: 31))
        #expect(values(outcome) == [[120, 80], [130, 85], [90]])
        #expect(outcome.importReport.converted == 3 && outcome.importReport.read == 6)
    }

    @Test func aCorrelationWithOneMemberNoneOrOneThatCannotBeRead() throws {
        let outcome = try Exports.convert(
            correlation(member(systolic, "120")) + correlation("", at: 29)
                + correlation(member(systolic, "NaN", at: 30) + member(diastolic, "80", at: 30), at: 30))
        #expect(values(outcome) == [[120], [80]])
        #expect(
            outcome.skipped(correlation, .incompleteCorrelation) == 1
                && outcome.skipped(systolic, .valueNotANumber) == 1)
        #expect(outcome.importReport.repaired == ["part-dropped": 1])
    }

    @Test func correlationWithAnInvalidDateReleasesItsMembers() throws {
        let body = correlation(member(systolic, "120") + member(diastolic, "80"))
            .replacingOccurrences(
                of:
                    "creationDate=\"2018-09-10 02:28:55 -0700\" startDate=\"2018-09-10 02:28:55 -0700\" endDate=\"2018-09-10 02:28:55 -0700\"><M",
                with: "startDate=\"never\"><M")
        let outcome = try Exports.convert(body)
        #expect(values(outcome) == [[120, 80]] && outcome.skipped(correlation, .dateInvalid) == 1)
    }

    private let protein = "HKQuantityTypeIdentifierDietaryProtein"

    @Test func mealIsOneObservationOfItsNutrientsAndOtherMembersStaySeparate() throws {
        let nutrient = Exports.record(protein, "12.5", unit: "g")
        let food = correlation(
            Exports.record() + nutrient + Exports.record("HKQuantityTypeIdentifierDietaryCaffeine", "1", unit: "mg"),
            type: "HKCorrelationTypeIdentifierFood")
        let outcome = try Exports.convert(
            Exports.record() + nutrient + food
                + Exports.record(protein, "3", unit: "g", start: "2019-01-01 00:00:00 +0000"))
        #expect(outcome.importReport.read == 7)
        let meal = try #require(outcome.observations.first { $0.json.text().contains("TypeIdentifierFood") })
        #expect(meal.component.map { $0.value?.json["value"]?.number?.text } == ["12.5", "1"])
        #expect(outcome.values.compactMap { $0 } == ["72", "3"])
        #expect(outcome.skipped("HKQuantityTypeIdentifierHeartRate", .duplicate) == 1)
        #expect(outcome.skipped(protein, .memberOfCorrelation) == 2)
    }

    @Test func nutrientConvertedBeforeItsMealIsReferencedAndItsValueIsWrittenOnce() throws {
        var made: [HealthObservation] = []
        let conversion = HealthConversion(
            HealthSelection(subject: "p1"), HealthSink(observation: { made.append($0) }))
        func batch(_ body: String) throws {
            let stream = ExportStream(
                TextBytes(Exports.root(body)), HealthSelection(subject: "p1"), isRecognised: true)
            while try stream.read(samples: 4096) {}
            try conversion.take(stream.takeBatch())
        }
        try batch(Exports.record(protein, "12.5", unit: "g"))
        // Converts the samples that are held back.
        try conversion.finish()
        try batch(
            correlation(
                Exports.record(protein, "12.5", unit: "g")
                    + Exports.record("HKQuantityTypeIdentifierDietaryCaffeine", "1", unit: "mg"),
                type: "HKCorrelationTypeIdentifierFood"))
        #expect(made.count == 2)
        let meal = try #require(made.last).observation
        #expect(meal.json["hasMember"]?[0]?["reference"]?.string == "Observation/" + made[0].id)
        #expect(meal.component.map { $0.value?.json["value"]?.number?.text } == ["1"])
        var text: [UInt8] = []
        made[1].write(to: &text)
        #expect(text == meal.json.bytes())
    }

    @Test func theSameMeasurementFromAnExportWithCorrelationsAndOneWithoutHasOneIdentity() throws {
        let both = member(systolic, "120") + member(diastolic, "80")
        #expect(
            try Exports.convert(correlation(both)).made.map(\.fingerprint)
                == Exports.convert(both).made.map(\.fingerprint))
    }
}
