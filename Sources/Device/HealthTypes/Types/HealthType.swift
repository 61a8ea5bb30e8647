import FHIR

/// One type of health data: the row of the table from which observations, reports and the i2b2 ontology are generated.
///
/// ``HealthTypeTable`` contains the rows. Two types are equal if their identifiers are equal.
public final class HealthType: Sendable, Hashable {
    /// The kind of HealthKit object.
    public enum Kind: String, Sendable, CaseIterable {
        /// A number with a unit.
        case quantity
        /// One of a few coded values.
        case category
        /// Several samples that belong to one measurement.
        case correlation
        /// A workout.
        case workout
        /// An electrocardiogram.
        case electrocardiogram
        /// An audiogram.
        case audiogram
        /// A prescription of glasses or contact lenses.
        case visionPrescription
        /// An emotion or mood.
        case stateOfMind
        /// A scored questionnaire, such as PHQ-9.
        case assessment
        /// The times of single heartbeats.
        case heartbeatSeries
        /// The locations of a workout.
        case workoutRoute
        /// A record of a hospital or practice.
        case clinicalRecord
        /// The rings of one day.
        case activitySummary
        /// A dose of a medication.
        case medicationDose
        /// A medication in the person's list.
        case medicationConcept
    }

    /// The FHIR category (<https://hl7.org/fhir/R4/valueset-observation-category.html>).
    public enum Category: String, Sendable, CaseIterable {
        /// Habits and circumstances.
        case socialHistory = "social-history"
        /// Vital signs.
        case vitalSigns = "vital-signs"
        /// Imaging.
        case imaging
        /// Laboratory results.
        case laboratory
        /// Results of a procedure.
        case procedure
        /// Answers of a survey.
        case survey
        /// Findings of an examination.
        case exam
        /// Therapy.
        case therapy
        /// Physical activity.
        case activity

        /// The display text of the code system.
        public var display: String {
            switch self {
            case .socialHistory: "Social History"
            case .vitalSigns: "Vital Signs"
            case .imaging: "Imaging"
            case .laboratory: "Laboratory"
            case .procedure: "Procedure"
            case .survey: "Survey"
            case .exam: "Exam"
            case .therapy: "Therapy"
            case .activity: "Activity"
            }
        }
    }

    /// Whether values of a period are added up (steps) or are independent (heart rate).
    public enum Aggregation: String, Sendable, CaseIterable {
        /// The values of a period are added up.
        case cumulative
        /// Each value is independent.
        case discrete
    }

    /// The element of the observation that carries the value.
    public enum ValueKind: String, Sendable {
        /// `valueQuantity` in ``HealthType/unit``.
        case quantity = "Quantity"
        /// `valueCodeableConcept`, one of ``HealthType/options``; there may be ``HealthType/components`` too.
        case concept = "CodeableConcept"
        /// Only ``HealthType/components``.
        case components
        /// `valueBoolean` true: the sample reports only that an event happened.
        case event
        /// A series of numbers in a component's `valueSampledData`.
        case sampledData = "SampledData"
        /// `valueInteger`: the score of a questionnaire; its answers are components.
        case integer
        /// No observation: the record is already a FHIR resource.
        case resource
    }

    /// HealthKit's identifier, for example `HKQuantityTypeIdentifierHeartRate`.
    public let identifier: String
    /// The kind of type.
    public let kind: Kind
    /// The name shown to people.
    public let title: String
    /// The folder of the type in a tree of types.
    public let folder: String
    /// The category of its observations.
    public let category: Category
    /// Whether the values of a period are added up.
    public let aggregation: Aggregation
    /// The element of the value in an observation.
    public let valueKind: ValueKind
    /// Standard codes first, then HealthKit's own.
    public let codings: [Coding]
    /// The measured quantity; nil for kinds without a quantity of their own.
    public let measure: HealthMeasure?
    /// The components of an observation with several values.
    public let components: [HealthComponent]
    /// The permitted values of a coded type.
    public let options: [HealthOption]
    /// Other names of HealthKit for the same kind of data, for example `HKWorkoutTypeIdentifier`.
    public let otherNames: [String]
    /// The correlation to which all samples of the type belong, even single ones: blood pressure for systolic and
    /// diastolic pressure.
    public let correlation: String?
    /// The form of the value in HealthKitOnFhir's messages; nil if there is no message for the type.
    public let message: HealthMessageShape?
    /// A value of a healthy person in ``HealthMeasure/healthKitUnit``, for examples.
    package let exampleText: String?
    private let optionsByName: [String: HealthOption]

    /// The unit of the value; nil if there is no quantity.
    public var unit: HealthUnit? { measure?.unit }

    /// The identifier without Apple's prefix, for example `HeartRate`.
    public var shortName: String { HealthType.shortName(of: identifier) }

    package let categoryJSON: JSON
    package let concept: JSON
    /// The text of an Observation from the end of its identifier to the end of its code, for fast writing.
    package let statusText: [UInt8]

    init(
        _ identifier: String, _ kind: Kind, title: String, folder: String, category: Category,
        aggregation: Aggregation = .discrete, valueKind: ValueKind, codings: [Coding], measure: HealthMeasure? = nil,
        components: [HealthComponent] = [], options: [HealthOption] = [], otherNames: [String] = [],
        correlation: String? = nil, message: HealthMessageShape? = nil, exampleText: String? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.title = title
        self.folder = folder
        self.category = category
        self.aggregation = aggregation
        self.valueKind = valueKind
        self.codings = codings
        self.measure = measure
        self.components = components
        self.options = options
        self.otherNames = otherNames
        self.correlation = correlation
        self.message = message
        self.exampleText = exampleText
        optionsByName = Dictionary(
            options.flatMap { option in ([option.code] + option.aliases).map { ($0, option) } },
            uniquingKeysWith: { first, _ in first })
        concept = CodeableConcept(coding: codings, text: title).json
        categoryJSON = .array([
            CodeableConcept(coding: [
                Coding(system: HealthCodeSystem.observationCategory, code: category.rawValue, display: category.display)
            ]).json
        ])
        statusText =
            Array("\"}],\"status\":\"final\",\"category\":".utf8) + categoryJSON.bytes() + Array(",\"code\":".utf8)
            + concept.bytes()
    }

    /// Returns a copy of the type with other components.
    func with(components: [HealthComponent]) -> HealthType {
        HealthType(
            identifier, kind, title: title, folder: folder, category: category, aggregation: aggregation,
            valueKind: valueKind,
            codings: codings, measure: measure, components: components, options: options, otherNames: otherNames,
            correlation: correlation, message: message, exampleText: exampleText)
    }

    /// Returns the option with this name or with this earlier name.
    public func option(named name: String) -> HealthOption? { optionsByName[name] }

    /// Returns HealthKit's number of an option; nil if the table has none.
    public func rawValue(of option: HealthOption) -> Int? {
        (0...99).first { self.option(named: String($0)) == option }
    }

    public static func == (left: HealthType, right: HealthType) -> Bool { left.identifier == right.identifier }
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    package static func shortName(of identifier: String) -> String {
        for prefix in [
            "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKCorrelationTypeIdentifier",
            "HKScoredAssessmentTypeIdentifier", "HKClinicalTypeIdentifier", "HKMedicationDoseEventTypeIdentifier",
            "HKDataTypeIdentifier", "HK",
        ] where identifier.hasPrefix(prefix) { return String(identifier.dropFirst(prefix.count)) }
        return identifier
    }
}

/// One value of an observation with several values: systolic pressure, a workout's energy.
public struct HealthComponent: Sendable, Hashable {
    /// HealthKit's identifier if there is one, otherwise the code of the component in ``HealthCodeSystem/component``.
    public let identifier: String
    /// The measure.
    public let measure: HealthMeasure

    /// The name shown to people.
    public var title: String { measure.title }
    /// The codes.
    public var codings: [Coding] { measure.codings }
    /// The unit.
    public var unit: HealthUnit { measure.unit }
}

/// A permitted value of a coded type. It is a class, because millions of samples refer to a few options.
public final class HealthOption: Sendable, Hashable {
    /// HealthKit's name of the case, for example `HKCategoryValueSleepAnalysisAsleepCore`.
    public let code: String
    /// The display text of the value.
    public let display: String
    /// Other names of the case, including earlier ones.
    public let aliases: [String]

    /// Creates an option from a code, its display text and other names of the code.
    public init(_ code: String, _ display: String, aliases: [String] = []) {
        self.code = code
        self.display = display
        self.aliases = aliases
        concept =
            CodeableConcept(
                coding: [Coding(system: HealthCodeSystem.healthKit, code: code, display: display)], text: display
            ).json
        conceptText = concept.bytes()
    }

    public static func == (left: HealthOption, right: HealthOption) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    package let concept: JSON
    /// The same as text.
    package let conceptText: [UInt8]
}
