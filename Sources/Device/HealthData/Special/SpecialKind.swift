import FHIR

/// The kinds of health data that are not a single value: each has a structure of its own.
///
/// If the table of types has a row for the kind, the row's identifier, codings and category are used, otherwise the
/// values that are defined here.
public enum SpecialKind: String, Sendable, CaseIterable {
    /// An electrocardiogram.
    case electrocardiogram
    /// An audiogram.
    case audiogram
    /// A prescription of glasses or contact lenses.
    case visionPrescription
    /// The rings of one day.
    case activitySummary
    /// An emotion or mood.
    case stateOfMind
    /// The depression questionnaire PHQ-9.
    case phq9
    /// The anxiety questionnaire GAD-7.
    case gad7
    /// Beat-to-beat times, from which RR intervals are computed.
    case heartbeatSeries
    /// The locations of a workout.
    case workoutRoute
    /// A dose of a medication.
    case medicationDose
    /// A medication in the person's list.
    case medicationConcept
    /// A record of a hospital or practice.
    case clinicalRecord

    /// Creates the kind of a row of the table of types; nil for types of single values.
    public init?(_ type: HealthType) {
        guard type.kind != .clinicalRecord else {
            self = .clinicalRecord
            return
        }
        guard let kind = Self.allCases.first(where: { $0.type == type }) else { return nil }
        self = kind
    }

    /// HealthKit's name of the kind, for example `HKElectrocardiogram`.
    public var identifier: String { row.identifier }

    /// The name shown to people.
    public var title: String { row.title }

    /// Whether it can reveal the person's identity: it is released only if the study's consent names it.
    public var isIdentifying: Bool { self == .workoutRoute || self == .clinicalRecord }

    /// `Observation.code`.
    var concept: JSON { row.concept }

    /// `Observation.category`.
    var category: JSON { row.category }

    private var row: Row { Self.rows[self] ?? Row(self) }

    private struct Row: Sendable {
        let identifier: String
        let title: String
        let concept: JSON
        let category: JSON

        init(_ kind: SpecialKind) {
            let own = kind.own
            let type = kind.type
            let identifier = type?.identifier ?? own.identifier
            let title = type?.title ?? own.title
            var codings = [Coding(system: HealthCodeSystem.healthKit, code: identifier, display: title)] + own.further
            if let type, !type.codings.isEmpty { codings = type.codings }
            let category = (type?.category.rawValue ?? own.category, type?.category.display ?? own.categoryDisplay)
            self.identifier = identifier
            self.title = title
            concept = CodeableConcept(coding: codings, text: title).json
            self.category = .array([
                CodeableConcept(coding: [
                    Coding(system: HealthCodeSystem.observationCategory, code: category.0, display: category.1)
                ]).json
            ])
        }
    }

    private static let rows = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Row($0)) })

    /// The row of the table of types; nil for clinical records, which have a row for each of HealthKit's types.
    public var type: HealthType? {
        switch self {
        case .phq9: HealthType.all.first { $0.kind == .assessment && $0.identifier.contains("PHQ") }
        case .gad7: HealthType.all.first { $0.kind == .assessment && $0.identifier.contains("GAD") }
        case .clinicalRecord: nil
        default: HealthType.all.first { $0.kind.rawValue == rawValue }
        }
    }

    private var own: (identifier: String, title: String, further: [Coding], category: String, categoryDisplay: String) {
        switch self {
        case .electrocardiogram:
            (
                "HKElectrocardiogram", "Electrocardiogram",
                [Coding(system: DeviceNomenclature.system, code: "131328", display: "MDC_ECG_ELEC_POTL")], "procedure",
                "Procedure"
            )
        case .audiogram: ("HKAudiogramSample", "Audiogram", [], "exam", "Exam")
        case .visionPrescription: ("HKVisionPrescription", "Vision Prescription", [], "exam", "Exam")
        case .activitySummary: ("HKActivitySummary", "Activity Summary", [], "activity", "Activity")
        case .stateOfMind: ("HKStateOfMind", "State of Mind", [], "survey", "Survey")
        case .phq9:
            (
                "HKScoredAssessmentTypeIdentifierPHQ9", "PHQ-9",
                [
                    Coding(
                        system: HealthCodeSystem.loinc, code: "44249-1",
                        display: "PHQ-9 quick depression assessment panel")
                ], "survey", "Survey"
            )
        case .gad7: ("HKScoredAssessmentTypeIdentifierGAD7", "GAD-7", [], "survey", "Survey")
        case .heartbeatSeries: ("HKHeartbeatSeriesSample", "Heartbeat Series", [], "vital-signs", "Vital Signs")
        case .workoutRoute: ("HKWorkoutRoute", "Workout Route", [], "activity", "Activity")
        case .medicationDose:
            (
                "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent", "Medication Dose Event", [], "therapy",
                "Therapy"
            )
        case .medicationConcept:
            ("HKDataTypeIdentifierUserAnnotatedMedicationConcept", "Medication", [], "therapy", "Therapy")
        case .clinicalRecord: ("HKClinicalRecord", "Clinical Record", [], "procedure", "Procedure")
        }
    }
}
