import FHIR

/// One kind of health data: the row of the table that drives observations, the account and the i2b2 ontology.
///
/// ``all`` is the table. Two types are equal when their identifiers are.
public final class HealthType: Sendable, Hashable {
    /// What HealthKit calls this kind of object.
    public enum Kind: String, Sendable { case quantity, correlation, category, workout }

    /// The FHIR category (<https://hl7.org/fhir/R4/valueset-observation-category.html>).
    public enum Category: String, Sendable, CaseIterable {
        case vitalSigns = "vital-signs"
        case activity
        case laboratory

        public var display: String {
            switch self {
            case .vitalSigns: "Vital Signs"
            case .activity: "Activity"
            case .laboratory: "Laboratory"
            }
        }
    }

    /// Whether values of a period add up (steps) or stand each for itself (heart rate).
    public enum Aggregation: String, Sendable { case cumulative, discrete }

    /// Where the observation carries its value.
    public enum ValueKind: String, Sendable {
        /// `valueQuantity` in ``HealthType/unit``.
        case quantity = "Quantity"
        /// `valueCodeableConcept`, one of ``HealthType/options``; there may be ``HealthType/components`` too.
        case concept = "CodeableConcept"
        /// Only ``HealthType/components``.
        case components
    }

    /// HealthKit's identifier, for example `HKQuantityTypeIdentifierHeartRate`.
    public let identifier: String
    public let kind: Kind
    /// The name shown to people.
    public let title: String
    /// The folder that the type stands in when types are shown as a tree.
    public let folder: String
    public let category: Category
    public let aggregation: Aggregation
    public let valueKind: ValueKind
    /// Standard codes first, then HealthKit's own.
    public let codings: [Coding]
    /// The measured quantity; nil for the kinds that have none of their own.
    public let measure: HealthMeasure?
    /// The values inside an observation that has several.
    public let components: [HealthComponent]
    /// The values that a coded type can take.
    public let options: [HealthOption]

    /// The unit of the value; nil where there is no quantity.
    public var unit: HealthUnit? { measure?.unit }

    /// The identifier without Apple's prefix, for example `HeartRate`.
    public var shortName: String { HealthType.shortName(of: identifier) }

    let categoryJSON: JSON
    let concept: JSON
    /// The category and the code as text, for writing fast.
    let categoryText: [UInt8]
    let conceptText: [UInt8]

    init(
        _ identifier: String, _ kind: Kind, title: String, folder: String, category: Category,
        _ aggregation: Aggregation = .discrete, valueKind: ValueKind, codings: [Coding], measure: HealthMeasure? = nil,
        components: [HealthComponent] = [], options: [HealthOption] = []
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
        concept = CodeableConcept(coding: codings, text: title).json
        categoryJSON = .array([
            CodeableConcept(coding: [
                Coding(system: CodeSystem.observationCategory, code: category.rawValue, display: category.display)
            ]).json
        ])
        categoryText = categoryJSON.bytes()
        conceptText = concept.bytes()
    }

    /// The option with the name or one of the names it had earlier.
    public func option(named name: String) -> HealthOption? {
        options.first { $0.code == name || $0.aliases.contains(name) }
    }

    /// The type that is meant by an identifier, its short name (`HeartRate`) or its title, whatever the case;
    /// systolic and diastolic pressure mean blood pressure.
    public static func named(_ name: String) -> HealthType? {
        if let type = byIdentifier[name] { return type }
        let wanted = name.lowercased()
        return all.first { type in
            [type.identifier, type.shortName, type.title].contains { $0.lowercased() == wanted }
                || (type.kind == .correlation
                    && type.components.contains {
                        [$0.identifier, shortName(of: $0.identifier)].contains { $0.lowercased() == wanted }
                    })
        }
    }

    public static func == (left: HealthType, right: HealthType) -> Bool { left.identifier == right.identifier }
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    static let byIdentifier = Dictionary(all.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })

    private static func shortName(of identifier: String) -> String {
        for prefix in ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKCorrelationTypeIdentifier", "HK"]
        where identifier.hasPrefix(prefix) { return String(identifier.dropFirst(prefix.count)) }
        return identifier
    }
}

/// One value inside an observation that has several: systolic pressure, a workout's energy.
public struct HealthComponent: Sendable, Hashable {
    /// HealthKit's identifier where it has one, else the code of the component in ``CodeSystem/component``.
    public let identifier: String
    public let measure: HealthMeasure

    /// The name shown to people.
    public var title: String { measure.title }
    public var codings: [Coding] { measure.codings }
    public var unit: HealthUnit { measure.unit }
}

/// A value that a coded type can take.
public struct HealthOption: Sendable, Hashable {
    /// HealthKit's name of the case, for example `HKCategoryValueSleepAnalysisAsleepCore`.
    public let code: String
    /// The value in words.
    public let display: String
    /// Other names the case is or was written with.
    public let aliases: [String]

    public init(_ code: String, _ display: String, aliases: [String] = []) {
        self.code = code
        self.display = display
        self.aliases = aliases
        concept =
            CodeableConcept(
                coding: [Coding(system: CodeSystem.healthKit, code: code, display: display)], text: display
            ).json
    }

    public static func == (left: HealthOption, right: HealthOption) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    let concept: JSON
}

/// The code systems that health observations use.
public enum CodeSystem {
    public static let loinc = "http://loinc.org"
    /// HealthKit's identifiers, as Apple's documentation names them.
    public static let healthKit = "http://developer.apple.com/documentation/healthkit"
    public static let observationCategory = "http://terminology.hl7.org/CodeSystem/observation-category"
    /// `average`, `maximum`, `minimum` (<https://hl7.org/fhir/R4/codesystem-observation-statistics.html>).
    public static let statistics = "http://terminology.hl7.org/CodeSystem/observation-statistics"
    /// Components of a workout that no standard code tells apart.
    public static let component = "urn:tributary:health-component"
}
