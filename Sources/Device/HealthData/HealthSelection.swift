import FHIR
import Foundation

/// A selection of the data to convert.
public struct HealthSelection: Sendable {
    /// A kind of data that is released only where it is named: it can say who or where the person is, or there is very
    /// much of it.
    public enum Inclusion: String, Sendable, CaseIterable {
        /// The ways of workouts, with their places.
        case routes
        /// Clinical records but for notes: FHIR resources of their own.
        case clinicalRecords = "clinical-records"
        /// Clinical notes, which hospitals have written in words: notes, letters, reports (``ClinicalRecord/isNote``).
        case notes
        /// The beat-to-beat times (RR intervals) behind values of the heart rate variability.
        case heartbeats
        /// A summary of each night's sleep sessions, made of the stages of sleep.
        case nights

        /// Whether it leaves only where the study's consent names it. Nights say nothing that the samples do not.
        public var needsConsent: Bool { self != .nights }
    }

    /// In which unit values are given.
    public enum Units: String, Sendable, CaseIterable {
        /// The unit of the table of types, which is metric. What was recorded in another one stands in an extension.
        case metric
        /// The unit it was recorded in, wherever UCUM has a code for it.
        case asRecorded = "as-recorded"
    }

    /// The id of the Patient; nil leaves the subject out.
    public var subject: String?
    /// Only samples that end at this time or later.
    public var since: Date?
    /// Only these types; nil means all.
    public var types: Set<HealthType>?
    /// The kinds that are named of the data that is released only where it is named.
    public var inclusions: Set<Inclusion> = []
    public var units = Units.metric
    /// The types there are.
    public var table: HealthTypeTable
    /// Brings a clinical record of DSTU2 to R4; nil for what it cannot convert. Without it such records are documents.
    public var convertDSTU2: (@Sendable (JSON) -> JSON?)?

    public init(
        subject: String? = nil, since: Date? = nil, types: Set<HealthType>? = nil,
        table: HealthTypeTable = .standard
    ) {
        self.subject = subject
        self.since = since
        self.types = types
        self.table = table
    }

    /// Whether the type is asked for.
    public func selects(_ type: HealthType) -> Bool { types?.contains(type) ?? true }

    /// Whether records of the kind are asked for, and named where they must be.
    public func selects(_ kind: SpecialKind) -> Bool {
        switch kind {
        case .workoutRoute where !inclusions.contains(.routes): return false
        case .clinicalRecord where inclusions.isDisjoint(with: [.clinicalRecords, .notes]): return false
        case .heartbeatSeries where !inclusions.contains(.heartbeats): return false
        default: break
        }
        guard let types else { return true }
        return kind.type.map(types.contains) ?? types.contains { $0.kind == .clinicalRecord }
    }

    /// Whether the record is asked for: a note is named by itself.
    public func selects(_ record: any SpecialRecord) -> Bool {
        guard selects(record.kind) else { return false }
        guard let clinical = record as? ClinicalRecord else { return true }
        return inclusions.contains(clinical.isNote ? .notes : .clinicalRecords)
    }
}

extension ClinicalRecord {
    /// Whether it is a text that somebody wrote, rather than data: HealthKit's clinical note, or a document.
    public var isNote: Bool {
        type == "HKClinicalTypeIdentifierClinicalNoteRecord"
            || ["DocumentReference", "Composition", "Binary", "Communication"].contains(resourceType)
    }
}

/// A name that means no type of the table.
public struct UnknownHealthType: CodedError, Hashable {
    /// The name that was given.
    public let name: String
    /// The stable code, `health-type-unknown`.
    public var code: String { "health-type-unknown" }
    /// A sentence that a person can act on.
    public var message: String { "There is no health type named \(name); see the table of types for the names." }
}

extension HealthSelection {
    /// The types that identifiers, short names (`HeartRate`) or titles mean.
    public static func types(
        named names: some Sequence<String>, in table: HealthTypeTable = .standard
    ) throws(UnknownHealthType) -> Set<HealthType> {
        var types: Set<HealthType> = []
        for name in names {
            guard let type = table.named(name) else { throw UnknownHealthType(name: name) }
            types.insert(type)
        }
        return types
    }
}
