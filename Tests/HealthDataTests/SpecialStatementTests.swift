import FHIR
import Foundation
import HealthData
import Testing

@Suite struct SpecialStatementTests {
    static let start = SpecialRecordTests.start
    static let watch = SpecialRecordTests.watch

    @Test func dayIsADateWithoutATimeAndItsEnergyIsInKilocalories() throws {
        let value = try SpecialMeasure.energy.read("2469.614368", unit: "kJ")
        let goal = try SpecialMeasure.energy.read("630", unit: "kcal")
        let summary = try #require(
            ActivitySummary(day: "2016-11-15", energy: .init(value: value, goal: goal)))
        let observation = summary.observation(subject: "p1")
        #expect(observation.effective?.type == "DateTime")
        #expect(observation.effective?.json.string == "2016-11-15")
        #expect(observation.device == nil)
        let quantities = observation.component.compactMap { $0.value?.json }
        #expect(quantities.map { $0["value"]?.number?.text } == ["590.252", "630"])
        #expect(quantities[0]["extension"]?[0]?.at("valueQuantity", "unit")?.string == "kJ")
        #expect(quantities[0]["extension"]?[0]?.at("valueQuantity", "value")?.number?.text == "2469.614368")
        #expect(quantities[1]["extension"] == nil)
        #expect(
            observation.component.first?.code?.coding.map(\.code) == [
                "HKActivitySummary.activeEnergyBurned", "41981-2",
            ])
        #expect(ActivitySummary(day: "2016-11-15") == nil)
    }

    @Test func laterSummaryReplacesTheEarlierOneWithOtherContent() throws {
        func summary(_ minutes: Double, day: String = "2016-11-15") throws -> ActivitySummary {
            let ring = ActivitySummary.Ring(value: SpecialMeasure.minutes.quantity(minutes))
            return try #require(ActivitySummary(day: day, exerciseTime: ring))
        }
        let noon = try summary(10)
        let evening = try summary(30)
        #expect(noon.fingerprint != evening.fingerprint)
        #expect(noon.id(subject: "p1") == evening.id(subject: "p1"))
        #expect(try summary(10, day: "2016-11-16").id(subject: "p1") != noon.id(subject: "p1"))
    }

    @Test func audiogramDistinguishesEarAndFrequency() throws {
        let frequency = try SpecialMeasure.frequency.read("1.5", unit: "kHz")
        let level = try SpecialMeasure.hearingLevel.read("15.50", unit: "dBHL")
        let audiogram = try #require(
            Audiogram(
                start: Self.start, end: Self.start,
                thresholds: [
                    .init(ear: .left, frequency: frequency, level: level, isMasked: true),
                    .init(ear: .right, frequency: frequency, level: level),
                ], origin: Self.watch))
        let components = audiogram.observation(subject: nil).component
        #expect(components.map { $0.code?.text } == ["Left ear at 1500 Hz", "Right ear at 1500 Hz"])
        #expect(components[0].object["extension"]?[0]?.at("valueQuantity", "value")?.number?.text == "1500")
        #expect(components[0].object["extension"]?[1]?["valueBoolean"]?.bool == true)
        #expect(components[1].object["extension"]?.array?.count == 1)
        #expect(components[1].value?.json["value"]?.number?.text == "15.50")
        #expect(throws: SkipReason.unknownUnit) { try SpecialMeasure.hearingLevel.read("15", unit: "dBASPL") }
        #expect(throws: SkipReason.valueNotANumber) { try SpecialMeasure.hearingLevel.read("NaN", unit: "dBHL") }
        #expect(Audiogram(start: Self.start, end: Self.start, thresholds: [], origin: Self.watch) == nil)
    }

    @Test func aPrescriptionIsAnObservationOfEachEye() throws {
        var lens = VisionPrescription.Lens()
        lens[.sphere] = try SpecialMeasure.dioptre.read("-1.25", unit: "D")
        lens[.farPupillaryDistance] = try SpecialMeasure.millimetre.read("3.15", unit: "cm")
        let prescription = try #require(
            VisionPrescription(
                issued: .day("2025-01-15"), purpose: .contacts, right: lens, left: .init(), origin: Self.watch))
        let observation = prescription.observation(subject: "p1")
        #expect(observation.value?.json["text"]?.string == "Contact lenses")
        #expect(
            observation.component.map { $0.code?.coding.map(\.code) } == [
                ["vision-right-sphere", "HKLensSpecification.sphere"],
                ["vision-right-far-pupillary-distance", "HKGlassesLensSpecification.farPupillaryDistance"],
            ])
        #expect(observation.component.map { $0.value?.json["value"]?.number?.text } == ["-1.25", "31.5"])
        #expect(observation.component.map { $0.value?.json["code"]?.string } == ["[diop]", "mm"])
        #expect(
            VisionPrescription(
                issued: .day("2025-01-15"), purpose: .glasses, right: .init(), left: .init(), origin: Self.watch) == nil
        )
    }

    @Test func aStateOfMindHasApplesNumbersEachLabelOnceUnknownOnesLeftOut() throws {
        func state(_ valence: Double) -> StateOfMind? {
            StateOfMind(
                start: Self.start, feeling: .dailyMood, valence: valence, labels: [38, 1, 1, 0, 39], associations: [13],
                origin: Self.watch)
        }
        let mood = try #require(state(0.5))
        #expect(mood.labels.map(\.code) == ["HKStateOfMindLabelSatisfied", "HKStateOfMindLabelAmazed"])
        #expect(mood.associations.map(\.display) == ["Self care"])
        #expect(
            mood.observation(subject: nil).component.map { $0.code?.coding.first?.code } == [
                "HKStateOfMindKind", "HKStateOfMindValence", "HKStateOfMindValenceClassification", "HKStateOfMindLabel",
                "HKStateOfMindLabel", "HKStateOfMindAssociation",
            ])
        let steps = [-1, -0.6, -0.3, 0, 0.3, 0.6, 1].map { state($0)?.classification.rawValue }
        #expect(steps == [1, 2, 3, 4, 5, 6, 7])
        #expect(state(1.1) == nil)
        #expect(state(.nan) == nil)
    }

    @Test func thePHQ9HasLOINCsCodesAScoreAndItsBand() throws {
        func form(_ answers: [Int?]) -> Assessment? {
            Assessment(form: .phq9, start: Self.start, answers: answers, origin: Self.watch)
        }
        let record = try #require(form([3, 2, 1, 0, 1, 1, 1, 1, nil]))
        let observation = record.observation(subject: "p1")
        #expect(observation.value?.json.integer == 10)
        #expect(record.risk.code == "HKPHQ9AssessmentRiskModerate")
        #expect(observation.component.count == 11)
        let answers = observation.component.dropFirst(2)
        #expect(
            answers.map { $0.code?.coding.first?.code } == [
                "44250-9", "44255-8", "44259-0", "44254-1", "44251-7", "44258-2", "44252-5", "44253-3", "44260-8",
            ])
        #expect(answers.last?.value?.json["text"]?.string == "Preferred not to answer")
        #expect(form([nil, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(form([4, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(form([0]) == nil)
        for (answer, risk) in [(0, "NoneToMinimal"), (3, "Severe")] {
            #expect(form(Array(repeating: answer, count: 9))?.risk.code == "HKPHQ9AssessmentRisk" + risk)
        }
    }

    @Test func theGAD7HasSevenQuestionsAndNoCodeOfLOINC() throws {
        let record = try #require(
            Assessment(form: .gad7, start: Self.start, answers: [3, 3, 3, 3, 1, 1, 1], origin: Self.watch))
        #expect(record.score == 15)
        #expect(record.risk.code == "HKGAD7AssessmentRiskSevere")
        #expect(!record.observation(subject: nil).json.text().contains("loinc"))
        #expect(
            Assessment(form: .gad7, start: Self.start, answers: [0, 0, 0, 0, 0, 0, nil], origin: Self.watch) == nil)
    }
}

@Suite struct MedicationTests {
    private static let start = SpecialRecordTests.start
    private static let watch = SpecialRecordTests.watch
    private static let rxNorm = "http://www.nlm.nih.gov/research/umls/rxnorm"

    @Test func doseHasItsStatusMedicationAndAmount() throws {
        let medication = try #require(
            MedicationConcept(codings: [(Self.rxNorm, "313782"), (Self.rxNorm, "313782")], form: "Tablet"))
        let dose = MedicationDose(
            start: Self.start, status: .skipped, scheduleType: .asNeeded, scheduled: Self.start,
            dose: MedicationDose.amount(250, unit: "mg"), scheduledDose: MedicationDose.amount(1, unit: "count"),
            medication: medication, origin: Self.watch)
        let observation = dose.observation(subject: "p1")
        let value = CodeableConcept(json: observation.value?.json ?? .null)
        #expect(value?.coding.map(\.code) == ["HKMedicationDoseEventLogStatusSkipped"])
        func part(_ code: String) -> JSON? {
            observation.component.first { $0.code?.coding.first?.code == code }?.value?.json
        }
        #expect(part("HKMedicationDoseEvent.doseQuantity")?["code"]?.string == "mg")
        #expect(part("HKMedicationDoseEvent.scheduledDoseQuantity")?["code"]?.string == "{dose}")
        let medications = part("HKMedicationDoseEvent.medicationConceptIdentifier")?["coding"]?.array
        #expect(medications?.count == 1 && medications?.first?["code"]?.string == "313782")
        var later = dose
        later.status = .taken
        #expect(later.fingerprint != dose.fingerprint)
        #expect(MedicationDose.amount(.nan, unit: "mg") == nil && MedicationDose.amount(1, unit: "pill of Kim") == nil)
    }

    @Test(arguments: [
        ("Kim", "1"), ("http://", "1"), ("http://example.org", "Kim’s pill 1"), ("http://example.org", "Kim"),
        ("http://example.org", ""), ("http://exa mple.org", "1"),
    ])
    func aCodeThatCouldBeFreeTextIsLeftOut(system: String, code: String) {
        #expect(MedicationConcept(codings: [(system, code)]) == nil)
    }

    @Test func archivedMedicationHasTheIDOfTheActiveOne() throws {
        func medication(_ isArchived: Bool) throws -> MedicationConcept {
            try #require(
                MedicationConcept(codings: [(Self.rxNorm, "1")], isArchived: isArchived, origin: Self.watch))
        }
        #expect(try medication(true).fingerprint != medication(false).fingerprint)
        #expect(try medication(true).id(subject: "p1") == medication(false).id(subject: "p1"))
    }
}
