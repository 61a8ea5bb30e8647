import FHIR

/// Records of each kind with invented values, for documentation and tests.
public enum SpecialExamples {
    /// One record of each kind.
    public static var all: [any SpecialRecord] { SpecialKind.allCases.compactMap(example) }

    /// Returns the example of a kind.
    public static func example(_ kind: SpecialKind) -> (any SpecialRecord)? {
        switch kind {
        case .electrocardiogram: electrocardiogram
        case .audiogram: audiogram
        case .visionPrescription: visionPrescription
        case .activitySummary: activitySummary
        case .stateOfMind: stateOfMind
        case .phq9: Assessment(form: .phq9, start: start, answers: [1, 1, 2, 2, 0, 1, 1, 0, 0], origin: origin)
        case .gad7: Assessment(form: .gad7, start: start, answers: [1, 0, 1, 1, 0, 2, 0], origin: origin)
        case .heartbeatSeries: heartbeatSeries
        case .workoutRoute: workoutRoute
        case .medicationDose: medicationDose
        case .medicationConcept: medication
        case .clinicalRecord: clinicalRecord("HKClinicalTypeIdentifierImmunizationRecord")
        }
    }

    static let start = HealthInstant(seconds: 1_736_931_600, offsetMinutes: 60)

    static let origin = SpecialOrigin(source: HealthSource(product: .appleWatch, version: "10.2"))

    static func later(_ seconds: Int64) -> HealthInstant {
        HealthInstant(seconds: start.seconds + seconds, offsetMinutes: start.offsetMinutes)
    }

    private static var electrocardiogram: Electrocardiogram? {
        let voltages = SampledSeries([57.992, 62.414, 60.1, -66.502, -12, 0, 14.5, 21.25])
        return Electrocardiogram(
            start: start, samplingFrequency: JSONNumber(512), voltages: Electrocardiogram.Voltages(voltages),
            classification: .sinusRhythm, averageHeartRate: JSONNumber(64), symptoms: .absent, origin: origin)
    }

    private static var audiogram: Audiogram? {
        let thresholds = [(Audiogram.Ear.left, 500.0, 10.0), (.right, 500, 15), (.left, 4000, 25), (.right, 4000, 30)]
            .compactMap { ear, hertz, level -> Audiogram.Threshold? in
                guard let frequency = SpecialMeasure.frequency.quantity(hertz),
                    let level = SpecialMeasure.hearingLevel.quantity(level)
                else { return nil }
                return Audiogram.Threshold(
                    ear: ear, frequency: frequency, level: level, isMasked: false,
                    lowerBound: SpecialMeasure.hearingLevel.quantity(-10),
                    upperBound: SpecialMeasure.hearingLevel.quantity(90))
            }
        return Audiogram(start: start, end: later(300), thresholds: thresholds, origin: origin)
    }

    private static var visionPrescription: VisionPrescription? {
        var right = VisionPrescription.Lens()
        right[.sphere] = SpecialMeasure.dioptre.quantity(-1.25)
        right[.cylinder] = SpecialMeasure.dioptre.quantity(-0.5)
        right[.axis] = SpecialMeasure.angle.quantity(90)
        right[.prismAmount] = SpecialMeasure.prismDioptre.quantity(0.5)
        right[.farPupillaryDistance] = SpecialMeasure.millimetre.quantity(31.5)
        var left = VisionPrescription.Lens()
        left[.sphere] = SpecialMeasure.dioptre.quantity(-1)
        return VisionPrescription(
            issued: .moment(start), expires: .day("2027-01-15"), purpose: .glasses, right: right, left: left,
            origin: origin)
    }

    private static var activitySummary: ActivitySummary? {
        ActivitySummary(
            day: "2025-01-15",
            energy: ring(.energy, value: 590.25, goal: 630), exerciseTime: ring(.minutes, value: 68, goal: 30),
            standHours: ring(.hours, value: 13, goal: 12))
    }

    private static func ring(_ measure: SpecialMeasure, value: Double, goal: Double) -> ActivitySummary.Ring {
        ActivitySummary.Ring(value: measure.quantity(value), goal: measure.quantity(goal))
    }

    private static var stateOfMind: StateOfMind? {
        StateOfMind(
            start: start, feeling: .momentaryEmotion, valence: 0.5, labels: [7, 17], associations: [5, 13],
            origin: origin)
    }

    private static var medication: MedicationConcept? {
        MedicationConcept(
            codings: [("http://www.nlm.nih.gov/research/umls/rxnorm", "313782")], form: "Tablet", isArchived: false,
            hasSchedule: true, origin: origin)
    }

    private static var medicationDose: MedicationDose? {
        MedicationDose(
            start: start, status: .taken, scheduleType: .schedule, scheduled: start,
            dose: MedicationDose.amount(1, unit: "count"), scheduledDose: MedicationDose.amount(1, unit: "count"),
            medication: medication, origin: origin)
    }

    private static var heartbeatSeries: HeartbeatSeries? {
        let beats = [(0.0, false), (0.812, false), (1.61, false), (3.2, true), (4.004, false)]
        return HeartbeatSeries(
            start: start, beats: beats.map { HeartbeatSeries.Beat(offset: $0.0, isPrecededByGap: $0.1) },
            origin: origin)
    }

    /// A route on the open sea.
    private static var workoutRoute: WorkoutRoute? {
        var track = RouteTrack()
        for second in 0..<3 {
            _ = track.add(
                RouteTrack.Point(
                    time: (start.seconds + Int64(second)) * 1000, latitude: "0.00001\(second)",
                    longitude: "-30.00002\(second)", elevation: "4.07", speed: "1.46", course: "194.1",
                    horizontalAccuracy: "3.6", verticalAccuracy: "1.6"))
        }
        return WorkoutRoute(track: track, detail: .locations, offsetMinutes: 60, origin: origin)
    }
}
