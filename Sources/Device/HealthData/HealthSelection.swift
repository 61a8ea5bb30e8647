import FHIR
import Foundation

/// A selection of the data to convert.
public struct HealthSelection: Sendable {
    /// Data that is released only if the selection includes it, because it can reveal the person's identity or
    /// location, or because there is a very large amount of it.
    public enum Inclusion: String, Sendable, CaseIterable {
        /// Workout routes with their locations.
        case routes
        /// Clinical records except notes; they already are FHIR resources.
        case clinicalRecords = "clinical-records"
        /// Clinical notes, which hospitals write as text: notes, letters, reports (``ClinicalRecord/isNote``).
        case notes
        /// Beat-to-beat times (RR intervals) from which values of the heart rate variability were computed.
        case heartbeats
        /// A summary of each night's sleep sessions, computed from the stages of sleep.
        case nights

        /// Whether the study's consent must name it. Nights contain no information that is not in the samples.
        public var needsConsent: Bool { self != .nights }
    }

    /// The unit in which values are written.
    public enum Units: String, Sendable, CaseIterable {
        /// The unit of the table of types, which is metric. The recorded quantity, if its unit differs, is an
        /// extension.
        case metric
        /// The unit of the recording, if UCUM has a code for it.
        case asRecorded = "as-recorded"
    }

    /// The id of the Patient; nil omits the subject.
    public var subject: String?
    /// The earliest end of the samples.
    public var since: Date?
    /// The selected types; nil selects all.
    public var types: Set<HealthType>?
    /// The included kinds of data that are otherwise not released.
    public var inclusions: Set<Inclusion> = []
    public var units = Units.metric
    /// The table of types.
    public var table: HealthTypeTable
    /// Converts a clinical record from DSTU2 to R4; returns nil if it cannot. Without this closure, such records are
    /// converted to documents.
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

    /// Returns whether the type is selected.
    public func selects(_ type: HealthType) -> Bool { types?.contains(type) ?? true }

    /// Returns whether records of the kind are selected and, if necessary, included.
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

    /// Returns whether the record is selected. Notes have an inclusion of their own.
    public func selects(_ record: any SpecialRecord) -> Bool {
        guard selects(record.kind) else { return false }
        guard let clinical = record as? ClinicalRecord else { return true }
        return inclusions.contains(clinical.isNote ? .notes : .clinicalRecords)
    }
}

extension ClinicalRecord {
    /// Whether the record is a written text instead of structured data: HealthKit's clinical note, or a document.
    public var isNote: Bool {
        type == "HKClinicalTypeIdentifierClinicalNoteRecord"
            || ["DocumentReference", "Composition", "Binary", "Communication"].contains(resourceType)
    }
}

/// An error for a name that matches no type of the table.
public struct UnknownHealthType: CodedError, Hashable {
    /// The unknown name.
    public let name: String
    /// The stable code, `health-type-unknown`.
    public var code: String { "health-type-unknown" }
    /// A sentence with the remedy.
    public var message: String { "There is no health type named \(name); see the table of types for the names." }
}

extension HealthSelection {
    /// Returns the types for identifiers, short names (`HeartRate`) or titles.
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
