import Core
import FHIR
import Foundation
import HealthData
import HealthKit
import HealthSync
import TestSupport
import Testing

@testable import HealthKitAdapter

/// Each kind of HealthKit object is converted like the same data of an export or a journal.
@Suite struct ConversionTests {
    private func reading(_ phone: Phone, _ type: String) async throws -> HealthReading {
        let changes = try await phone.source.changes(of: type, after: nil, limit: 10)
        return try #require(changes.added.first)
    }

    private func sample(_ sample: HKSample, _ type: String) async throws -> HealthSample {
        let phone = Phone()
        phone.database.add(sample)
        let reading = try await reading(phone, type)
        guard case .sample(let read) = reading.content else { throw TestFailure("\(reading.content)") }
        #expect(phone.database.breaches.isEmpty)
        return read
    }

    private func special<Record: SpecialRecord>(_ sample: HKSample, _ type: String) async throws -> Record {
        let phone = Phone()
        phone.database.add(sample)
        let reading = try await reading(phone, type)
        guard case .special(let read) = reading.content, let record = read as? Record else {
            throw TestFailure("\(reading.content)")
        }
        #expect(phone.database.breaches.isEmpty)
        return record
    }

    /// Returns the result of a journal with the same values.
    private func journal(
        _ type: String, value: String?, unit: String? = nil, members: [HealthKitSample] = [],
        metadata: [String: String] = [:]
    ) throws -> HealthSample {
        let moment = HealthInstant(Phone.date(0), offsetMinutes: 60)
        var raw = HealthKitSample(
            type: type, value: value, unit: unit, start: moment, end: moment,
            source: HealthSource(name: "Kim’s Watch", productType: "Watch6,1", version: "10.2"))
        raw.members = members
        raw.metadata = metadata
        var zones = TimeZoneOffsets()
        return try raw.sample(in: .standard, &zones)
    }

    private func json(_ sample: HealthSample, without uuid: Bool = true) -> JSON {
        var sample = sample
        if uuid { sample.uuid = nil }
        return sample.observation(subject: "p1").json
    }

    @Test func quantityHasThePreferredUnitAndItsDigits() async throws {
        let read = try await sample(Phone.heart(72), Phone.heartRate)
        #expect(json(read) == json(try journal(Phone.heartRate, value: "72", unit: "count/min")))
        #expect(!String(decoding: json(read).data(), as: UTF8.self).contains("Kim"))
        // In pounds, as the Health app shows and exports it.
        let phone = Phone()
        let mass = "HKQuantityTypeIdentifierBodyMass"
        phone.database.prefer("lb", for: HKQuantityType(HKQuantityTypeIdentifier(rawValue: mass)))
        phone.database.add(Phone.quantity(mass, value: 150, unit: "lb"))
        guard case .sample(let pounds) = try await reading(phone, mass).content else { throw TestFailure("no sample") }
        #expect(json(pounds) == json(try journal(mass, value: "150", unit: "lb")))
        // If the person's units are not available, in the unit of the table.
        phone.database.fail(.units, with: HKError(.errorDatabaseInaccessible))
        guard case .sample(let kilograms) = try await reading(phone, mass).content else { throw TestFailure("none") }
        #expect(json(kilograms)["valueQuantity"]?["code"]?.string == "kg")
    }

    @Test func aCategoryHasItsOption() async throws {
        let read = try await sample(Phone.category(Phone.sleep, 3), Phone.sleep)
        #expect(json(read) == json(try journal(Phone.sleep, value: "3")))
        let phone = Phone()
        phone.database.add(Phone.category(Phone.sleep, 9_999))
        guard case .unreadable(let reason) = try await reading(phone, Phone.sleep).content else {
            throw TestFailure("it was read")
        }
        #expect(reason == .unknownValue)
    }

    @Test func aCorrelationIsOneObservationOfItsMembers() async throws {
        let type = "HKCorrelationTypeIdentifierBloodPressure"
        let (systolic, diastolic) = (type.pressure("Systolic"), type.pressure("Diastolic"))
        let correlation = HKCorrelation(
            type: HKCorrelationType(HKCorrelationTypeIdentifier(rawValue: type)), start: Phone.date(0),
            end: Phone.date(0),
            objects: [
                Phone.quantity(systolic, value: 120, unit: "mmHg"), Phone.quantity(diastolic, value: 80, unit: "mmHg"),
            ],
            origin: Phone.origin())
        let read = try await sample(correlation, type)
        func member(_ type: String, _ value: String) -> HealthKitSample {
            let moment = HealthInstant(Phone.date(0), offsetMinutes: 60)
            return HealthKitSample(
                type: type, value: value, unit: "mmHg", start: moment, end: moment,
                source: HealthSource(name: "Kim’s Watch", productType: "Watch6,1", version: "10.2"))
        }
        #expect(
            read.fingerprint
                == (try journal(type, value: nil, members: [member(systolic, "120"), member(diastolic, "80")]))
                .fingerprint)
    }

    @Test func aWorkoutHasItsStatistics() async throws {
        func quantity(_ value: Double, _ unit: String) -> HKQuantity {
            HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
        }
        func type(_ name: String) -> HKQuantityType {
            HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifier" + name))
        }
        let workout = HKWorkout(
            activity: .running, start: Phone.date(0), end: Phone.date(30), duration: 1_700,
            statistics: [
                type("ActiveEnergyBurned"): HKStatistics(sum: quantity(300, "kcal")),
                type("DistanceWalkingRunning"): HKStatistics(sum: quantity(5, "km")),
                type("HeartRate"): HKStatistics(
                    average: quantity(150, "count/min"), minimum: quantity(90, "count/min"),
                    maximum: quantity(180, "count/min")),
            ], origin: Phone.origin())
        let read = try await sample(workout, "HKWorkout")
        let text = String(decoding: json(read).data(), as: UTF8.self)
        for part in ["HKWorkoutActivityTypeRunning", "\"value\":300", "\"value\":150", "workout-heart-rate-maximum"] {
            #expect(text.contains(part), "\(part): \(text)")
        }
    }

    @Test func aWorkoutHasItsEventsAndActivities() async throws {
        let distance = HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierDistanceSwimming"))
        func statistics(_ meters: Double) -> [HKQuantityType: HKStatistics] {
            [distance: HKStatistics(sum: HKQuantity(unit: HKUnit(from: "m"), doubleValue: meters))]
        }
        let lap = HKWorkoutEvent(
            type: .lap, dateInterval: DateInterval(start: Phone.date(5), duration: 41.25),
            metadata: ["HKSwimmingStrokeStyle": 2, "HKName": "Kim"])
        let pause = HKWorkoutEvent(
            type: .pause, dateInterval: DateInterval(start: Phone.date(9), duration: 0), metadata: nil)
        let workout = HKWorkout(
            activity: .swimming, start: Phone.date(0), end: Phone.date(30), duration: 1_800,
            statistics: statistics(900), events: [lap, pause],
            activities: [
                HKWorkoutActivity(
                    start: Phone.date(0), end: Phone.date(10), duration: 590, events: [lap], statistics: statistics(400)
                ),
                // It had not ended when the workout was saved.
                HKWorkoutActivity(start: Phone.date(12), end: nil, duration: 1_080, statistics: statistics(500)),
            ], origin: Phone.origin())
        let json = json(try await sample(workout, "HKWorkout"))
        let parts = (json["component"]?.array ?? []).filter { $0["valuePeriod"] != nil || $0["valueDateTime"] != nil }
        let codes = parts.compactMap { $0["code"]?["coding"]?.array?.first?["code"]?.string }
        #expect(
            codes == ["HKWorkoutEventTypeLap", "HKWorkoutEventTypePause", "HKWorkoutActivity", "HKWorkoutActivity"])
        try #require(parts.count == 4)
        #expect(parts[0]["valuePeriod"]?["end"]?.string?.hasSuffix("41.250+01:00") == true)
        #expect(String(decoding: parts[0].data(), as: UTF8.self).contains("HKSwimmingStrokeStyle"))
        #expect(!String(decoding: json.data(), as: UTF8.self).contains("Kim"))
        #expect(parts[2]["extension"]?.array?.first?["valueQuantity"]?["value"] == .number(JSONNumber(400)))
        #expect(parts[3]["valuePeriod"]?["end"]?.string == json["effectivePeriod"]?["end"]?.string)
    }

    @Test func metadataAreWrittenAsExportsWriteThem() async throws {
        let written: [String: Any] = [
            "HKWasUserEntered": true, "HKTimeZone": "Asia/Tokyo",
            "HKWeatherTemperature": HKQuantity(unit: HKUnit(from: "degF"), doubleValue: 56), "HKNothing": Date(),
        ]
        let read = try await sample(
            Phone.quantity(Phone.steps, value: 100, unit: "count", metadata: written), Phone.steps)
        let expected = try journal(
            Phone.steps, value: "100", unit: "count",
            metadata: ["HKWasUserEntered": "1", "HKTimeZone": "Asia/Tokyo", "HKWeatherTemperature": "56 degF"])
        #expect(json(read) == json(expected))
        #expect(json(read)["effectiveDateTime"]?.string?.hasSuffix("+09:00") == true)
    }

    @Test func anElectrocardiogramHasItsVoltages() async throws {
        func quantity(_ value: Double, _ unit: String) -> HKQuantity {
            HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
        }
        let voltages = (0..<1_000).map { index in index == 7 ? nil : quantity(Double(index % 50) * 1.5, "mcV") }
        let sample = HKElectrocardiogram(
            start: Phone.date(0), end: Phone.date(0), classification: .sinusRhythm, symptoms: .none,
            averageHeartRate: quantity(64, "count/min"), samplingFrequency: quantity(512, "Hz"), voltages: voltages,
            origin: Phone.origin())
        let record: Electrocardiogram = try await special(sample, "HKElectrocardiogram")
        #expect(record.voltages.series.count == 1_000 && record.voltages.series.gaps == 1)
        #expect(record.classification == .sinusRhythm && record.symptoms == .absent)
        #expect(record.samplingFrequency.text == "512" && record.averageHeartRate?.text == "64")
        #expect(record.voltages.series.data.hasPrefix("0 1.5 3 4.5"))
    }

    @Test func beatsAndLocationsAreReadInParts() async throws {
        let beats = HKHeartbeatSeriesSample(
            start: Phone.date(0), end: Phone.date(1), beats: [(0.5, false), (1.25, false), (2.0, true)],
            origin: Phone.origin())
        let series: HeartbeatSeries = try await special(beats, "HKHeartbeatSeriesSample")
        #expect(series.offsets.data == "0.5 1.25 2" && series.gaps?.data == "0 0 1")
        let locations = (0..<5).map { index in
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 52.5 + Double(index) / 1000, longitude: 13.4),
                altitude: 34, horizontalAccuracy: 5,
                verticalAccuracy: 3, course: 90, speed: 2.5, timestamp: Phone.date(index))
        }
        let route: WorkoutRoute = try await special(
            HKWorkoutRoute(locations: locations, origin: Phone.origin()), "HKWorkoutRoute")
        #expect(route.track.count == 5 && route.track.latitudes.data.hasPrefix("52.5 52.501"))
    }

    @Test func aClinicalRecordIsTheResourceOfTheHospital() async throws {
        let fhir = Data(#"{"resourceType":"AllergyIntolerance","id":"a1","patient":{"reference":"Patient/x"}}"#.utf8)
        let type = "HKClinicalTypeIdentifierAllergyRecord"
        let sample = HKClinicalRecord(
            type: HKClinicalType(HKClinicalTypeIdentifier(rawValue: type)), displayName: "Peanut",
            resource: HKFHIRResource(
                type: "AllergyIntolerance", identifier: "a1", data: fhir,
                sourceURL: URL(string: "https://ehr.example/r4/AllergyIntolerance/a1"), version: "4.0.1"),
            date: Phone.date(0), origin: Phone.origin())
        let record: ClinicalRecord = try await special(sample, type)
        #expect(record.resourceType == "AllergyIntolerance" && record.server == "https://ehr.example/r4")
    }

    @Test func audiogramsAndPrescriptionsHaveTheirFigures() async throws {
        func quantity(_ value: Double, _ unit: String) -> HKQuantity {
            HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
        }
        let point = HKAudiogramSensitivityPoint(
            frequency: quantity(1_000, "Hz"), leftEarSensitivity: quantity(15, "dBHL"), rightEarSensitivity: nil)
        let audiogram: Audiogram = try await special(
            HKAudiogramSample(points: [point], start: Phone.date(0), end: Phone.date(1), origin: Phone.origin()),
            "HKAudiogramSample")
        #expect(audiogram.thresholds.map(\.level.number.text) == ["15"])
        let lens = HKGlassesLensSpecification(
            sphere: quantity(-1.25, "D"), cylinder: quantity(-0.5, "D"), axis: quantity(90, "deg"), addPower: nil,
            vertexDistance: quantity(12, "mm"), farPupillaryDistance: nil, nearPupillaryDistance: nil)
        let glasses: VisionPrescription = try await special(
            HKGlassesPrescription(
                rightEye: lens, leftEye: nil, issued: Phone.date(0), expires: nil, origin: Phone.origin()),
            "HKVisionPrescription")
        #expect(glasses.right[.sphere]?.number.text == "-1.25" && glasses.right[.vertexDistance]?.number.text == "12")
        #expect(glasses.left.isEmpty && glasses.purpose == .glasses)
    }

    @Test func aDoseHasTheCodesOfItsMedicationAndNoNickname() async throws {
        let rxNorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
        let identifier = HKHealthConceptIdentifier(text: "1")
        let phone = Phone()
        phone.database.medications = [
            HKUserAnnotatedMedication(
                nickname: "Kim’s pill", isArchived: false, hasSchedule: true,
                medication: HKMedicationConcept(
                    identifier: identifier, displayText: "Kim’s pill", generalForm: .tablet,
                    relatedCodings: [
                        HKClinicalCoding(system: rxNorm, code: "313782"), HKClinicalCoding(system: "Kim", code: "Kim"),
                    ]))
        ]
        phone.database.add(
            HKMedicationDoseEvent(
                date: Phone.date(0), logStatus: .taken, scheduleType: .schedule, medication: identifier,
                scheduledDate: Phone.date(-60), scheduledDoseQuantity: 1, doseQuantity: 0.5,
                unit: HKUnit(from: "count"),
                origin: Phone.origin()))
        let reading = try await reading(phone, "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent")
        guard case .special(let read) = reading.content, let dose = read as? MedicationDose else {
            throw TestFailure("\(reading.content)")
        }
        #expect(dose.status == .taken && dose.scheduleType == .schedule)
        #expect(dose.dose?.number.text == "0.5" && dose.scheduledDose?.number.text == "1")
        #expect(dose.medication?.codings.map(\.code) == ["313782"])
        let text = dose.observation(subject: "p1").json.text()
        #expect(text.contains("HKMedicationDoseEventLogStatusTaken") && text.contains(rxNorm) && !text.contains("Kim"))
        #expect(phone.database.breaches.isEmpty)
    }

    @Test func statesOfMindAndScoresHaveTheirAnswers() async throws {
        let state: StateOfMind = try await special(
            HKStateOfMind(
                date: Phone.date(0), kind: .momentaryEmotion, valence: 0.5, classification: .pleasant,
                labels: [.init(rawValue: 1)], associations: [], origin: Phone.origin()), "HKStateOfMind")
        #expect(state.valence == 0.5 && state.labels.count == 1)
        let answers: [HKPHQ9Assessment.Answer] = [
            .notAtAll, .severalDays, .severalDays, .notAtAll, .notAtAll, .notAtAll, .notAtAll, .notAtAll,
            .preferNotToAnswer,
        ]
        let phq9: Assessment = try await special(
            HKPHQ9Assessment(date: Phone.date(0), answers: answers, origin: Phone.origin()),
            "HKScoredAssessmentTypeIdentifierPHQ9")
        #expect(phq9.score == 2 && phq9.answers.last == .some(nil))
        let gad7: Assessment = try await special(
            HKGAD7Assessment(
                date: Phone.date(0), answers: Array(repeating: .severalDays, count: 7), origin: Phone.origin()),
            "HKScoredAssessmentTypeIdentifierGAD7")
        #expect(gad7.score == 7)
    }
}

extension String {
    fileprivate func pressure(_ name: String) -> String { "HKQuantityTypeIdentifierBloodPressure" + name }
}
